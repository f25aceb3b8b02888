import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  type TestDatabase,
} from '../../test/database.ts';
import { HistoryPlayer, histories, KNOWN_HISTORIES } from '../../test/histories.ts';
import { type Database, openDatabase } from '../database/open.ts';

describe.each(DATABASES)('on %s', (kind) => {
  let database: Database;
  let made: TestDatabase;

  beforeAll(async () => {
    made = await makeDatabaseUrl(kind);
    database = await openDatabase(made.url, PATIENT_DATABASE);
  });

  afterAll(async () => {
    await database.close();
    await made.drop();
  });

  test('every history ends as the model says: forward only, one fulfilment for a paid order, none for another (F13, T87, T98)', async () => {
    const player = new HistoryPlayer(database);

    await fc.assert(
      fc.asyncProperty(histories, (steps) => player.play(steps)),
      {
        numRuns: process.env.DRAW_ANEW ? 60 : 25,
        examples: KNOWN_HISTORIES.map((steps) => [steps]),
      },
    );
  });
});
