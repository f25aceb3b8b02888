import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MOST = 72;
const THIS_FILE = 'scripts/lint/commit-subjects.ts';

/**
 * Finds the commits with a subject of more than 72 characters, among those after the one that added
 * this file. Returns none where there is no repository, as in an unpacked archive.
 */
export function findLongSubjects(root: string): string[] {
  if (!existsSync(join(root, '.git'))) return [];
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', THIS_FILE).trim();
  if (!added) return [];
  return git('log', '--no-merges', '--format=%h %s', `${added}..HEAD`)
    .split('\n')
    .filter((line) => line.slice(line.indexOf(' ') + 1).length > MOST);
}
