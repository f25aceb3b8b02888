import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const IMPORTS = /(?<=\b(?:from|import)\s*["'])[^"'\s]+(?=["'])/g;

const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

export const MODULES_PATH = '/assets/modules/';

/**
 * Reads a module, served under `address`, and everything it imports from packages, by address.
 * Browsers cannot resolve package names, so each import is rewritten to an address.
 */
export async function readModules(
  entry: URL,
  address: string,
): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  await add(entry, address);
  return modules;

  async function add(file: URL, address: string): Promise<string> {
    if (modules.has(address)) return address;
    modules.set(address, '');
    const source = await readFile(file, 'utf8');
    const addresses = new Map<string, string>();
    for (const [name] of source.matchAll(IMPORTS)) {
      const imported = await resolve(name, file);
      addresses.set(name, await add(imported, addressOf(imported)));
    }
    const rewritten = source.replace(IMPORTS, (name) => addresses.get(name)!);
    modules.set(address, rewritten.replace(SOURCE_MAP, ''));
    return address;
  }
}

/** Resolves to the file for browsers, which differs from the one for Node. */
async function resolve(name: string, from: URL): Promise<URL> {
  if (name.startsWith('.')) return new URL(name, from);
  const [, packageName = '', path] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  const manifest = findPackageJSON(packageName, fileURLToPath(from));
  if (!manifest) throw new Error(`${packageName} is not installed.`);
  const { main } = JSON.parse(await readFile(manifest, 'utf8')) as { main: string };
  return new URL(path ?? main, pathToFileURL(manifest));
}

function addressOf({ pathname }: URL): string {
  return MODULES_PATH + pathname.split('/node_modules/').at(-1);
}
