import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

/** A fenced piece of JavaScript whose first line names its file. */
const EXAMPLE = /^```js\n\/\/ (\S+\.js)\n([\s\S]*?)^```/gm;

export function writeExamples(page: string, folder: string): void {
  for (const [, name = '', code = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(EXAMPLE)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}
