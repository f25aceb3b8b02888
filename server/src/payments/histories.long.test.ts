import fc from 'fast-check';
import { expect, test } from 'vitest';

import { HistoryPlayer, histories } from '../../test/histories.ts';
import { openDatabase } from '../database/open.ts';
import { makeDatabaseUrl } from '../testing/databases.ts';

const LANES = 5;

test('10,000 random histories end as the model says (F13)', { timeout: 30 * 60_000 }, async () => {
  const made = await makeDatabaseUrl('sqlite');
  const database = await openDatabase(made.url);
  const player = new HistoryPlayer(database);

  const runs = await Promise.all(
    Array.from({ length: LANES }, () =>
      fc.check(
        fc.asyncProperty(histories, (steps) => player.play(steps)),
        { numRuns: 10_000 / LANES, endOnFailure: true },
      ),
    ),
  );
  await database.close();
  await made.drop();

  expect(
    runs.map(({ counterexample, errorInstance }) => ({ counterexample, errorInstance })),
  ).toEqual(runs.map(() => ({ counterexample: null, errorInstance: null })));
});
