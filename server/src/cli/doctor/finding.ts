/**
 * What one check found. `todo` says what to do about a problem; what could not be checked says why.
 */
export interface Finding {
  check: string;
  verdict: 'ok' | 'problem' | 'not checked';
  says: string;
  todo?: string;
}

const WIDEST_CHECK = 18;

/** One line for each finding, and one under it where there is something to do. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .flatMap(({ check, verdict, says, todo }) => [
      `${verdict.padEnd(12)}${check.padEnd(WIDEST_CHECK)}${says}`,
      ...(todo ? [`${' '.repeat(12)}${' '.repeat(WIDEST_CHECK)}→ ${todo}`] : []),
    ])
    .join('\n');
}

export function hasProblem(findings: readonly Finding[]): boolean {
  return findings.some(({ verdict }) => verdict === 'problem');
}
