import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { collectAccessibleNames } from '@service-pay/widget/documented';
import { build } from 'vite';
import { buildInventory } from './build/script-inventory.ts';
import {
  checkServedCopies,
  compressFolder,
  type Integrity,
  integrityOf,
} from './build/served-copies.ts';
import { tidySourceMaps } from './build/source-maps.ts';
import { toVsCodeData, toWebTypes } from './docs/editor-data.ts';
import { describeElement, toManifest } from './docs/element-docs.ts';
import { ROOT } from './programs/run-tool.ts';

const WIDGET_PARTS = { inline: 'js/v1', flow: 'js/v1', checkout: 'checkout/v1', npm: 'npm' };

const BUILDERS: Record<string, () => Promise<void>> = {
  /** All that browsers load. */
  widget: async () => {
    await runVite('pages', join(ROOT, 'sandbox/pages/dist'));
    await buildWidget();
  },
  contract: () => compile('contract'),
  sandbox: () => compile('sandbox'),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(BUILDERS, name));
if (unknown.length) {
  console.error(
    `Unknown part: ${unknown.join(', ')}. Choose from: ${Object.keys(BUILDERS).join(', ')}.`,
  );
  process.exit(1);
}
for (const name of named.length ? named : Object.keys(BUILDERS)) await BUILDERS[name]?.();

/**
 * Builds the served scripts and the npm entries, and checks every served copy. Replaces the folder
 * in one step, so that a running service never serves half of a build.
 */
async function buildWidget(): Promise<void> {
  const dist = join(ROOT, 'widget/dist');
  const next = join(ROOT, `node_modules/.widget-${process.pid}`);
  const { version } = JSON.parse(await readFile(join(ROOT, 'widget/package.json'), 'utf8')) as {
    version: string;
  };
  for (const [mode, folder] of Object.entries(WIDGET_PARTS))
    await runVite(mode, join(next, folder));
  await tidySourceMaps(join(next, 'npm'));
  emitTypes('widget', [
    '--emitDeclarationOnly',
    '--rootDir',
    'src',
    '--outDir',
    join(next, 'npm/types'),
  ]);
  const element = describeElement();
  const described = {
    'accessible-names': await collectAccessibleNames(),
    'custom-elements': toManifest(element),
    'vscode.html-custom-data': toVsCodeData(element),
    'web-types': toWebTypes(element, version),
  };
  for (const [name, data] of Object.entries(described))
    await writeFile(join(next, `npm/${name}.json`), `${JSON.stringify(data, null, 2)}\n`);

  await mkdir(join(next, 'js', version), { recursive: true });
  const release = async (script: string) => {
    const file = `/js/${version}/${script}`;
    await copyFile(join(next, 'js/v1', script), join(next, file));
    return { file, integrity: integrityOf(await readFile(join(next, file))) };
  };
  const integrity: Integrity = {
    version,
    ...(await release('inline.js')),
    flow: await release('flow.js'),
  };
  for (const copy of ['v1', version]) await writeWords(join(next, 'js', copy, 'words'));
  await writeFile(join(next, 'js/v1/integrity.json'), `${JSON.stringify(integrity)}\n`);
  await writeFile(
    join(next, 'js/v1/scripts.json'),
    `${JSON.stringify(await buildInventory(next, version), null, 2)}\n`,
  );
  await compressFolder(join(next, 'js'));
  await compressFolder(join(next, 'checkout'));
  await checkServedCopies(next);
  await rm(dist, { recursive: true, force: true });
  await rename(next, dist);
  await printSizes(dist);
}

async function runVite(mode: string, outDir: string): Promise<void> {
  await build({ configFile: join(ROOT, 'vite.config.ts'), mode, build: { outDir } });
}

async function writeWords(folder: string): Promise<void> {
  const sources = join(ROOT, 'widget/src/inline/messages');
  await mkdir(folder, { recursive: true });
  for (const source of await readdir(sources)) {
    const { messages } = (await import(pathToFileURL(join(sources, source)).href)) as {
      messages: Record<string, string>;
    };
    await writeFile(join(folder, source.replace('.ts', '.json')), `${JSON.stringify(messages)}\n`);
  }
}

async function compile(workspace: string): Promise<void> {
  await rm(join(ROOT, workspace, 'dist'), { recursive: true, force: true });
  emitTypes(workspace, ['--rootDir', 'src', '--outDir', 'dist']);
}

function emitTypes(workspace: string, options: string[]): void {
  const config = join(ROOT, workspace, 'tsconfig.build.json');
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config, ...options], {
    cwd: join(ROOT, workspace),
    stdio: 'inherit',
  });
}

async function printSizes(dist: string): Promise<void> {
  for (const entry of await readdir(dist, { recursive: true })) {
    if (!entry.endsWith('.br')) continue;
    const { size } = await stat(join(dist, entry));
    console.log(
      `${(size / 1000).toFixed(2).padStart(7)} kB  widget/dist/${entry.slice(0, -3)} (brotli)`,
    );
  }
}
