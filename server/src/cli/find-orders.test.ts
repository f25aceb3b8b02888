import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { findOrders } from './find-orders.ts';

const ORDERS = 4_500; // more than two pages

describe.each(DATABASES)('finding orders on %s', (kind) => {
  let home: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    home = await makeDatabaseUrl(kind);
    database = await openDatabase(home.url, PATIENT_DATABASE);
    for (let at = 0; at < ORDERS; at += 500) {
      const rows = Array.from({ length: 500 }, (_, more) => toRow(at + more));
      await database.db.insertInto('service_pay_payments').values(rows).execute();
    }
  });

  afterAll(async () => {
    await database.close();
    await home.drop();
  });

  test('finding orders goes back to the oldest payment, page by page, also where many are of one moment', async () => {
    expect(await findOrders(database.db, 'customer-0@')).toMatchObject([{ reference: 'ref-0' }]);
    expect(await findOrders(database.db, 'nobody@')).toEqual([]);
  });

  test('finding orders lists the newest fifty of many', async () => {
    const found = await findOrders(database.db, '@shop.example');

    expect(found).toHaveLength(50);
    expect(found[0]!.createdAt).toBe(toRow(ORDERS - 1).created_at);
  });

  test('finding orders reads from a view that nobody can write to', async () => {
    const write = sql`update service_pay_orders set state = 'paid'`.execute(database.db);

    await expect(write).rejects.toThrow(/view/);
  });
});

function toRow(at: number) {
  const moment = Math.floor(at / 100); // a hundred at once
  return {
    reference: `ref-${at}`,
    order_id: `order-${at}`,
    owner: 'ann',
    data: JSON.stringify({ email: `customer-${at}@shop.example` }),
    amount: '1.00',
    currency: 'ZMW',
    state: 'awaiting-payment' as const,
    review_reason: null,
    created_at: moment,
    moved_at: moment,
    check_at: 1,
    check_pause_ms: 1,
  };
}
