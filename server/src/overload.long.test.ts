import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../test/parts.ts';
import { PATIENT_DATABASE } from '../test/patience.ts';
import { openDatabase } from './database/open.ts';
import { createPayments, type Payments } from './index.ts';
import { PaymentStore } from './payments/store.ts';
import { pause, realClock } from './support/clock.ts';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from './testing/databases.ts';
import { collectionResponse, signedWebhook, startUpstream, TOKEN } from './testing/upstream.ts';

const INSTANCES = 4;
const ORDERS = Array.from({ length: 1_000 }, (_, at) => `order-${at}`);

/** Longer than a lease, which must therefore be renewed meanwhile. */
const FULFIL_MS = 5_000;

const PATIENCE_MS = 280_000;
const AN_HOUR_MS = 60 * 60_000;

let home: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let closers: (() => Promise<unknown>)[];
let called: string[];

async function open(database: string | pg.Pool, maxConnections?: number): Promise<Payments> {
  const payments = await createPayments({
    apiUrl: service.url,
    apiToken: TOKEN,
    publicKey: 'pub_test',
    database,
    maxConnections,
    async fulfil({ id }) {
      called.push(id);
      await pause(realClock, FULFIL_MS);
    },
    log: buildTestLog(),
  });
  closers.push(() => payments.close());
  return payments;
}

async function openOnPool(): Promise<Payments> {
  const pool = new pg.Pool({ connectionString: home.url, max: 3 });
  closers.push(() => pool.end());
  return open(pool);
}

async function placeOrders(): Promise<void> {
  const database = await openDatabase(home.url, PATIENT_DATABASE);
  const store = new PaymentStore(database);
  const order = { owner: 'ann', data: {}, amount: '92.50', currency: 'ZMW' };
  const now = Date.now();
  await database.write(async (trx) => {
    for (const id of ORDERS)
      await store.placeOrder(
        { ...order, id },
        id,
        { checkAt: now + AN_HOUR_MS, now },
        undefined,
        trx,
      );
  });
  await database.close();
}

/** Sends a webhook as the service does, again and again until it is stored. */
async function deliver(payments: Payments, reference: string): Promise<void> {
  const { body, headers } = signedWebhook('collection.successful', { reference });
  for (;;) {
    const response = await payments.receiveWebhook({ headers, rawBody: body });
    if (response.status === 200) return;
    expect(response).toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
    await pause(realClock, 1_000 * (1 + Math.random()));
  }
}

describe.skipIf(POSTGRES_IS_MISSING)('where 1,000 paid orders arrive at once', () => {
  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
    [closers, called] = [[], []];
  });

  afterEach(async () => {
    for (const close of closers.reverse()) await close();
    await service.close();
    await home.drop();
  });

  test.each([
    ['ten connections', () => open(home.url)],
    ['one connection', () => open(home.url, 1)],
    ['a pool of three that is passed in', openOnPool],
  ])(
    'where 1,000 paid orders arrive at once, four instances with %s each call fulfil once for each (T151)',
    {
      timeout: PATIENCE_MS,
    },
    async (_name, openOne) => {
      const instances: Payments[] = [];
      while (instances.length < INSTANCES) instances.push(await openOne());
      await placeOrders();

      // each reaches two instances, as a webhook that is sent again does
      const sendTo = (offset: number) =>
        ORDERS.map((reference, at) => deliver(instances[(at + offset) % INSTANCES]!, reference));
      await Promise.all([...sendTo(0), ...sendTo(1)]);
      await vi.waitFor(
        async () => {
          const done = "select 1 from service_pay_fulfilments where state = 'done'";
          expect(await readRows(home.url, done)).toHaveLength(ORDERS.length);
        },
        { timeout: PATIENCE_MS, interval: 200 },
      );

      expect(called.sort()).toEqual([...ORDERS].sort());
    },
  );
});
