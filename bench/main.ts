import { printFigures } from './figures.ts';
import { measurePopup } from './popup.ts';
import { measureSandbox } from './sandbox.ts';
import { measureTemplate } from './template.ts';

/** Measures everything that has a budget and prints one table. Ends with 1 where a budget was missed. */
const figures = [...(await measurePopup()), ...(await measureTemplate()), ...(await measureSandbox())];
if (!printFigures(figures)) process.exitCode = 1;
