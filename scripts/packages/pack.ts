import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { buildStaleWidget } from '../build/built-widget.ts';
import { ROOT, runProgram, runTool } from '../programs/run-tool.ts';
import { buildOpenApiFiles } from './openapi-files.ts';
import type { PackageFolder } from './packages.ts';
import { withoutNumbers } from './private-numbers.ts';
import { withAbsoluteLinks } from './published-text.ts';
import { rewrite } from './rewrite.ts';

interface Manifest {
  name: string;
  version: string;
  files?: string[];
  exports: Record<string, unknown>;
  bin?: Record<string, string>;
  scripts?: unknown;
  devDependencies?: unknown;
}

/** The mark around text that holds only until the packages are on a registry. */
const UNPUBLISHED = /<!-- unpublished -->.*?<!-- \/unpublished -->\n*/gs;

/**
 * Packs a package into `folder` as JavaScript with declarations, since Node strips no types below
 * `node_modules`. Returns the tarball's file name. Stages a copy, so the workspace is not touched.
 * Takes a tarball from `PACKED_FOLDER` if there is one: a test run packs once.
 */
export async function pack(workspace: PackageFolder, folder: string): Promise<string> {
  const manifest = JSON.parse(
    readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'),
  ) as Manifest;
  const tarball = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
  mkdirSync(folder, { recursive: true });
  const packed = process.env.PACKED_FOLDER && join(process.env.PACKED_FOLDER, tarball);
  if (packed && existsSync(packed)) {
    cpSync(packed, join(folder, tarball));
    return tarball;
  }

  const stage = mkdtempSync(join(tmpdir(), `pack-${workspace}-`));
  try {
    if (workspace === 'widget' || workspace === 'sandbox') await buildStaleWidget();
    if (workspace !== 'widget') await compile(workspace, join(stage, 'dist'));
    for (const entry of [...(manifest.files ?? []), 'README.md']) {
      // files that several packages share are kept once, in the root
      const from = [join(ROOT, workspace, entry), join(ROOT, entry)].find(existsSync);
      if (from && !existsSync(join(stage, entry)))
        cpSync(from, join(stage, entry), { recursive: true, filter: (path) => !isTest(path) });
    }
    for (const map of globSync('dist/**/*.map', { cwd: stage }))
      rewrite(join(stage, map), (text) => withPackedSource(text, map));
    if (manifest.files?.includes('openapi')) {
      mkdirSync(join(stage, 'openapi'));
      for (const [file, text] of Object.entries(buildOpenApiFiles()))
        writeFileSync(join(stage, 'openapi', file), text);
    }
    for (const page of globSync('**/*.md', { cwd: stage }))
      rewrite(join(stage, page), (text) =>
        withAbsoluteLinks(text.replace(UNPUBLISHED, ''), `${workspace}/${page}`, manifest.version),
      );
    for (const declarations of globSync('dist/**/*.d.ts', { cwd: stage }))
      rewrite(join(stage, declarations), withoutNumbers);
    cpSync(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
    writeFileSync(
      join(stage, 'package.json'),
      `${JSON.stringify(toPublished(manifest), null, 2)}\n`,
    );

    const { exitCode, output } = await runProgram(
      'npm',
      ['pack', '--pack-destination', folder, '--ignore-scripts'],
      {
        cwd: stage,
        quiet: true,
      },
    );
    if (exitCode !== 0) throw new Error(`${manifest.name} could not be packed:\n${output}`);
    return tarball;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function isTest(path: string): boolean {
  return (
    basename(path).includes('.test.') || /\/src\/(?:.*\/)?(?:test|test-data)(?:\/|$)/.test(path)
  );
}

/** Points the map of a compiled file to the source in the package; other maps contain theirs. */
function withPackedSource(text: string, path: string): string {
  const [, folder = '', name] = /^dist\/(?:npm\/types\/)?(.*?)([^/]+)\.(?:d\.ts|js)\.map$/.exec(
    path,
  )!;
  const map = JSON.parse(text) as { sources: string[]; sourcesContent?: unknown };
  if (map.sourcesContent) return text;
  const up = '../'.repeat(path.split('/').length - 1);
  return JSON.stringify({ ...map, sources: [`${up}src/${folder}${name}.ts`] });
}

/** Names what is built in place of the sources. Everything else is as in this repository. */
function toPublished({ scripts: _, devDependencies: __, ...manifest }: Manifest): object {
  const built = (source: string) => source.replace(/^\.\/src\/(.+)\.ts$/, './dist/$1.js');
  const exports = Object.fromEntries(
    Object.entries(manifest.exports)
      .filter(([path]) => !/^\.\/(?:documented|headless)$/.test(path))
      .map(([path, target]) =>
        typeof target === 'string' && target.endsWith('.ts')
          ? [path, { types: built(target).replace(/\.js$/, '.d.ts'), default: built(target) }]
          : [path, target],
      ),
  );
  const bin =
    manifest.bin &&
    Object.fromEntries(Object.entries(manifest.bin).map(([name, target]) => [name, built(target)]));
  return { ...manifest, exports, ...(bin && { bin }) };
}

async function compile(workspace: PackageFolder, outDir: string): Promise<void> {
  const config = join(ROOT, workspace, 'tsconfig.build.json');
  const { exitCode, output } = await runTool(
    'tsc',
    [
      ...['-p', config, '--rootDir', join(ROOT, workspace, 'src'), '--outDir', outDir],
      ...['--sourceMap', '--declarationMap'],
    ],
    {
      quiet: true,
    },
  );
  if (exitCode !== 0) throw new Error(`${workspace} does not compile:\n${output}`);
}
