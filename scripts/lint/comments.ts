import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

/** A comment that opens with a question word. A line that continues a `//` comment may. */
const QUESTION =
  /^.*?(?:\/\*\*?\s*(?:\*\s+)?|(?<!^[ \t]*\/\/.*\n[ \t]*)\/\/ )(?:What|Who|Whose|Where|Which|Whether|How)\b.*$/gim;

const KINDS = ['*.ts', '*.js', '*.vue', '*.css'];

/** Holds such comments as examples. */
const OWN_TEST = 'scripts/lint/comments.test.ts';

/** Lists the comments of a source file that start with a question word, as `line: comment`. */
export function findQuestions(source: string): string[] {
  return [...source.matchAll(QUESTION)].map(
    ({ 0: text, index }) =>
      `${source.slice(0, index).split('\n').length}: ${text.replace(/\s+/g, ' ').trim()}`,
  );
}

/** Lists these comments in the whole project, as `file:line: comment`. */
export function findAllQuestions(): string[] {
  const args = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    ...KINDS,
  ];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== OWN_TEST && file && existsSync(join(ROOT, file)))
    .flatMap((file) =>
      findQuestions(readFileSync(join(ROOT, file), 'utf8')).map((found) => `${file}:${found}`),
    );
}
