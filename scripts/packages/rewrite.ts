import { readFileSync, writeFileSync } from 'node:fs';

/** Changes the text of a file. */
export function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
