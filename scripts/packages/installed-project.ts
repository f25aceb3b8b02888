import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../programs/run-tool.ts';
import { pack } from './pack.ts';
import type { PackageFolder } from './packages.ts';

/** One quick retry, so that tests that need a registry fail fast without one. */
export const SHORT_RETRIES = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=2000',
  '--fetch-retry-maxtimeout=2000',
];

/** Installs the versions of a manifest without a lockfile, and without install scripts. */
export const UNLOCKED_INSTALL = [
  ...['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
  ...SHORT_RETRIES,
];

/**
 * Installs what a project's manifest names, unless it is installed already, and adds our packages,
 * packed. Returns its `node_modules`. Throws npm's output if the registry is not reachable.
 */
export async function installProject(
  folder: string,
  packages: readonly PackageFolder[],
): Promise<string> {
  const modules = join(folder, 'node_modules');
  const manifest = await readFile(join(folder, 'package.json'));
  const stamp = join(modules, '.installed');
  const wanted = createHash('sha256').update(manifest).digest('hex');
  const installed = existsSync(stamp) ? await readFile(stamp, 'utf8') : '';
  if (installed !== wanted) {
    const { exitCode, output } = await runProgram('npm', ['install', ...UNLOCKED_INSTALL], {
      cwd: folder,
      quiet: true,
    });
    if (exitCode !== 0)
      throw new Error(
        `${folder} could not be installed by npm install. It needs a package registry once:\n${output}`,
      );
    await writeFile(stamp, wanted);
  }
  for (const workspace of packages) await unpack(workspace, modules);
  return modules;
}

/**
 * Packs a package and unpacks it below a `node_modules`, as installing does. Returns the tarball.
 */
export async function unpack(workspace: PackageFolder, modules: string): Promise<string> {
  const target = join(modules, '@service-pay', workspace);
  const tarball = join(modules, '.packed', await pack(workspace, join(modules, '.packed')));
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const { exitCode, output } = await runProgram(
    'tar',
    ['-xzf', tarball, '-C', target, '--strip-components=1'],
    { quiet: true },
  );
  if (exitCode !== 0) throw new Error(`${tarball} could not be unpacked:\n${output}`);
  return tarball;
}
