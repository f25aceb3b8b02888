import { expect, test } from 'vitest';
import { runProgram } from '../../scripts/programs/run-tool.ts';

test('npm run faults prints a table of the requested faults, and what it did not run', {
  timeout: 240_000,
}, async () => {
  const words = ['run', '--silent', 'faults', '--', 'F1', '--short', '--database', 'sqlite'];
  const { exitCode, output } = await runProgram('npm', words, { quiet: true });

  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/^F1 .* sqlite .* survived\n\nNothing was lost, in .* min\.$/m);
  expect(output.trimEnd().split('\n').at(-1)).toMatch(/`npm run faults -- F10` does\.$/);
});
