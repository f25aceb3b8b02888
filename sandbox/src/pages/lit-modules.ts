import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The name or path of every module that a module imports. */
const IMPORTS = /(?<=\b(?:from|import)\s*["'])[^"'\s]+(?=["'])/g;

const SOURCE_MAP = /^\/\/# sourceMappingURL=.*$/m;

/** Where the modules of packages are. */
export const MODULES_PATH = '/assets/modules/';

/**
 * Reads a module of the pages and every one it imports from a package, by address: a browser knows
 * no packages, so that each import names the address of the other.
 */
export async function readModules(entry: URL): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  await add(entry, `/assets/${entry.pathname.split('/').at(-1)}`);
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

/** The file a browser would load, which is not the one that Node would. */
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
