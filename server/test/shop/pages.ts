import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export const TAB_GLOBALS = [
  'window',
  'document',
  'location',
  'history',
  'localStorage',
  'sessionStorage',
  'navigator',
  'customElements',
  'FormData',
  'fetch',
  'setTimeout',
  'clearTimeout',
  'addEventListener',
  'removeEventListener',
  'AbortController',
  'EventSource',
  'Date',
] as const;

export type PageScript = (...globals: unknown[]) => void;

export async function buildPageScripts(
  names: readonly string[],
): Promise<ReadonlyMap<string, PageScript>> {
  const built = await Promise.all(
    names.map(async (name) => [`/assets/${name}`, await buildPageScript(name)] as const),
  );
  return new Map(built);
}

async function buildPageScript(name: string): Promise<PageScript> {
  const source = fileURLToPath(new URL(`../../../bff-example/assets/${name}`, import.meta.url));
  const result = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: { input: source, output: { format: 'iife' } },
    },
  });
  if (!('output' in result)) throw new Error(`${name} was not built in one piece.`);
  return new Function(
    ...TAB_GLOBALS,
    `${result.output[0].code}\n//# sourceURL=${basename(source)}`,
  ) as PageScript;
}
