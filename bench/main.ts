import { type Figure, printFigures } from './figures.ts';
import { measurePopup } from './popup.ts';
import { measureSandbox, measureSandboxForLong } from './sandbox.ts';
import { measureTemplate } from './template.ts';

const SUITES: Record<string, () => Promise<Figure[]>> = {
  popup: measurePopup,
  template: measureTemplate,
  sandbox: measureSandbox,
  'sandbox-long': measureSandboxForLong,
};
const ORDINARY = ['popup', 'template', 'sandbox'];

/** Measures everything that has a budget, or the suites that are named, and prints one table. Ends with 1 where a budget was missed. */
const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(`There is nothing to measure called ${unknown.join(', ')}. Name any of: ${Object.keys(SUITES).join(', ')}.`);
  process.exit(1);
}
const figures: Figure[] = [];
for (const name of named.length ? named : ORDINARY) figures.push(...((await SUITES[name]?.()) ?? []));
if (!printFigures(figures)) process.exitCode = 1;
