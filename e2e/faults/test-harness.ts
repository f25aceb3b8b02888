import { DATABASES } from '@service-pay/server/testing';
import { expect, test } from 'vitest';
import type { DatabaseKind, Harness } from './harness.ts';
import { brokenOn, notice } from './notice.ts';

const PATIENCE_MS = 240_000;

/**
 * Declares the tests of a harness: its short form, on the databases named or on all that it has.
 */
export function testHarness(
  { id, what, databases, whyNotHere, run }: Harness,
  ...named: DatabaseKind[]
): void {
  if (whyNotHere) {
    test.skip(`${id} (${what}) cannot be played on this machine: ${whyNotHere}`, () => {});
    return;
  }
  for (const database of named.length ? named : databases) {
    test.skipIf(!DATABASES.includes(database))(
      `${id} (${what}) on ${database} loses nothing`,
      { timeout: PATIENCE_MS },
      async () => {
        const { failures, figures } = await run({ database, scale: 'short' });

        expect(failures, JSON.stringify(figures)).toEqual([]);
      },
    );
  }
}

/**
 * Declares a test for each broken build of a harness, which its short form must notice. The
 * databases differ for the shop, hardly for the harness, so one is enough here: `npm run faults --
 * --broken` has them all.
 */
export function testBrokenBuilds(harness: Harness): void {
  const { id, databases, whyNotHere } = harness;
  const [database] = databases;
  if (whyNotHere || !database) return;
  const builds = brokenOn(harness, database).filter(({ isLong }) => !isLong);
  test.each(builds)(
    `${id} notices a shop that $name (F10)`,
    { timeout: PATIENCE_MS },
    async (build) => {
      expect(await notice(harness, build, { database })).not.toEqual([]);
    },
  );
}
