import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import SqliteFile from 'better-sqlite3';
import type { Transaction } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { pause, realClock } from './clock.ts';
import { type Database, isDatabaseFailure, openDatabase } from './database.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import { ShopStore } from './shop-store.ts';
import type { Tables } from './tables.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  POSTGRES_IS_MISSING,
  type TestDatabase,
} from './test-database.ts';
import { PATIENT, readRows } from './test-shop.ts';
import { WriteBatch } from './write-batch.ts';

/**
 * Half a second, and what a machine that runs much else at once takes on top. Whoever waits for the
 * holder waits for ever.
 */
const ANSWERED_WITHIN_MS = 4_000;

const ORDER = {
  id: 'o',
  browserId: 'b',
  customer: { email: 'a@b.c' },
  lines: [],
  amount: '10.00',
  currency: 'ZMW',
};

let home: TestDatabase;
let database: Database;
let writes: WriteBatch;

const deliver = (id: string) => (trx: Transaction<Tables>) =>
  trx
    .insertInto('webhook_deliveries')
    .values({ id, event: 'e', reference: null, body: '', received_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
const stored = async () =>
  (await readRows<{ id: string }>(home.url, 'select id from webhook_deliveries order by id')).map(
    ({ id }) => id,
  );

describe.each(DATABASES)('writes on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    database = await openDatabase(home.url, PATIENT_DATABASE);
    writes = new WriteBatch(database);
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  test('asked for together are stored and answered each', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((id) => writes.run(deliver(id))));

    expect(answers).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    expect(await stored()).toEqual(['a', 'b', 'c']);
  });

  test('of which some fail take none of the others with them, and leave nothing half done', async () => {
    const failing = Array.from({ length: 6 }, (_, at) =>
      writes.run(async (trx) => {
        await deliver(`half ${at}`)(trx);
        throw new Error('no');
      }),
    );

    const answers = await Promise.allSettled([
      writes.run(deliver('a')),
      ...failing,
      writes.run(deliver('a')),
      writes.run(deliver('b')),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      ...Array(7).fill('rejected'),
      'fulfilled',
    ]);
    expect(await stored()).toEqual(['a', 'b']);
    expect(await writes.run(deliver('later'))).toEqual({ id: 'later' });
  });

  test('of one group run together, and alone where they fail together', async () => {
    const runs: number[] = [];
    const group = {
      async run(trx: Transaction<Tables>, items: readonly string[]) {
        runs.push(items.length);
        for (const item of items) if (item !== 'bad') await deliver(item)(trx);
        if (items.includes('bad')) throw new Error('no');
        return items.map((item) => `stored ${item}`);
      },
    };

    const answers = await Promise.allSettled(
      ['a', 'bad', 'c'].map((item) => writes.runIn(group, item)),
    );

    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'failed')),
    ).toEqual(['stored a', 'failed', 'stored c']);
    expect(runs).toEqual([3, 1, 1, 1]);
    expect(await stored()).toEqual(['a', 'c']);
  });
});

describe.each(DATABASES)('writes that take longer than half a second on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    database = await openDatabase(home.url);
    writes = new WriteBatch(database);
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  test('are refused at once where they are too many, and none is lost of those that were not (F8)', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 6_000 }, (_, at) => writes.run(async () => at)),
    );

    const refused = answers.filter(
      ({ status }) => status === 'rejected',
    ) as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThanOrEqual(1_000);
    expect(refused.every(({ reason }) => isDatabaseFailure(reason))).toBe(true);
    await vi.waitFor(
      async () => expect(await writes.run(deliver('later'))).toEqual({ id: 'later' }),
      PATIENT,
    );
  });

  test('are stored by several transactions where they take longer together than their callers wait (F8)', async () => {
    let tries = 0;
    await vi.waitFor(async () => {
      tries += 1;
      const slow = Array.from({ length: 12 }, (_, at) =>
        writes.run(async (trx) => {
          await pause(realClock, 60);
          return deliver(`${tries} ${at}`)(trx);
        }),
      );
      expect((await Promise.allSettled(slow)).map(({ status }) => status)).toContain('fulfilled');
    }, PATIENT);
  });

  test('are answered in time with an error while somebody holds them up, the event loop turns, and they work again at once (T92, F8)', async () => {
    const release = await hold(kind);
    let turns = 0;
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        await new Promise(setImmediate);
        turns += 1;
      }
    })();

    const startedAt = performance.now();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => writes.run(deliver(`held ${at}`))),
    );
    const tookMs = performance.now() - startedAt;
    isWatching = false;
    await watching;
    await release();

    expect(
      answers.every((answer) => answer.status === 'rejected' && isDatabaseFailure(answer.reason)),
    ).toBe(true);
    expect(tookMs).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(turns).toBeGreaterThan(50); // one that waits for the file itself turns a few times
    await vi.waitFor(
      async () => expect(await writes.run(deliver('after'))).toEqual({ id: 'after' }),
      PATIENT,
    );
    expect(await stored()).toContain('after');
  });

  test('wait for another writer that is done soon', async () => {
    await vi.waitFor(async () => {
      const release = await hold(kind);
      const answer = writes.run(deliver('a'));
      // where the machine itself takes longer than a write may wait, it is tried once more
      answer.catch(() => {});
      await pause(realClock, 50);
      await release();
      expect(await answer).toEqual({ id: 'a' });
    }, PATIENT);
  });
});

describe.skipIf(POSTGRES_IS_MISSING)('a COMMIT whose answer is lost', () => {
  let proxy: CuttingProxy;
  let store: ShopStore;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    proxy = await CuttingProxy.start(home.url);
    database = await openDatabase(proxy.url);
    store = new ShopStore(database);
  });

  afterEach(async () => {
    await database.close();
    await proxy.close();
    await home.drop();
  });

  test('is read again by its reference, and counts as what it was (T113)', async () => {
    proxy.cutsNextCommit = true;
    expect(await store.placeOrder(ORDER, 'r', 5, 1)).toBe('r');
    expect(proxy.cuts).toBe(1);
    proxy.cutsNextCommit = true;
    expect(await store.markPaid('r', 9)).toBe('paid');
    proxy.cutsNextCommit = true;
    await store.storeDelivery({ id: 'd', event: 'e', reference: 'r', body: '', received_at: 1 }, 5);
    expect(proxy.cuts).toBe(3);

    expect(await readRows(home.url, 'select reference from fulfilments')).toEqual([
      { reference: 'r' },
    ]);
    expect(await stored()).toEqual(['d']);
  });

  test('makes one order for one key, and one move of a payment (T113)', async () => {
    const once = { key: 'k', requestHash: 'h' };
    proxy.cutsNextCommit = true;
    expect(await store.placeOrder(ORDER, 'r', 5, 1, once)).toBe('r');
    expect(await store.placeOrder({ ...ORDER, id: 'p' }, 's', 5, 1, once)).toBe('r');
    proxy.cutsNextCommit = true;
    expect(await store.move('r', ['awaiting-payment'], 'failed', 9)).toBe(true);
    expect(await store.move('r', ['awaiting-payment'], 'failed', 9)).toBe(false);
    expect(proxy.cuts).toBe(2);
  });

  test('adds the further payment that was asked for, also the last that an order takes, and none beyond it (T113)', async () => {
    await store.placeOrder(ORDER, 'r1', 5, 1);
    for (let at = 2; at < 20; at++) await store.addPayment('o', `r${at}`, 5, 1);

    proxy.cutsNextCommit = true;
    expect(await store.addPayment('o', 'r20', 5, 1)).toBe('added');
    proxy.cutsNextCommit = true;
    expect(await store.addPayment('o', 'r21', 5, 1)).toBe('too-many');
    expect(proxy.cuts).toBe(2);
    expect(
      await readRows(home.url, "select count(*) as n from payments where order_id = 'o'"),
    ).toEqual([{ n: 20 }]);
  });

  test('counts as what it was also where the second try meets a lock (T113)', async () => {
    const sharing = new WriteBatch(database);
    store = new ShopStore(database, sharing);
    await store.placeOrder(ORDER, 'r', 5, 1);
    let runs = 0;
    const meetsLock = async () => {
      runs += 1;
      if (runs === 2)
        throw Object.assign(
          new pg.DatabaseError('canceling statement due to lock timeout', 1, 'error'),
          { code: '55P03' },
        );
    };
    proxy.cutsNextCommit = true;

    const [state] = await Promise.all([store.markPaid('r', 9), sharing.run(meetsLock)]);

    expect(proxy.cuts).toBe(1);
    expect(runs).toBe(3);
    expect(state).toBe('paid');
  });

  test('is known to the holder of a fulfilment and to who redrives it, and taken for nobody else (T113)', async () => {
    const fulfilments = new FulfilmentStore(database);
    for (const name of ['done', 'parked', 'again']) {
      await store.placeOrder({ ...ORDER, id: name }, name, 5, 1);
      await store.markPaid(name, 9);
    }
    const held = new Map(
      (await fulfilments.claim('me', 10, 60_000, 9)).map((claimed) => [claimed.reference, claimed]),
    );

    proxy.cutsNextCommit = true;
    expect(await fulfilments.finish(held.get('done')!, 'me')).toBe(true);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.park(held.get('parked')!, 'me')).toBe(true);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.postpone(held.get('again')!, 'me', 10)).toBe(true);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive('parked', 20)).toBe(true);
    expect(proxy.cuts).toBe(4);

    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive('done', 20)).toBe(false);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive('nobody knows it', 20)).toBe(false);
    await fulfilments.claim('another', 30, 60_000, 9);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.finish(held.get('again')!, 'me')).toBe(false);
    expect(proxy.cuts).toBe(7);
  });

  test('is said to be unknown where the database stays away (T113)', async () => {
    proxy.cutsNextCommit = true;
    proxy.refusesAfterCut = true;

    const answer = await store.placeOrder(ORDER, 'r', 5, 1).catch((error: unknown) => error);

    expect(isDatabaseFailure(answer)).toBe(true);
    expect(await readRows(home.url, 'select reference from payments')).toEqual([
      { reference: 'r' },
    ]);
  });
});

/** Holds what the writes need, as another process would, until the function it gives is called. */
async function hold(kind: Database['kind']): Promise<() => Promise<void>> {
  if (kind === 'sqlite') {
    const holder = new SqliteFile(home.url.slice('file:'.length));
    holder.exec('begin immediate');
    return async () => {
      holder.exec('rollback');
      holder.close();
    };
  }
  const holder = new pg.Client({ connectionString: home.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table webhook_deliveries in exclusive mode');
  return async () => {
    await holder.query('rollback');
    await holder.end();
  };
}

/**
 * Stands before a PostgreSQL and loses the answer to a COMMIT, with the connection it was to come
 * by.
 */
class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly url: string;
  cutsNextCommit = false;
  refusesAfterCut = false;
  cuts = 0;

  static async start(databaseUrl: string): Promise<CuttingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, databaseUrl);
  }

  constructor(server: Server, databaseUrl: string) {
    this.#server = server;
    const { port } = new URL(databaseUrl);
    this.url = databaseUrl.replace(`:${port}/`, `:${(server.address() as AddressInfo).port}/`);
    server.on('connection', (client) => this.#join(client, Number(port)));
  }

  #join(client: Socket, port: number): void {
    if (this.refusesAfterCut && this.cuts) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    let isCutting = false;
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        this.#sockets.delete(socket);
      });
    }
    client.on('data', (data) => {
      if (this.cutsNextCommit && /commit/i.test(data.toString('latin1'))) {
        this.cutsNextCommit = false;
        isCutting = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isCutting) return void client.write(data);
      this.cuts += 1;
      client.destroy();
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
