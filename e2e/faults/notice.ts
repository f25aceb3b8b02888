import type { BrokenBuild, Harness, HarnessOptions } from './harness.ts';

/** A kill at random mostly hits the moment that matters, but not each time. */
const MOST_TRIES = 4;

export async function notice(
  harness: Harness,
  { name, script }: BrokenBuild,
  options: Omit<HarnessOptions, 'scale'>,
): Promise<string[]> {
  const mistake = script === undefined ? { mutant: name } : { script };
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const { failures } = await harness.run({ ...options, scale: 'short', ...mistake });
    if (failures.length) return failures;
  }
  return [];
}

export function brokenOn({ broken }: Harness, database: HarnessOptions['database']): BrokenBuild[] {
  return broken.filter(({ databases }) => !databases || databases.includes(database));
}
