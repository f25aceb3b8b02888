import { resolve } from 'node:path';

import { pack } from './packages/pack.ts';
import { PACKAGES } from './packages/packages.ts';

const [folder] = process.argv.slice(2);
try {
  if (!folder || folder.startsWith('-'))
    throw new Error('Name a folder for the packages: npm run pack -- <folder>');
  const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
  for (const workspace of PACKAGES) console.log(await pack(workspace, target));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
