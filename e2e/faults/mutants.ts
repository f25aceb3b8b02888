import { registerHooks } from 'node:module';

import { MUTANTS } from './mutant-table.ts';

/**
 * Loads the mutant in this process in place of the file that it replaces. Packages that a merchant
 * installs have no such hook.
 */
export async function loadInstead(name: string): Promise<void> {
  const parts = { ...(await importSound(name)), ...(await importMutant(name)) };
  const sound = urlOf(name);
  Object.assign(globalThis, { mutant: parts });
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url === sound ? { url: `mutant:${name}`, shortCircuit: true } : found;
    },
    load: (url, context, next) =>
      url === `mutant:${name}`
        ? {
            format: 'module',
            source: `export const { ${Object.keys(parts).join(', ')} } = globalThis.mutant;`,
            shortCircuit: true,
          }
        : next(url, context),
  });
}

/** Returns the wrong exports of a mutant. */
export async function importMutant(name: string): Promise<Record<string, unknown>> {
  return MUTANTS[name]!.spoil(await importSound(name));
}

export function importSound(name: string): Promise<Record<string, unknown>> {
  return import(urlOf(name));
}

function urlOf(name: string): string {
  return new URL(`../../${MUTANTS[name]!.file}`, import.meta.url).href;
}
