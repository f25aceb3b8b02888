import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './run-tool.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'bff-example/package.json'), 'utf8')) as {
  scripts: { start: string };
};

/**
 * What `npm start` tells Node of the shop's memory: whoever measures or harms the shop runs it as
 * merchants do.
 */
export const SHOP_FLAGS: readonly string[] = manifest.scripts.start.match(/--\S+/g) ?? [];
