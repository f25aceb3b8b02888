import { withBrokenBuild } from './broken-build.ts';
import type { BrokenBuild, Harness, HarnessOptions } from './harness.ts';

/** A kill at random mostly hits the moment that matters, but not each time. */
const MOST_TRIES = 4;

export async function notice(
  harness: Harness,
  { patches, script }: BrokenBuild,
  options: Omit<HarnessOptions, 'scale'>,
): Promise<string[]> {
  return withBrokenBuild(
    patches,
    async (source) => {
      for (let tries = 1; tries <= MOST_TRIES; tries++) {
        const { failures } = await harness.run({
          ...options,
          scale: 'short',
          source,
          ...(script && { script }),
        });
        if (failures.length) return failures;
      }
      return [];
    },
    options.source,
  );
}

export function brokenOn({ broken }: Harness, database: HarnessOptions['database']): BrokenBuild[] {
  return broken.filter(({ databases }) => !databases || databases.includes(database));
}
