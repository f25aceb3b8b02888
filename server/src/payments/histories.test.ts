import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HistoryPlayer, histories, KNOWN_HISTORIES } from '../../test/histories.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { PaymentStore } from './store.ts';

/** A late failure undoes a payment. */
class UndoesPayments extends PaymentStore {
  override move(...[reference, move]: Parameters<PaymentStore['move']>) {
    const undone = ['paid', 'needs-review', 'expired'] as const;
    const from = move.to === 'failed' ? [...move.from, ...undone] : move.from;
    return super.move(reference, { ...move, from });
  }
}

/** A payment that failed stays failed when its money arrives after all. */
class TakesFailureForFinal extends PaymentStore {
  override async markPaid(...given: Parameters<PaymentStore['markPaid']>) {
    const payment = await this.findPayment(given[0]);
    return payment?.state === 'failed' ? undefined : super.markPaid(...given);
  }
}

/** A second payment of an order is kept, which is for a person to decide. */
class KeepsSecondPayments extends PaymentStore {
  override async markPaid(...given: Parameters<PaymentStore['markPaid']>) {
    const state = await super.markPaid(...given);
    if (state === 'needs-review')
      await this.accept({ reference: given[0], who: 'nobody', now: given[1] });
    return state && 'paid';
  }
}

const { DRAW_ANEW, HISTORIES } = process.env;
const RUNS = {
  sqlite: Number(HISTORIES ?? (DRAW_ANEW ? 1_500 : 25)),
  postgres: DRAW_ANEW ? 60 : 25,
};

/** Enough to notice each mistake. Others might not be. */
const SAME_DRAWS = { seed: 20_261_123, numRuns: 50 };

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

  test('every history ends as the model says: forward only, one fulfilment for a paid order, none for another (F13, T87, T98)', {
    timeout: 30 * 60_000,
  }, async () => {
    const player = new HistoryPlayer(database);

    await fc.assert(
      fc.asyncProperty(histories, (steps) => player.play(steps)),
      {
        numRuns: RUNS[kind],
        examples: KNOWN_HISTORIES.map((steps) => [steps]),
      },
    );
  });
});

test.each([
  ['undoes payments', UndoesPayments],
  ['takes a failure for final', TakesFailureForFinal],
  ['keeps second payments', KeepsSecondPayments],
])('the histories notice a store that %s (F10, F13)', async (_what, Store) => {
  const made = await makeDatabaseUrl('sqlite');
  const database = await openDatabase(made.url, PATIENT_DATABASE);
  const player = new HistoryPlayer(database, Store);

  const { failed } = await fc.check(
    fc.asyncProperty(histories, (steps) => player.play(steps)),
    { ...SAME_DRAWS, endOnFailure: true, examples: KNOWN_HISTORIES.map((steps) => [steps]) },
  );

  await database.close();
  await made.drop();
  expect(failed).toBe(true);
});
