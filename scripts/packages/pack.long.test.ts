import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, runProgram } from '../programs/run-tool.ts';
import { pack } from './pack.ts';
import { PACKAGES } from './packages.ts';

const PATIENT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'service-pay-pack-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(PACKAGES)('%s rejects npm pack in its own folder', (workspace) => {
  const { prepack } = readManifest(workspace).scripts as Record<string, string>;

  expect(prepack).toBe('node ../scripts/packages/reject-pack.js');
});

describe.each(PACKAGES)('the packed %s', (workspace) => {
  const unpacked = join(folder, workspace);

  beforeAll(async () => {
    const tarball = join(folder, await pack(workspace, folder));
    mkdirSync(unpacked);
    await runProgram('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components', '1'], {
      quiet: true,
    });
  }, PATIENT_MS);

  test(`the packed ${workspace} links to addresses only, so that its pages work in a registry`, () => {
    const pages = globSync('**/*.md', { cwd: unpacked });
    const links = pages.flatMap((page) =>
      [...readFileSync(join(unpacked, page), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
        ([, link = '']) => link,
      ),
    );

    expect(pages).toContain('README.md');
    expect(links.filter((link) => !/^(?:https?:|#)/.test(link))).toEqual([]);
  });

  test(`the packed ${workspace} shows no private number in its declarations`, () => {
    const declarations = globSync('dist/**/*.d.ts', { cwd: unpacked });

    expect(declarations.length).toBeGreaterThan(0);
    expect(
      declarations.filter((file) =>
        /\b(?:[DTUFB][1-9]\d{0,2}|specification \d)\b/.test(
          readFileSync(join(unpacked, file), 'utf8'),
        ),
      ),
    ).toEqual([]);
  });

  test(`the packed ${workspace} depends on the types that its entries show, and may augment each framework it names`, () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(unpacked, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>;
    const declared = { ...dependencies, ...peerDependencies };
    const needed = [...typesShownBy(unpacked)].map((name) => {
      const isTyped = existsSync(join(ROOT, 'node_modules/@types', name));
      return isTyped ? `@types/${name}` : name;
    });

    expect(needed.filter((name) => !name.startsWith('node:') && !(name in declared))).toEqual([]);
  });

  test(`the packed ${workspace} lets tools read its manifest`, () => {
    const { exports } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));

    expect(exports['./package.json']).toBe('./package.json');
  });

  test(`the packed ${workspace} says where its source is`, () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));

    expect(manifest.repository.directory).toBe(workspace);
    expect(manifest.homepage).toContain(`/${workspace}#readme`);
  });
});

describe('the packed server', () => {
  const unpacked = join(folder, 'package');
  let manifest: {
    exports: Record<string, string | { types: string; default: string }>;
    bin: Record<string, string>;
  };

  beforeAll(async () => {
    const tarball = join(folder, await pack('server', folder));
    expect(await runProgram('tar', ['-xzf', tarball, '-C', folder], { quiet: true })).toMatchObject(
      { exitCode: 0 },
    );
    manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  });

  test('the packed server has the entries of its source but those for this project, and a file for each', () => {
    const { exports } = readManifest('server');
    const entries = Object.keys(exports as object).filter((entry) => !entry.includes('*'));

    expect(Object.keys(manifest.exports)).toEqual(entries);
    expect(entries).toEqual(expect.arrayContaining(['.', './express', './fetch']));
    const files = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const file of [...files, ...Object.values(manifest.bin)])
      expect(existsSync(join(unpacked, file)), file).toBe(true);
  });

  test('the packed server has every entry that the template imports', () => {
    const imported = readdirSync(join(ROOT, 'bff-example/src'))
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => [
        ...readFileSync(join(ROOT, 'bff-example/src', file), 'utf8').matchAll(
          /from '@service-pay\/server(\/[^']+)?'/g,
        ),
      ])
      .map(([, path = '']) => `.${path}`);

    expect(imported.length).toBeGreaterThan(0);
    for (const entry of imported) expect(manifest.exports, entry).toHaveProperty([entry]);
  });

  test('the packed server carries no test and no script of this project', () => {
    const files = readdirSync(unpacked, { recursive: true }) as string[];

    expect(files.filter((file) => /\.test\.|(?:^|\/)test\//.test(file))).toEqual([]);
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).not.toHaveProperty('devDependencies');
  });
});

/** Returns the packages that the declarations of an unpacked package's entries name. */
function typesShownBy(unpacked: string): Set<string> {
  const { exports } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const shown = new Set<string>();
  const files = new Set(
    Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [] : [join(unpacked, target.types)],
    ),
  );
  // Grows while it is walked.
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import\(?|module) ?'([^']+)'/g))
      if (name.startsWith('.'))
        files.add(join(dirname(file), name.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')));
      else shown.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  }
  return shown;
}

function readManifest(workspace: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
}
