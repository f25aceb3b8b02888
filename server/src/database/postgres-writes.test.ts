import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { ping } from '../payments/ping.ts';
import { PaymentStore } from '../payments/store.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';

const ORDER = {
  id: 'o',
  owner: 'b',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
};

let home: TestDatabase;
let database: Database;
let store: PaymentStore;

const stored = async () =>
  (
    await readRows<{ id: string }>(
      home.url,
      'select id from service_pay_webhook_deliveries order by id',
    )
  ).map(({ id }) => id);

describe.skipIf(POSTGRES_IS_MISSING)('rows that somebody else holds', () => {
  let holder: pg.Client;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    database = await openDatabase(home.url);
    store = new PaymentStore(database);
    holder = new pg.Client({ connectionString: home.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table service_pay_webhook_deliveries in exclusive mode');
  });

  afterEach(async () => {
    await holder.end();
    await database.close();
    await home.drop();
  });

  const deliver = (id: string) =>
    store.storeDelivery({ id, event: 'e', reference: null, body: '', received_at: 1 }, 5);

  test('rows that somebody else holds are waited for no longer than a caller waits, and nothing was written then (F8)', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => deliver(`held ${at}`)),
    );
    await holder.query('rollback');

    expect(
      results.every((result) => result.status === 'rejected' && isDatabaseFailure(result.reason)),
    ).toBe(true);
    // One whose response was late is stored already when it comes again.
    await vi.waitFor(() => deliver('after'), PATIENT);
    expect(await stored()).toEqual(['after']);
  });
});

describe.skipIf(POSTGRES_IS_MISSING)('a COMMIT whose response is lost', () => {
  let proxy: CuttingProxy;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    proxy = await CuttingProxy.start(home.url);
    database = await openDatabase(proxy.url, PATIENT_DATABASE);
    store = new PaymentStore(database);
  });

  afterEach(async () => {
    await database.close();
    await proxy.close();
    await home.drop();
  });

  test('a COMMIT whose response is lost counts as what it was: the shop queries the server (T113)', async () => {
    proxy.cutsNextCommit = true;
    expect(await store.placeOrder(ORDER, 'r', { checkAt: 5, now: 1 })).toBe('r');
    expect(proxy.cuts).toBe(1);
    proxy.cutsNextCommit = true;
    expect(await store.markPaid('r', 9)).toBe('paid');
    proxy.cutsNextCommit = true;
    await store.storeDelivery({ id: 'd', event: 'e', reference: 'r', body: '', received_at: 1 }, 5);
    expect(proxy.cuts).toBe(3);

    expect(await readRows(home.url, 'select reference from service_pay_fulfilments')).toEqual([
      { reference: 'r' },
    ]);
    expect(await stored()).toEqual(['d']);
  });

  test('a COMMIT whose response is lost makes one order for one key, and one move of a payment (T113)', async () => {
    const once = { key: 'k', requestHash: 'h' };
    proxy.cutsNextCommit = true;
    expect(await store.placeOrder(ORDER, 'r', { checkAt: 5, now: 1 }, once)).toBe('r');
    expect(await store.placeOrder({ ...ORDER, id: 'p' }, 's', { checkAt: 5, now: 1 }, once)).toBe(
      'r',
    );
    proxy.cutsNextCommit = true;
    expect(await store.move('r', { from: ['awaiting-payment'], to: 'failed', now: 9 })).toBe(true);
    expect(await store.move('r', { from: ['awaiting-payment'], to: 'failed', now: 9 })).toBe(false);
    expect(proxy.cuts).toBe(2);
  });

  test('a COMMIT whose response is lost adds the further payment that was requested, also the last that an order takes, and none beyond it (T113)', async () => {
    await store.placeOrder(ORDER, 'r1', { checkAt: 5, now: 1 });
    for (let at = 2; at < 20; at++)
      await store.addPayment('o', { reference: `r${at}`, checkAt: 5, now: 1 });

    proxy.cutsNextCommit = true;
    expect(await store.addPayment('o', { reference: 'r20', checkAt: 5, now: 1 })).toMatchObject({
      reference: 'r20',
    });
    proxy.cutsNextCommit = true;
    expect(await store.addPayment('o', { reference: 'r21', checkAt: 5, now: 1 })).toBe('too-many');
    expect(proxy.cuts).toBe(2);
    expect(
      await readRows(
        home.url,
        "select count(*) as n from service_pay_payments where order_id = 'o'",
      ),
    ).toEqual([{ n: 20 }]);
  });

  test('a COMMIT whose response is lost lets release and redrive succeed for the right holder only (T113)', async () => {
    const fulfilments = new FulfilmentStore(database);
    for (const name of ['done', 'parked', 'again']) {
      await store.placeOrder({ ...ORDER, id: name }, name, { checkAt: 5, now: 1 });
      await store.markPaid(name, 9);
    }
    const held = new Map(
      (await fulfilments.claim({ owner: 'me', now: 10, leaseMs: 60_000, limit: 9 })).map(
        (claimed) => [claimed.reference, claimed],
      ),
    );

    proxy.cutsNextCommit = true;
    expect(await fulfilments.release(held.get('done')!, 'me', { state: 'done', done_at: 1 })).toBe(
      true,
    );
    proxy.cutsNextCommit = true;
    expect(await fulfilments.release(held.get('parked')!, 'me', { state: 'parked' })).toBe(true);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.release(held.get('again')!, 'me', { due_at: 10 })).toBe(true);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive({ reference: 'parked', who: 'ann', now: 20 })).toBe(true);
    expect(proxy.cuts).toBe(4);

    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive({ reference: 'done', who: 'ann', now: 20 })).toBe(false);
    proxy.cutsNextCommit = true;
    expect(await fulfilments.redrive({ reference: 'nobody knows it', who: 'ann', now: 20 })).toBe(
      false,
    );
    await fulfilments.claim({ owner: 'another', now: 30, leaseMs: 60_000, limit: 9 });
    proxy.cutsNextCommit = true;
    expect(await fulfilments.release(held.get('again')!, 'me', { state: 'done', done_at: 1 })).toBe(
      false,
    );
    expect(proxy.cuts).toBe(7);
  });

  test('a COMMIT whose response is lost is said to be unknown where the database stays away (T113)', async () => {
    await database.close();
    database = await openDatabase(proxy.url, { respondWithinMs: 1_000 });
    store = new PaymentStore(database);
    proxy.cutsNextCommit = true;
    proxy.dropsAfterCut = true;

    const result = await store
      .placeOrder(ORDER, 'r', { checkAt: 5, now: 1 })
      .catch((error: unknown) => error);

    expect(isDatabaseFailure(result)).toBe(true);
    expect(await readRows(home.url, 'select reference from service_pay_payments')).toEqual([
      { reference: 'r' },
    ]);
  });
});

describe.skipIf(POSTGRES_IS_MISSING)('a server that shuts down', () => {
  test('a server that shuts down while a connection is made ends no process (F8)', async () => {
    home = await makeDatabaseUrl('postgres');
    const proxy = await CuttingProxy.start(home.url);
    const database = await openDatabase(proxy.url, PATIENT_DATABASE);

    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    proxy.shutsDown = true;
    const error = await ping(database).catch((error: unknown) => error);
    proxy.shutsDown = false;

    expect(isDatabaseFailure(error)).toBe(true);
    await ping(database);
    process.off('uncaughtExceptionMonitor', note);
    expect(uncaught).toEqual([]);
    await database.close();
    await proxy.close();
    await home.drop();
  });
});

/** A server sends `READY` when it takes questions, and `SHUTTING_DOWN` before it ends a connection. */
const READY = Buffer.from('Z\0\0\0\x05I');
const FIELDS = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
const SHUTTING_DOWN = Buffer.concat([
  Buffer.from(['E'.charCodeAt(0), 0, 0, 0, FIELDS.length + 4]),
  Buffer.from(FIELDS),
]);

class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly url: string;
  cutsNextCommit = false;
  dropsAfterCut = false;
  /** Ends each new connection in the packet that says it is ready. */
  shutsDown = false;
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
    if (this.dropsAfterCut && this.cuts) return void client.destroy();
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
      if (this.cutsNextCommit && data.includes('commit\0')) {
        this.cutsNextCommit = false;
        isCutting = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (this.shutsDown && data.includes(READY))
        return void client.end(Buffer.concat([data, SHUTTING_DOWN]));
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
