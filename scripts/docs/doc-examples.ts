import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

/** A fenced piece of JavaScript whose first line names its file. */
const EXAMPLE = /^```js\n\/\/ (\S+\.js)\n([\s\S]*?)^```/gm;

/** Writes the named examples of a page, or of one section, as files. */
export function writeExamples(page: string, folder: string, section?: string): void {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [, after = ''] = section ? text.split(`\n## ${section}\n`) : [];
  const examples = section ? (after.split('\n## ')[0] as string) : text;
  for (const [, name = '', code = ''] of examples.matchAll(EXAMPLE)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}
