import { printable } from './command-line.ts';

/** The result of one check. `todo` says how to solve a problem. */
export interface Finding {
  check: string;
  verdict: 'ok' | 'problem' | 'not checked';
  says: string;
  todo?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, verdict: 'ok', says });
export const problem = (check: string, says: string, todo?: string): Finding => ({
  check,
  verdict: 'problem',
  says,
  ...(todo && { todo }),
});

/** One line for each finding, and one under it if there is something to do. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ check, verdict, says, todo }) => {
      const line = `${verdict.padEnd(12)}${check.padEnd(18)}${printable(says)}`;
      return todo ? `${line}\n${' '.repeat(30)}→ ${todo}` : line;
    })
    .join('\n');
}
