import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  type TestDatabase,
} from '../../test/database.ts';
import { type Database, openDatabase } from '../database/open.ts';
import type { PaymentState } from '../database/schema.ts';
import { FiguresStore } from './figures.ts';

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

  const read = async (now = NOW) => new FiguresStore(database).read(now);

  /** A payment that was made so long ago and is to be asked about at a time. */
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

  test('of an empty shop are nought, and nothing has an age', async () => {
    const { payments, fulfilments, ...others } = await read();

    expect(others).toEqual({
      oldestAwaitingMs: undefined,
      overdue: 0,
      overdueMs: undefined,
      deliveriesNotHandled: 0,
      oldestDeliveryNotHandledMs: undefined,
    });
    expect(payments.reduce((sum, { count }) => sum + count, 0)).toBe(0);
    expect(fulfilments.map(({ state, count }) => [state, count])).toEqual([
      ['waiting', 0],
      ['parked', 0],
    ]);
  });

  test('count payments once each, by state and age, and those that should have been asked about', async () => {
    for (const ageMs of [0, 4 * MINUTE, 5 * MINUTE, 59 * MINUTE, 60 * MINUTE])
      await pay('awaiting-payment', ageMs);
    await pay('needs-review', 3 * 24 * 60 * MINUTE);
    await pay('expired', 40 * 24 * 60 * MINUTE, NOW - 2_000);
    await pay('failed', MINUTE, NOW - 90_000);
    await pay('paid', MINUTE, NOW - 90_000);

    const { payments, oldestAwaitingMs, overdue, overdueMs } = await read();

    expect(
      payments
        .filter(({ count }) => count)
        .map(({ state, age, count }) => `${state} ${age} ${count}`)
        .sort(),
    ).toEqual([
      'awaiting-payment 1d 1',
      'awaiting-payment 1h 2',
      'awaiting-payment 5m 2',
      'expired older 1',
      'failed 5m 1',
      'needs-review 30d 1',
      'paid 5m 1',
    ]);
    expect([oldestAwaitingMs, overdue, overdueMs]).toEqual([60 * MINUTE, 2, 90_000]);
  });

  test('count webhooks of open payments that are not decided, and no others', async () => {
    const { reference: open } = await pay('awaiting-payment', 0);
    const { reference: paid } = await pay('paid', 0);
    await receive(open, 7_000, null);
    await receive(open, 3_000, null);
    await receive(open, 90_000, NOW);
    await receive(paid, 80_000, null);
    await receive('of-another-system', 70_000, null);
    await receive(null, 60_000, null);

    const { deliveriesNotHandled, oldestDeliveryNotHandledMs } = await read();

    expect([deliveriesNotHandled, oldestDeliveryNotHandledMs]).toEqual([2, 7_000]);
  });

  test('count webhooks that announce an end alone: of one that was begun nobody waits for more than it says (D43)', async () => {
    const { deliveriesNotHandled: before } = await read();
    const { reference } = await pay('awaiting-payment', 0);
    await receive(reference, 95_000, null, 'collection.initiated');
    await receive(reference, 95_000, null, 'of.tomorrow');
    await receive(reference, 85_000, null, 'collection.failed');
    await receive(reference, 75_000, null, 'collection.settled');

    const { deliveriesNotHandled, oldestDeliveryNotHandledMs } = await read();

    expect([deliveriesNotHandled - before, oldestDeliveryNotHandledMs]).toEqual([2, 85_000]);
  });

  test('count webhooks of ours behind more of another system than are counted', async () => {
    const { deliveriesNotHandled: before } = await read();
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

    const { deliveriesNotHandled, oldestDeliveryNotHandledMs } = await read();

    expect([deliveriesNotHandled - before, oldestDeliveryNotHandledMs]).toEqual([1, 99_000]);
  });

  test('count what is paid and not handed over', async () => {
    await owe('waiting', 5_000);
    await owe('parked', 60_000);
    await owe('parked', 90_000);
    await owe('done', 120_000);

    expect((await read()).fulfilments).toEqual([
      { state: 'waiting', count: 1, oldestMs: 5_000 },
      { state: 'parked', count: 2, oldestMs: 90_000 },
    ]);
  });
});
