import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

import { checkServedCopies, compressFolder, integrityOf } from './served-copies.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const BUILDERS: Record<string, () => Promise<void>> = {
  widget: buildWidget,
  contract: () => compile('contract'),
  sandbox: () => compile('sandbox'),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(BUILDERS, name));
if (unknown.length) {
  console.error(`There is nothing to build called ${unknown.join(', ')}. Name any of: ${Object.keys(BUILDERS).join(', ')}.`);
  process.exit(1);
}
for (const name of named.length ? named : Object.keys(BUILDERS)) await BUILDERS[name]?.();

/** Builds what the service serves and the entries of the npm package, and checks every served copy of the script. */
async function buildWidget(): Promise<void> {
  const dist = join(ROOT, 'widget/dist');
  const { version } = JSON.parse(await readFile(join(ROOT, 'widget/package.json'), 'utf8')) as { version: string };
  await rm(dist, { recursive: true, force: true });
  for (const mode of ['inline', 'checkout', 'npm']) await build({ configFile: join(ROOT, 'vite.config.ts'), mode });
  emitTypes('widget', ['--emitDeclarationOnly', '--rootDir', 'src/inline', '--outDir', 'dist/npm']);

  const file = `/js/${version}/inline.js`;
  const moving = join(dist, 'js/v1/inline.js');
  await mkdir(join(dist, 'js', version), { recursive: true });
  await copyFile(moving, join(dist, file));
  const integrity = integrityOf(await readFile(moving));
  await writeFile(join(dist, 'js/v1/integrity.json'), `${JSON.stringify({ version, file, integrity })}\n`);
  await compressFolder(join(dist, 'js'));
  await compressFolder(join(dist, 'checkout'));
  await checkServedCopies(dist);
  await printSizes(dist);
}

/** Turns a workspace's TypeScript into the JavaScript and declarations its package carries. */
async function compile(workspace: string): Promise<void> {
  await rm(join(ROOT, workspace, 'dist'), { recursive: true, force: true });
  emitTypes(workspace, ['--rootDir', 'src', '--outDir', 'dist']);
}

function emitTypes(workspace: string, options: string[]): void {
  const config = join(ROOT, workspace, 'tsconfig.build.json');
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config, ...options], { cwd: join(ROOT, workspace), stdio: 'inherit' });
}

async function printSizes(dist: string): Promise<void> {
  for (const entry of await readdir(dist, { recursive: true })) {
    if (!entry.endsWith('.br')) continue;
    const { size } = await stat(join(dist, entry));
    console.log(`${(size / 1000).toFixed(2).padStart(7)} kB  widget/dist/${entry.slice(0, -3)} (brotli)`);
  }
}
