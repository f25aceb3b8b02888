import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../programs/run-tool.ts';
import { unpack } from './installed-project.ts';
import { PACKAGES, type PackageFolder } from './packages.ts';

/** A folder in which our packages are installed from their tarballs, as in a shop's repository. */
export interface PackedShop {
  readonly folder: string;
  readonly tarballs: Readonly<Record<PackageFolder, string>>;
  /** Lets npx run on this Node instead of an older one of the machine, and without a registry. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/**
 * Makes one below `node_modules`, which holds the packages' dependencies, so that nothing is
 * downloaded.
 */
export async function buildPackedShop(): Promise<PackedShop> {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.packed-shop-'));
  const modules = join(folder, 'node_modules');
  const tarballs = {} as Record<PackageFolder, string>;
  for (const workspace of PACKAGES) {
    tarballs[workspace] = await unpack(workspace, modules);
    await linkPrograms(join(modules, '@service-pay', workspace), join(modules, '.bin'));
  }
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'shop', private: true, type: 'module' }),
  );
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    npm_config_offline: 'true',
  };
  return { folder, tarballs, env, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function linkPrograms(packageFolder: string, bin: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>;
  };
  await mkdir(bin, { recursive: true });
  for (const [name, program] of Object.entries(manifest.bin ?? {})) {
    await chmod(join(packageFolder, program), 0o755);
    await symlink(join(packageFolder, program), join(bin, name));
  }
}
