import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import type { PaymentState } from '../database/schema.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { readFigures } from './figures.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

describe.each(DATABASES)('the figures on %s', (kind) => {
  let made: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    made = await makeDatabaseUrl(kind);
    database = await openDatabase(made.url, PATIENT_DATABASE);
  });

  afterAll(async () => {
    await database?.close();
    await made?.drop();
  });

  const read = (now = NOW) => readFigures(database, now);

  async function pay(
    state: PaymentState,
    ageMs: number,
    checkAt = NOW + MINUTE,
  ): Promise<{ orderId: string; reference: string }> {
    const orderId = randomUUID();
    const reference = randomUUID();
    const at = NOW - ageMs;
    const payment = {
      order_id: orderId,
      owner: 'b',
      data: '{}',
      amount: '1.00',
      currency: 'ZMW',
      state,
      review_reason: null,
      created_at: at,
      moved_at: at,
    };
    await database.db
      .insertInto('service_pay_payments')
      .values({ ...payment, reference, check_at: checkAt, check_pause_ms: 5_000 })
      .execute();
    return { orderId, reference };
  }

  async function receive(
    reference: string | null,
    ageMs: number,
    handledAt: number | null,
    event = 'collection.successful',
  ): Promise<void> {
    const delivery = { id: randomUUID(), event, reference, body: '{}', received_at: NOW - ageMs };
    await database.db
      .insertInto('service_pay_webhook_deliveries')
      .values({ ...delivery, handled_at: handledAt })
      .execute();
  }

  async function owe(state: 'waiting' | 'parked' | 'done', ageMs: number): Promise<void> {
    const { orderId, reference } = await pay('paid', ageMs);
    const lease = { lease_owner: null, lease_version: 0, lease_until: 0 };
    await database.db
      .insertInto('service_pay_fulfilments')
      .values({
        order_id: orderId,
        reference,
        state,
        attempts: 0,
        due_at: NOW,
        ...lease,
        created_at: NOW - ageMs,
      })
      .execute();
  }

  test('the figures of an empty shop are nought, and nothing has an age', async () => {
    const { payments, ...others } = await read();

    expect(Object.values(payments)).toEqual([0, 0, 0, 0, 0, 0]);
    const none = { count: 0, oldestMs: undefined };
    expect(others).toEqual({ overdue: none, deliveries: none, waiting: none, parked: none });
  });

  test('the figures count payments once each, by state, and those that should have been polled', async () => {
    for (const ageMs of [0, 4 * MINUTE, 60 * MINUTE]) await pay('awaiting-payment', ageMs);
    await pay('needs-review', 3 * 24 * 60 * MINUTE);
    await pay('expired', 40 * 24 * 60 * MINUTE, NOW - 2_000);
    await pay('failed', MINUTE, NOW - 90_000);
    await pay('paid', MINUTE, NOW - 90_000);

    const { payments, overdue } = await read();

    expect(payments).toEqual({
      'awaiting-payment': 3,
      paid: 1,
      failed: 1,
      expired: 1,
      'needs-review': 1,
      refused: 0,
    });
    expect(overdue).toEqual({ count: 2, oldestMs: 90_000 });
  });

  test('the figures count webhooks of open payments that are not decided, and no others', async () => {
    const { reference: open } = await pay('awaiting-payment', 0);
    const { reference: paid } = await pay('paid', 0);
    await receive(open, 7_000, null);
    await receive(open, 3_000, null);
    await receive(open, 90_000, NOW);
    await receive(paid, 80_000, null);
    await receive('of-another-system', 70_000, null);
    await receive(null, 60_000, null);

    expect((await read()).deliveries).toEqual({ count: 2, oldestMs: 7_000 });
  });

  test('the figures count webhooks that announce an end alone: of one that was begun nobody waits for more than it says (D43)', async () => {
    const before = (await read()).deliveries.count;
    const { reference } = await pay('awaiting-payment', 0);
    await receive(reference, 95_000, null, 'collection.initiated');
    await receive(reference, 95_000, null, 'of.tomorrow');
    await receive(reference, 85_000, null, 'collection.failed');
    await receive(reference, 75_000, null, 'collection.settled');

    expect((await read()).deliveries).toEqual({ count: before + 2, oldestMs: 85_000 });
  });

  test('the figures count webhooks of ours behind more of another system than are counted', async () => {
    const before = (await read()).deliveries.count;
    await sql`
      with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < 10000)
      insert into service_pay_webhook_deliveries (id, event, reference, body, received_at)
      select 'stray-' || i, 'collection.successful', 'another-' || i, '{}', ${sql.lit(NOW - 100_000)} from numbers`.execute(
      database.db,
    );
    const { reference } = await pay('expired', 0);
    await receive(`shop-${reference}`, 99_000, null);
    await database.db
      .updateTable('service_pay_payments')
      .set({ reference: `shop-${reference}` })
      .where('reference', '=', reference)
      .execute();

    expect((await read()).deliveries).toEqual({ count: before + 1, oldestMs: 99_000 });
  });

  test('the figures count what is paid and not handed over', async () => {
    await owe('waiting', 5_000);
    await owe('parked', 60_000);
    await owe('parked', 90_000);
    await owe('done', 120_000);

    const { waiting, parked } = await read();

    expect(waiting).toEqual({ count: 1, oldestMs: 5_000 });
    expect(parked).toEqual({ count: 2, oldestMs: 90_000 });
  });
});
