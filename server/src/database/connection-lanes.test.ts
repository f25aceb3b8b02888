import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { payOrder } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { type ClaimedFulfilment, FulfilmentStore } from '../fulfilment/store.ts';
import { ping } from '../payments/ping.ts';
import { PaymentStore } from '../payments/store.ts';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';

const MANY = 20;

let home: TestDatabase;
let ended: string[];
let begun: Promise<void>[];
let closers: (() => Promise<unknown>)[];

describe.skipIf(POSTGRES_IS_MISSING)('of the connections to a PostgreSQL', () => {
  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    [ended, begun, closers] = [[], [], []];
  });

  afterEach(async () => {
    for (const close of closers.reverse()) await close();
    await home.drop();
  });

  async function open(place: string | pg.Pool, maxConnections?: number): Promise<Database> {
    const database = await openDatabase(place, { ...PATIENT_DATABASE, maxConnections });
    closers.push(database.close);
    return database;
  }

  function begin(name: string, task: Promise<unknown>): void {
    const end = task.then(() => void ended.push(name));
    end.catch(() => {}); // reported where it is awaited
    begun.push(end);
  }

  /** Locks a table until the returned function is called. */
  async function lock(table: string): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: home.url });
    closers.push(() => holder.end());
    await holder.connect();
    await holder.query(`begin; lock table ${table} in exclusive mode`);
    return async () => void (await holder.query('rollback'));
  }

  /** Waits until this many statements wait for a lock. */
  async function untilWaiting(count: number): Promise<void> {
    const waiting = `select count(*) as n from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await vi.waitFor(async () => {
      expect(await readRows(home.url, waiting)).toEqual([{ n: count }]);
    }, PATIENT);
  }

  /** Stores webhooks that wait for their table until the returned function is called. */
  async function flood(database: Database): Promise<() => Promise<void>> {
    const free = await lock('service_pay_webhook_deliveries');
    const store = new PaymentStore(database);
    const webhook = { event: 'e', reference: null, body: '', received_at: 1 };
    for (let at = 0; at < MANY; at++)
      begin('webhook', store.storeDelivery({ ...webhook, id: `webhook ${at}` }, 5));
    return free;
  }

  async function claimTwo(database: Database) {
    const fulfilments = new FulfilmentStore(database);
    for (const id of ['a', 'b']) await payOrder(new PaymentStore(database), id, 9);
    const [a, b] = await fulfilments.claim({ owner: 'me', now: 10, leaseMs: 60_000, limit: 9 });
    return { fulfilments, held: [a, b] as [ClaimedFulfilment, ClaimedFulfilment] };
  }

  test.each([
    ['two', () => open(home.url, 2), 1],
    ['ten', () => open(home.url), 9],
    [
      'three of a pool that is passed in',
      async () => {
        const pool = new pg.Pool({ connectionString: home.url, max: 3 });
        closers.push(() => pool.end());
        return open(pool);
      },
      2,
    ],
  ])(
    'of the connections to a PostgreSQL %s, webhooks leave one to leases and results of fulfil (T151)',
    async (_name, openIt, most) => {
      const database = await openIt();
      const { fulfilments, held } = await claimTwo(database);
      const free = await flood(database);
      await untilWaiting(most);

      expect(await fulfilments.renew([held[0]], { owner: 'me', now: 10, leaseMs: 60_000 })).toEqual(
        new Set(['a']),
      );
      expect(await fulfilments.release(held[1], 'me', { state: 'done', done_at: 11 })).toBe(true);

      expect(ended).toEqual([]);
      await free();
      await Promise.all(begun);
    },
  );

  test('a single connection serves leases first, then results of fulfil, then webhooks (T151)', async () => {
    const database = await open(home.url, 1);
    const { fulfilments, held } = await claimTwo(database);
    const free = await flood(database);
    await untilWaiting(1);
    begin('result', fulfilments.release(held[1], 'me', { state: 'done', done_at: 11 }));
    begin('lease', fulfilments.renew([held[0]], { owner: 'me', now: 10, leaseMs: 60_000 }));

    await free();
    await Promise.all(begun);

    expect(ended.slice(0, 3)).toEqual(['webhook', 'lease', 'result']);
    expect(ended).toHaveLength(MANY + 2);
  });

  test('results of fulfil use half of the connections at most, however many orders are paid (T151)', async () => {
    const database = await open(home.url, 4);
    const { fulfilments } = await claimTwo(database);
    const free = await lock('service_pay_fulfilments');
    for (let at = 0; at < MANY; at++)
      begin('result', fulfilments.redrive({ reference: `order ${at}`, who: 'ann', now: 10 }));
    await untilWaiting(2);

    await ping(database);

    expect(ended).toEqual([]);
    await free();
    await Promise.all(begun);
  });
});
