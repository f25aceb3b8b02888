import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { writeCreatePackage } from './packages/create-package.ts';
import { pack } from './packages/pack.ts';
import { PACKAGES } from './packages/packages.ts';
import { runNode } from './programs/run-tool.ts';

// Does what `npm create service-pay` will do, with the packages of this project.

const [folder] = process.argv.slice(2);
const stage = mkdtempSync(join(tmpdir(), 'service-pay-template-'));
try {
  if (!folder || folder.startsWith('-'))
    throw new Error('Name a folder for the copy: npm run copy-template -- <folder>');
  const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
  if (existsSync(target) && readdirSync(target).length)
    // before the packing, which takes a while
    throw new Error(`${target} is not empty. Name a new or an empty folder.`);
  const create = join(stage, 'create');
  const packages = join(stage, 'packages');
  writeCreatePackage(create);
  for (const workspace of PACKAGES) await pack(workspace, packages);
  const { exitCode } = await runNode([join(create, 'index.js'), target, '--packages', packages]);
  process.exitCode = exitCode ?? 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(stage, { recursive: true });
}
