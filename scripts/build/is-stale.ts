import { existsSync, readdirSync, statSync } from 'node:fs';

/**
 * Returns true if a product is missing, or older than any of the files and folders it is made from.
 * Tests do not count as sources.
 */
export function isStale(product: string, sources: string[]): boolean {
  if (!existsSync(product)) return true;
  const madeAt = statSync(product).mtimeMs;
  return sources.some((source) => newestIn(source) > madeAt);
}

export function newestIn(source: string): number {
  const info = statSync(source);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(source)
    .filter((name) => !name.endsWith('.test.ts'))
    .reduce((newest, name) => Math.max(newest, newestIn(`${source}/${name}`)), 0);
}
