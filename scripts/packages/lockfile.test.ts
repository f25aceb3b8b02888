import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../programs/run-tool.ts';
import { PACKAGES, type PackageFolder } from './packages.ts';

interface LockedPackage {
  version?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
  resolved?: string;
}

const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { workspaces, allowScripts } = readJson('package.json') as {
  workspaces: string[];
  allowScripts: Record<string, boolean>;
};

describe('the lockfile', () => {
  const packages = readJson('package-lock.json').packages as Record<string, LockedPackage>;

  test('the lockfile names the binaries of every platform: npm ci rejects it otherwise', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
      ),
    );

    expect(missing).toEqual([]);
  });

  test('the lockfile holds no address of a registry: each machine uses its own', () => {
    const fromRegistry = Object.values(packages).filter(({ resolved }) =>
      resolved?.startsWith('http'),
    );

    expect(fromRegistry).toEqual([]);
  });

  test('the lockfile has an entry in allowScripts for every package with an install script', () => {
    const scripted = Object.keys(packages).filter(
      (path) => packages[path]?.hasInstallScript && !packages[path].optional,
    );

    expect(
      scripted
        .map((path) => path.replace(/^.*node_modules\//, ''))
        .filter((name) => !Object.hasOwn(allowScripts, name)),
    ).toEqual([]);
  });
});

describe('every manifest', () => {
  const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

  test('every manifest names exact versions, but for the dependencies of a published package', () => {
    // the last three have no lockfile
    const folders = ['.', ...workspaces, 'docs/.vitepress', 'e2e/apps', 'e2e/merchant'];
    const ranges = folders.flatMap((folder) => {
      const { dependencies = {}, devDependencies = {} } = readJson(join(folder, 'package.json'));
      const own = PACKAGES.includes(folder as PackageFolder) ? {} : dependencies;
      return Object.entries<string>({ ...own, ...devDependencies }).filter(
        ([, version]) => !EXACT.test(version),
      );
    });

    expect(ranges).toEqual([]);
  });

  test.each(PACKAGES)(
    'the manifest of %s pins our packages, and lets others be newer than the version we test with',
    (folder) => {
      const { packages } = readJson('package-lock.json');
      for (const [name, range] of Object.entries<string>(
        readJson(`${folder}/package.json`).dependencies,
      )) {
        const tested = (
          packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
        ).version;
        if (name.startsWith('@service-pay/')) expect(range, name).toMatch(EXACT);
        else expect(range, name).toBe(`^${tested}`);
      }
    },
  );
});
