import { OperatorStore } from '@service-pay/server/cli/operator-store';
import { type Database, openDatabase } from '@service-pay/server/database/open';
import type { Tables } from '@service-pay/server/database/schema';
import { FulfilmentStore } from '@service-pay/server/fulfilment/store';
import { HousekeepingStore } from '@service-pay/server/observe/housekeeping-store';
import { NEVER, ShopStore } from '@service-pay/server/payments/store';
import {
  asDatabase,
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  readRows,
  type TestDatabase,
} from '@service-pay/server/test/database';
import { PATIENT } from '@service-pay/server/test/manual-clock';
import SqliteFile from 'better-sqlite3';
import { type CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 1);
const LONGEST = {
  checkMs: 6 * HOUR,
  shortCheckMs: HOUR,
  givesUpMs: 30 * DAY,
  retryMs: 2_000,
  leaseMs: 2_000,
};
const ORDER = {
  browserId: 'b',
  customer: { email: 'a@b.c' },
  lines: [],
  amount: '92.50',
  currency: 'ZMW',
};

/** More than one statement takes. */
const MANY = 1_200;

describe.each(DATABASES)('housekeeping on %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let housekeeping: HousekeepingStore;
  let store: ShopStore;
  let fulfilments: FulfilmentStore;

  beforeEach(async () => {
    testDatabase = await makeDatabaseUrl(kind);
    database = await openDatabase(testDatabase.url, PATIENT_DATABASE);
    [housekeeping, store, fulfilments] = [
      new HousekeepingStore(database),
      new ShopStore(database),
      new FulfilmentStore(database),
    ];
  });

  afterEach(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const rows = <Row>(statement: string) => readRows<Row>(testDatabase.url, statement);
  const place = (reference: string, checkAt = NOW, madeAt = NOW - DAY) =>
    store.placeOrder({ ...ORDER, id: `order of ${reference}` }, reference, checkAt, madeAt);

  test('forgets every key of a day ago, however many there are, and no other (T67)', async () => {
    await write(
      `insert into idempotency_keys ${numbers} select 'b', 'old ' || n, 'h', 'r', ${NOW} - n from numbers`,
    );
    await write(`insert into idempotency_keys values ('b', 'new', 'h', 'r', ${NOW})`);

    await vi.waitFor(() => housekeeping.forgetKeys(NOW), PATIENT);

    expect(await rows('select key from idempotency_keys')).toEqual([{ key: 'new' }]);
  });

  test('closes deliveries of a day ago that wait for nothing: their payment is decided, or there is none (T86)', async () => {
    for (const reference of ['paid', 'open']) await place(reference);
    await write(`
      insert into webhook_deliveries ${numbers}
      select 'of another ' || n, 'collection.successful', 'another ' || n, '{}', ${NOW} - n, cast(null as integer) from numbers`);
    const delivery = { event: 'collection.successful', body: '{}', received_at: NOW - 1 };
    for (const reference of ['paid', 'open'])
      await store.storeDelivery({ ...delivery, id: `of ${reference}`, reference }, NOW);
    await store.storeDelivery(
      { ...delivery, id: 'of today', reference: 'today', received_at: NOW },
      NOW,
    );
    // As where a delivery is stored at the very moment its payment moves: neither sees the other.
    await write(`update payments set state = 'paid' where reference = 'paid'`);

    await vi.waitFor(() => housekeeping.closeStrayDeliveries(NOW, NOW + 9), PATIENT);

    expect(
      await rows('select id from webhook_deliveries where handled_at is null order by id'),
    ).toEqual([{ id: 'of open' }, { id: 'of today' }]);
    expect(
      await rows('select distinct handled_at from webhook_deliveries where handled_at is not null'),
    ).toEqual([{ handled_at: NOW + 9 }]);
  });

  test('pulls ahead what only a clock that was ahead can have planned (T111)', async () => {
    await writeOrders();
    await write(`
      insert into payments ${numbers}
      select 'ahead ' || n, 'o' || n, '92.50', 'ZMW', 'awaiting-payment', cast(null as text), ${NOW}, ${NOW}, ${NOW + DAY} + n, 5000 from numbers`);
    await place('planned', NOW + 6.6 * HOUR);
    await place('given up', NEVER, NOW - 31 * DAY);
    for (const reference of ['paid', 'failed']) {
      await place(reference);
      await store.markPaid(reference, NOW);
    }
    await write(`update fulfilments set due_at = ${NOW + HOUR} where reference = 'paid'`);
    await write(
      `update fulfilments set due_at = ${NOW + HOUR}, attempts = 10 where reference = 'failed'`,
    );

    await vi.waitFor(() => housekeeping.pullAhead(NOW, LONGEST), PATIENT);

    expect(
      await rows(
        `select reference, check_at from payments where check_at > ${NOW} order by reference`,
      ),
    ).toEqual([
      { reference: 'given up', check_at: NEVER },
      { reference: 'planned', check_at: NOW + 6.6 * HOUR },
    ]);
    expect(await rows('select reference, due_at from fulfilments order by reference')).toEqual([
      { reference: 'failed', due_at: NOW + HOUR },
      { reference: 'paid', due_at: NOW },
    ]);
  });

  test('pulls ahead what is due later than its own pause is long, and what was given up before its time (T111)', async () => {
    const plans = {
      'hours behind its pause': { madeAt: NOW - HOUR, pauseMs: 5_000, checkAt: NOW + 2.1 * HOUR },
      'made by the clock that was ahead': {
        madeAt: NOW + 9 * HOUR,
        pauseMs: 60_000,
        checkAt: NOW + 9 * HOUR,
      },
      'late of a long pause': {
        madeAt: NOW - 5 * DAY,
        pauseMs: 2 * HOUR,
        checkAt: NOW + 4.1 * HOUR,
      },
      'given up too early': { madeAt: NOW - 29 * DAY, pauseMs: 6 * HOUR, checkAt: NEVER },
      'told of when it was given up': {
        madeAt: NOW - 31 * DAY,
        pauseMs: 5_000,
        checkAt: NOW + 40 * DAY,
      },
      'put off by the service': { madeAt: NOW - HOUR, pauseMs: 5_000, checkAt: NOW + HOUR },
      'of a long pause': { madeAt: NOW - 5 * DAY, pauseMs: 2 * HOUR, checkAt: NOW + 2.2 * HOUR },
      'given up': { madeAt: NOW - 30 * DAY, pauseMs: 6 * HOUR, checkAt: NEVER },
    };
    const sound = ['put off by the service', 'of a long pause', 'given up'] as const;
    for (const [reference, { madeAt, pauseMs, checkAt }] of Object.entries(plans)) {
      await place(reference, checkAt, madeAt);
      await write(
        `update payments set check_pause_ms = ${pauseMs} where reference = '${reference}'`,
      );
    }

    await vi.waitFor(() => housekeeping.pullAhead(NOW, LONGEST), PATIENT);

    expect(await rows(`select reference from payments where check_at = ${NOW}`)).toHaveLength(5);
    const left = await rows<{ reference: string; check_at: number }>(
      `select reference, check_at from payments where check_at <> ${NOW}`,
    );
    expect(
      Object.fromEntries(left.map(({ reference, check_at }) => [reference, check_at])),
    ).toEqual(Object.fromEntries(sound.map((reference) => [reference, plans[reference].checkAt])));
  });

  test('pulls ahead those who are young, however many there are among those who wait by right (T111)', async () => {
    await writeOrders();
    await write(`
      insert into payments ${numbers}
      select 'p' || n, 'o' || n, '92.50', 'ZMW', 'expired', cast(null as text), ${NOW}, ${NOW}, ${NOW + 3 * HOUR}, case when n % 3 = 0 then 5000 else ${2 * HOUR} end from numbers`);

    await vi.waitFor(() => housekeeping.pullAhead(NOW, LONGEST), PATIENT);

    expect(await rows(`select reference from payments where check_at = ${NOW}`)).toHaveLength(
      MANY / 3,
    );
    expect(
      await rows(
        `select reference from payments where check_pause_ms = 5000 and check_at > ${NOW}`,
      ),
    ).toEqual([]);
  });

  test('ends a lease that reaches too far as a fresh one ends, and leaves its holder the order until then (T111)', async () => {
    const now = Date.now(); // as on PostgreSQL, whose own time counts
    await place('r');
    await store.markPaid('r', now);
    const [held] = await fulfilments.claim('one', now, HOUR, 1);

    await housekeeping.pullAhead(now, { ...LONGEST, leaseMs: 60_000 });

    const [{ lease_until: until } = { lease_until: 0 }] = await rows<{ lease_until: number }>(
      'select lease_until from fulfilments',
    );
    expect(until).toBeGreaterThanOrEqual(now + 60_000);
    expect(until).toBeLessThan(now + HOUR / 2);
    expect(await fulfilments.claim('two', now + 30_000, 60_000, 1)).toEqual([]);
    expect(await fulfilments.renew(held!, 'one', now, 60_000)).toBe(true);
  });

  test('looks for nothing in a whole table, nor does a list of the newest deliveries', async () => {
    await place('young', NOW + 3 * HOUR);
    await write('update payments set check_pause_ms = 5000');
    await place('old', NOW + DAY, NOW - 31 * DAY);
    await place('paid');
    await store.markPaid('paid', NOW + DAY);
    await write(`insert into idempotency_keys values ('b', 'old', 'h', 'r', 1)`);
    await store.storeDelivery(
      { id: 'd', event: 'e', reference: 'unknown', body: '{}', received_at: 1 },
      1,
    );
    const watched = watch(kind, testDatabase.url);

    await new HousekeepingStore(watched.database).pullAhead(NOW, LONGEST);
    await new HousekeepingStore(watched.database).forgetKeys(NOW);
    await new HousekeepingStore(watched.database).closeStrayDeliveries(NOW, NOW);
    await new OperatorStore(watched.database).findDeliveries(20);
    const found = await watched.plans();
    await watched.database.close();

    const used = (index: string) =>
      found.filter(({ plan }) => plan.includes(index)).map(({ verb }) => verb);
    expect(used('payments_by_state')).toEqual(['select', 'update', ...Array(4).fill('select')]);
    expect(used('payments_due')).toEqual(['select', 'update', 'select']);
    expect(used('fulfilments_due')).toEqual(['select', 'update', 'select']);
    expect(used('idempotency_keys_by_age')).toEqual(['select', 'delete', 'select']);
    expect(used('webhook_deliveries_waiting')).toEqual(['select', 'update', 'select']);
    expect(used('webhook_deliveries_by_age')).toEqual(['select']);
    expect(found).toHaveLength(19);
  });

  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})`;

  /** Many orders, `o1` and on. */
  const writeOrders = () =>
    write(`
      insert into orders ${numbers}
      select 'o' || n, 'b', '{}', '[]', '92.50', 'ZMW', cast(null as text), ${NOW} from numbers`);

  /** Writes as another program would, however long it takes. */
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

/**
 * A database that tells how it goes about the statements it was given. PostgreSQL is kept from
 * reading small tables as a whole.
 */
function watch(
  kind: Database['kind'],
  url: string,
): { database: Database; plans(): Promise<{ verb: string; plan: string }[]> } {
  const queries: CompiledQuery[] = [];
  const log = ({ query }: { query: CompiledQuery }) => void queries.push(query);
  const file = kind === 'sqlite' ? new SqliteFile(url.slice('file:'.length)) : undefined;
  const options = '-c enable_seqscan=off -c enable_sort=off';
  const pool = file ? undefined : new pg.Pool({ connectionString: url, max: 1, options });
  const db = new Kysely<Tables>({
    dialect: file ? new SqliteDialect({ database: file }) : new PostgresDialect({ pool: pool! }),
    log,
  });
  return {
    database: asDatabase(kind, db),
    async plans() {
      const plans = [];
      for (const { sql, parameters } of [...queries]) {
        const verb = sql.split(' ', 1)[0]!;
        if (!['select', 'update', 'delete'].includes(verb)) continue;
        const told = file
          ? file.prepare(`explain query plan ${sql}`).all(...parameters)
          : (await pool!.query(`explain ${sql}`, [...parameters])).rows;
        plans.push({ verb, plan: JSON.stringify(told) });
      }
      return plans;
    },
  };
}
