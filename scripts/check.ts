import { KINDS_OF_CHECK, runChecks } from './lint/checks.ts';

// Types, lint, format and unused code, without tests, or `types` or `lint` of them. Prints every
// problem, and exits 1 if there is one.
const [named] = process.argv.slice(2);
const kinds = KINDS_OF_CHECK.filter((kind) => !named || kind === named);
if (!kinds.length) {
  console.error(`Unknown check: ${named}. Choose from: ${KINDS_OF_CHECK.join(', ')}.`);
  process.exit(1);
}
const results = await runChecks(kinds);
for (const { name, passed, output } of results) {
  if (!passed) console.error(`\n${name}\n${output.trim()}\n`);
}
console.log(
  results.map(({ name, passed }) => `${passed ? 'ok    ' : 'FAILED'} ${name}`).join('\n'),
);
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
