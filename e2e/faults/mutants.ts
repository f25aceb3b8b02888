/**
 * A mutant is a module in `mutants/` with one mistake. It has the exports of a module of the shop, one
 * of them wrong, and names that module as `insteadOf`. What a merchant installs knows nothing of it.
 */
import { registerHooks } from 'node:module';

/** From now on, this process gets the mutant when it loads the module that the mutant replaces. */
export async function loadInstead(name: string): Promise<void> {
  const { insteadOf } = await importMutant(name); // loads the sound module for the mutant's own use
  const sound = import.meta.resolve(insteadOf!);
  const url = import.meta.resolve(pathOf(name));
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url === sound ? { ...found, url } : found;
    },
  });
}

/** Imports a mutant; without a name, nothing. */
export async function importMutant(name: string | undefined): Promise<{ insteadOf?: string }> {
  return name === undefined ? {} : import(pathOf(name));
}

function pathOf(name: string): string {
  return `./mutants/${name}.ts`;
}
