import { describe, expect, test } from 'vitest';

import { DATABASES } from '../../bff-example/src/test-database.ts';
import type { Harness } from './harness.ts';
import { brokenOn, notice } from './notice.ts';

/** As long as a machine that does much else at once may take for the short form. */
const PATIENCE_MS = 240_000;

/** Declares the tests of a harness: its short form on the shop as it is, and on each broken build, which it must notice. */
export function testHarness(harness: Harness): void {
  const { id, what, databases, whyNotHere, run } = harness;
  if (whyNotHere) {
    test.skip(`${id} (${what}) cannot be played on this machine: ${whyNotHere}`, () => {});
    return;
  }
  for (const database of databases) {
    describe.skipIf(!DATABASES.includes(database))(`${id} (${what}) on ${database}`, () => {
      test(`loses nothing (${id})`, { timeout: PATIENCE_MS }, async () => {
        const { failures, figures } = await run({ database, scale: 'short' });

        expect(failures, JSON.stringify(figures)).toEqual([]);
      });

      // The databases differ in what the shop does, hardly in what the harness sees: `npm run faults -- --broken` has them all.
      const builds = database === databases[0] ? brokenOn(harness, database).filter(({ isLong }) => !isLong) : [];
      test.each(builds)(`notices a shop that $name (F10, ${id})`, { timeout: PATIENCE_MS }, async (build) => {
        expect(await notice(harness, build, { database })).not.toEqual([]);
      });
    });
  }
}
