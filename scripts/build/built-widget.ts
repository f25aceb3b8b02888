import { join } from 'node:path';
import { ROOT, runNode } from '../programs/run-tool.ts';
import { isStale } from './is-stale.ts';

const SOURCES = [
  'widget/src',
  'widget/package.json',
  'contract/src',
  'sandbox/pages',
  'vite.config.ts',
  'scripts/build.ts',
  'scripts/build/script-inventory.ts',
];

/**
 * Builds the widget and the sandbox's pages if their sources have changed since the last build. Throws if the build fails.
 */
export async function buildStaleWidget(): Promise<void> {
  const sources = SOURCES.map((source) => join(ROOT, source));
  if (!isStale(join(ROOT, 'widget/dist/js/v1/integrity.json'), sources)) return;
  console.log('Building the widget, which takes a few seconds.');
  await buildWidget();
}

export async function buildWidget(): Promise<void> {
  const { exitCode, output } = await runNode([join(ROOT, 'scripts/build.ts'), 'widget'], {
    quiet: true,
  });
  if (exitCode !== 0) throw new Error(`The widget could not be built:\n${output}`);
}
