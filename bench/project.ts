import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { ROOT } from '../scripts/programs/run-tool.ts';
import type { Figure } from './support/figures.ts';

/** B43: the size of `npm ci`. The other figures of the project are taken by hand. */
export async function measureProject(): Promise<Figure[]> {
  const { stdout } = await promisify(execFile)('du', ['-sm', 'node_modules'], { cwd: ROOT });
  return [
    {
      id: 'B43',
      name: 'installed node_modules',
      unit: 'MB',
      budget: 700,
      direction: 'at most',
      runs: [Number.parseInt(stdout, 10)],
    },
  ];
}
