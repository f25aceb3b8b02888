import { printable } from './command-line.ts';

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

export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ check, verdict, says, todo }) => {
      const line = `${verdict.padEnd(12)}${check.padEnd(18)}${printable(says)}`;
      return todo ? `${line}\n${' '.repeat(30)}→ ${todo}` : line;
    })
    .join('\n');
}
