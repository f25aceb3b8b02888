import { measurePopup } from './popup/popup.ts';
import { type Figure, printFigures, type Scale } from './support/figures.ts';
import { measureTemplate, TEMPLATE_PARTS } from './template/template.ts';

const SUITES: Record<string, (scale: Scale) => Promise<Figure[]>> = {
  popup: measurePopup,
  template: measureTemplate,
  ...TEMPLATE_PARTS,
};
const ORDINARY = ['popup', 'template'];

const FULL: Scale = { runs: 9, seconds: 3, stored: 1_000_000 };
const SHORT: Scale = { runs: 1, seconds: 1, stored: 10_000 };

/**
 * Measures everything that has a budget, or the named suites, and prints one table. Exits with 1 if
 * a budget was missed. `--short` only shows that the bench works.
 */
const named = process.argv.slice(2).filter((name) => name !== '--short');
const scale = process.argv.includes('--short') ? SHORT : FULL;
const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(
    `Unknown suite: ${unknown.join(', ')}. Choose from: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(1);
}
const figures: Figure[] = [];
for (const name of named.length ? named : ORDINARY)
  figures.push(...((await SUITES[name]?.(scale)) ?? []));
// without this, the PostgreSQL started for the template would keep this process alive
process.exit(printFigures(figures) ? 0 : 1);
