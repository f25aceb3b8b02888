import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { newReference } from './create.ts';
import { tidyUp } from './housekeeping.ts';
import { findKeyUse } from './keys.ts';
import { PaymentStore } from './store.ts';
import { raiseAlerts } from './unknown-references.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 1);
const ORDER = {
  owner: 'b',
  data: {},
  amount: '92.50',
  currency: 'ZMW',
};

const MANY = 1_200;

describe.each(DATABASES)('housekeeping on %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: PaymentStore;

  beforeEach(async () => {
    testDatabase = await makeDatabaseUrl(kind);
    database = await openDatabase(testDatabase.url, PATIENT_DATABASE);
    store = new PaymentStore(database);
  });

  afterEach(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const rows = <Row>(statement: string) => readRows<Row>(testDatabase.url, statement);
  const place = (reference: string, checkAt = NOW, madeAt = NOW - DAY) =>
    store.placeOrder({ ...ORDER, id: `order of ${reference}` }, reference, {
      checkAt,
      now: madeAt,
    });

  test('housekeeping forgets every key of 30 days ago, however many there are, and no other (T67)', async () => {
    await write(
      `insert into service_pay_idempotency_keys ${numbers} select 'b', 'old ' || n, 'h', 'r', ${NOW} - n from numbers`,
    );
    await write(`insert into service_pay_idempotency_keys values ('b', 'new', 'h', 'r', ${NOW})`);

    await vi.waitFor(() => tidyUp(database, NOW + 30 * DAY), PATIENT);

    expect(await rows('select key from service_pay_idempotency_keys')).toEqual([{ key: 'new' }]);
  });

  test('housekeeping keeps the key of an order whose payment was opened again, so that the key makes no second order (T67)', async () => {
    const once = { key: 'again', requestHash: 'h', olderHash: 'h' };
    await store.placeOrder({ ...ORDER, id: 'o' }, 'r', { checkAt: NOW, now: NOW }, once);
    const payment = await store.findPayment('r');
    await store.reopen(payment!, { checkAt: NOW + 29 * DAY, now: NOW + 29 * DAY });

    await tidyUp(database, NOW + 31 * DAY);
    expect(await findKeyUse(database.db, 'b', once)).toEqual({ reference: 'r' });

    await tidyUp(database, NOW + 60 * DAY);
    expect(await findKeyUse(database.db, 'b', once)).toBeUndefined();
  });

  test('housekeeping closes deliveries of a day ago that wait for nothing: their payment is decided, or there is none (T86)', async () => {
    for (const reference of ['paid', 'open']) await place(reference);
    await write(`
      insert into service_pay_webhook_deliveries ${numbers}
      select 'of another ' || n, 'collection.successful', 'another ' || n, '{}', ${NOW} - n, cast(null as integer) from numbers`);
    const delivery = { event: 'collection.successful', body: '{}', received_at: NOW - 1 };
    for (const reference of ['paid', 'open'])
      await store.storeDelivery({ ...delivery, id: `of ${reference}`, reference }, NOW);
    await store.storeDelivery(
      { ...delivery, id: 'of today', reference: 'today', received_at: NOW },
      NOW,
    );
    // As where a delivery is stored at the very moment its payment moves: neither sees the other.
    await write(`update service_pay_payments set state = 'paid' where reference = 'paid'`);

    await vi.waitFor(() => tidyUp(database, NOW + DAY), PATIENT);

    expect(
      await rows(
        'select id from service_pay_webhook_deliveries where handled_at is null order by id',
      ),
    ).toEqual([{ id: 'of open' }, { id: 'of today' }]);
    expect(
      await rows(
        'select distinct handled_at from service_pay_webhook_deliveries where handled_at is not null',
      ),
    ).toEqual([{ handled_at: NOW + DAY }]);
  });

  test('housekeeping closes a webhook of money without a payment only after its alert, which is not raised again once its key is deleted (T143)', async () => {
    const reference = newReference(NOW);
    const delivery = { id: 'd', event: 'collection.successful', reference, body: '{}' };
    await store.storeDelivery({ ...delivery, received_at: NOW }, NOW);
    const open = 'select id from service_pay_webhook_deliveries where handled_at is null';
    const clock = new ManualClock(NOW + 2 * DAY);
    const lines: string[] = [];
    const raise = () =>
      raiseAlerts(database, { metrics: new Metrics(), clock, log: buildTestLog(lines) });

    await tidyUp(database, clock.now());
    expect(await rows(open)).toEqual([{ id: 'd' }]);
    await raise();
    await clock.jump(31 * DAY);
    await tidyUp(database, clock.now());
    await raise();

    expect(await rows(open)).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})`;

  async function write(statement: string): Promise<void> {
    if (kind === 'sqlite') {
      const file = new SqliteFile(testDatabase.url.slice('file:'.length));
      file.exec(statement);
      file.close();
      return;
    }
    const client = new pg.Client({ connectionString: testDatabase.url });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
});
