import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPayments } from '../../test/payments.ts';
import type { Payments } from '../create-payments.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

let home: TestDatabase;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let payments: Payments;
let status: string;

/** Confirms an order, and returns what that sent to the database. The worker sends its own. */
async function listStatements(reference: string): Promise<string[]> {
  const sent: string[] = [];
  const isOfConfirm = new AsyncLocalStorage<boolean>();
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    if (isOfConfirm.getStore()) sent.push((given[0] as pg.QueryConfig).text.trim());
    return Reflect.apply(query, this, given);
  });
  await isOfConfirm.run(true, () => payments.confirm(reference, ORDER));
  spy.mockRestore();
  return sent;
}

const reads = (statements: string[]) => statements.filter((text) => /^select reference/.test(text));

describe.skipIf(POSTGRES_IS_MISSING)('on PostgreSQL, a confirm', () => {
  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    status = 'successful';
    upstream = await startUpstream((req, res) => res.end(collectionResponse(req.url!, { status })));
    payments = await openPayments({
      apiUrl: upstream.url,
      database: home.url,
      clock: new ManualClock(),
    });
  });

  afterEach(async () => {
    await payments.close();
    await upstream.close();
    await home.drop();
  });

  test('on PostgreSQL, a confirm that pays an order reads its payment once, and sends six statements (B21)', async () => {
    const { reference } = await payments.create(ORDER);

    const sent = await listStatements(reference);

    expect(await payments.find(reference, ORDER)).toMatchObject({ state: 'paid' });
    expect(reads(sent)).toHaveLength(1);
    expect(sent).toHaveLength(6);
  });

  test('on PostgreSQL, a confirm that leaves a payment pending reads it once, and claims the turn to verify (B21)', async () => {
    status = 'pending';
    const { reference } = await payments.create(ORDER);

    const sent = await listStatements(reference);

    expect(upstream.calls).toHaveLength(1);
    expect(reads(sent)).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  test('on PostgreSQL, a confirm of a paid order reads it once, and calls nobody (B21)', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);

    const sent = await listStatements(reference);

    expect(upstream.calls).toHaveLength(1);
    expect(sent).toHaveLength(1);
  });
});
