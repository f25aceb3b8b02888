import { ROOT } from '../programs/run-tool.ts';

/**
 * Bundles the script of a demo page that is written in TypeScript or JSX, for production, in
 * memory.
 */
export async function buildPageScript(source: string): Promise<string> {
  // Imported here, so that a start does not wait for it.
  const { build } = await import('vite');
  const result = await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: { input: source },
    },
  });
  if (!('output' in result)) throw new Error(`${source} was not built in one piece.`);
  const [script] = result.output;
  return script.code;
}
