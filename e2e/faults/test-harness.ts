import { describe, expect, test } from 'vitest';

import { withBrokenBuild } from './broken-build.ts';
import type { DatabaseKind, Harness } from './harness.ts';

/** As long as a machine that does much else at once may take for the short form. */
const PATIENCE_MS = 180_000;

/** A kill at random hits the moment that matters more often than not, but not each time. */
const MOST_TRIES = 4;

/** Declares the tests of a harness: its short form on the shop as it is, and on each broken build, which it must notice. */
export function testHarness({ id, what, databases, run, broken }: Harness): void {
  describe.each(databases)(`${id} (${what}) on %s`, (database) => {
    test(`loses nothing (${id})`, { timeout: PATIENCE_MS }, async () => {
      const { failures, figures } = await run({ database, scale: 'short' });

      expect(failures, JSON.stringify(figures)).toEqual([]);
    });

    const builds = broken.filter((build) => showsOn(build.databases, database));
    test.each(builds)(`notices a shop that $name (F10, ${id})`, { timeout: PATIENCE_MS }, async ({ patches, script }) => {
      const isNoticed = await withBrokenBuild(patches, async (source) => {
        for (let tries = 1; tries <= MOST_TRIES; tries++) {
          const { failures } = await run({ database, scale: 'short', source, ...(script && { script }) });
          if (failures.length) return true;
        }
        return false;
      });

      expect(isNoticed).toBe(true);
    });
  });
}

function showsOn(databases: readonly DatabaseKind[] | undefined, database: DatabaseKind): boolean {
  return !databases || databases.includes(database);
}
