import { type Figure, printFigures } from './figures.ts';
import { measurePopup } from './popup.ts';
import { measureSandbox, measureSandboxForLong } from './sandbox.ts';
import { measureTemplate, TEMPLATE_PARTS } from './template.ts';
import type { Scale } from './template-shop.ts';

const SUITES: Record<string, (scale: Scale) => Promise<Figure[]>> = {
  popup: measurePopup,
  template: measureTemplate,
  ...TEMPLATE_PARTS,
  sandbox: measureSandbox,
  'sandbox-long': measureSandboxForLong,
};
const ORDINARY = ['popup', 'template', 'sandbox'];

const FULL: Scale = { runs: 3, seconds: 3, stored: 1_000_000 };
const SHORT: Scale = { runs: 1, seconds: 1, stored: 100_000 };

/**
 * Measures everything that has a budget, or the suites that are named, and prints one table. Ends
 * with 1 where a budget was missed. With `--short` the template is measured by loads too small to
 * mean much, as a trial.
 */
const named = process.argv.slice(2).filter((name) => name !== '--short');
const scale = process.argv.includes('--short') ? SHORT : FULL;
const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(
    `There is nothing to measure called ${unknown.join(', ')}. Name any of: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(1);
}
const figures: Figure[] = [];
for (const name of named.length ? named : ORDINARY)
  figures.push(...((await SUITES[name]?.(scale)) ?? []));
// a PostgreSQL that was started for this ends with it, and would else keep it
process.exit(printFigures(figures) ? 0 : 1);
