import { runChecks } from './lint/checks.ts';

// Types, lint, format and unused code, without tests. Prints every problem, and exits 1 if there is
// one.
const results = await runChecks();
for (const { name, passed, output } of results) {
  if (!passed) console.error(`\n${name}\n${output.trim()}\n`);
}
console.log(
  results.map(({ name, passed }) => `${passed ? 'ok    ' : 'FAILED'} ${name}`).join('\n'),
);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
