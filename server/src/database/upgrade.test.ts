import { readFileSync } from 'node:fs';
import SqliteFile from 'better-sqlite3';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runShopCommand } from '../../test/command.ts';
import { passTimeUntil, payOrder } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import {
  type Cart,
  postWebhook,
  startTestShop,
  type TestBrowser,
  type TestShop,
} from '../../test/shop.ts';
import type { PaidOrder } from '../fulfilment/fulfil.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { recordDecision } from '../payments/decisions.ts';
import { takeKey } from '../payments/keys.ts';
import { PaymentStore } from '../payments/store.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, signatureOf, startUpstream } from '../testing/upstream.ts';
import { type Database, openDatabase } from './open.ts';
import type { Tables } from './schema.ts';

const STARTED_AT = Date.UTC(2026, 1, 3, 12, 5);

const HOUR_MS = 60 * 60_000;

const TO_HAND_OVER = ['accepted-waiting', 'held', 'retried', 'told', 'waiting'];

const PAID = {
  status: 'successful',
  isWaitingForCustomer: false,
  paidAt: expect.stringMatching(/^20.*Z$/),
};
const OPEN = { status: 'pending', isWaitingForCustomer: false };
const FAILED = { status: 'failed', isWaitingForCustomer: false };
const IN_REVIEW = { ...OPEN, isInReview: true };

/**
 * The status that each customer's page gets, and the status of a retry: 200 continues an open
 * payment, 201 begins a new one, 400 rejects.
 */
const CUSTOMERS: Record<string, { shown: object; retried: 200 | 201 | 400 }> = {
  accepted: { shown: PAID, retried: 400 },
  'accepted-waiting': { shown: PAID, retried: 400 },
  expired: { shown: FAILED, retried: 200 },
  failed: { shown: FAILED, retried: 201 },
  'failed-open': { shown: OPEN, retried: 200 },
  'failed-twice': { shown: FAILED, retried: 201 },
  'given-up': { shown: FAILED, retried: 201 },
  held: { shown: PAID, retried: 400 },
  keyed: { shown: OPEN, retried: 200 },
  'keyed-paid': { shown: PAID, retried: 400 },
  left: { shown: OPEN, retried: 200 },
  mary: { shown: PAID, retried: 400 },
  'older-open': { shown: OPEN, retried: 200 },
  open: { shown: OPEN, retried: 200 },
  'other-amount': { shown: IN_REVIEW, retried: 400 },
  'other-currency': { shown: IN_REVIEW, retried: 400 },
  'paid-twice': { shown: PAID, retried: 400 },
  parked: { shown: PAID, retried: 400 },
  'parked-too': { shown: PAID, retried: 400 },
  prompt: { shown: { ...OPEN, isWaitingForCustomer: true }, retried: 200 },
  redriven: { shown: PAID, retried: 400 },
  refused: { shown: { ...FAILED, mustContactShop: true }, retried: 201 },
  retried: { shown: PAID, retried: 400 },
  'second-paid': { shown: PAID, retried: 400 },
  told: { shown: PAID, retried: 400 },
  waiting: { shown: PAID, retried: 400 },
};

const STATUS_OF_STATE: Record<string, string> = {
  paid: 'successful',
  failed: 'failed',
  'needs-review': 'successful',
  refused: 'successful',
};
const STATUS_OF_CUSTOMER: Record<string, string> = { prompt: 'pay-offline', told: 'successful' };

interface StoredOrder {
  customer: string;
  browserId: string;
  amount: string;
  references: string[];
}

type StoredFulfilment = Pick<Tables['service_pay_fulfilments'], 'state'>;
type StoredDelivery = Pick<Tables['service_pay_webhook_deliveries'], 'body' | 'handled_at'>;

let database: TestDatabase;
let orders: StoredOrder[];
let fulfilments: StoredFulfilment[];
let deliveries: StoredDelivery[];
let statuses: Map<string, string | undefined>;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let clock: ManualClock;
let shop: TestShop;
let handedOver: PaidOrder<Cart>[];

describe.each(DATABASES)('a shop on a database of version 0.1.0, on %s', (kind) => {
  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    await loadFixture(kind);
    statuses = new Map();
    orders = await readOrders();
    fulfilments = await readFulfilments('fulfilments');
    deliveries = await readDeliveries('webhook_deliveries');
    upstream = await startUpstream((req, res) => {
      const reference = req.url!.split('/').at(-1)!;
      const status = statuses.get(reference);
      const amount = orders.find(({ references }) => references.includes(reference))?.amount;
      if (status) res.end(collectionResponse(req.url!, { status, ...(amount && { amount }) }));
      else res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
    });
    clock = new ManualClock(STARTED_AT);
    handedOver = [];
    const fulfil = async (order: PaidOrder<Cart>) => void handedOver.push(order);
    const environment = { DATABASE_URL: database.url };
    shop = await startTestShop(upstream.url, { clock, fulfil }, environment, kind);
  });

  afterEach(async () => {
    const closing = shop.close();
    await clock.jump(2_000); // a webhook may wait until the service may be called again
    await closing;
    await upstream.close();
    await database.drop();
  });

  test('a shop on a database of version 0.1.0 has the same schema as on a new one', async () => {
    const empty = await makeDatabaseUrl(kind);
    await (await openDatabase(empty.url, PATIENT_DATABASE)).close();

    expect(await readSchema(kind, database.url)).toEqual(await readSchema(kind, empty.url));
    await empty.drop();
  });

  test('a shop on a database of version 0.1.0 hands over once each paid order that waited for it, and no other', async () => {
    const settled = fulfilments.filter(({ state }) => state !== 'waiting');

    await waitUntilHandedOver(TO_HAND_OVER);
    await clock.jump(HOUR_MS);
    await orderAndPay();

    expect(handedOver).toHaveLength(TO_HAND_OVER.length + 1);
    expect(handedOver[0]).toMatchObject({
      amount: '92.50',
      currency: 'ZMW',
      data: { lines: [{ sku: 'honey-500', name: 'Honey, 500 g', quantity: 1, price: '92.50' }] },
    });
    expect(await readFulfilments()).toEqual(containingRows(settled));
    await vi.waitFor(async () => {
      const after = await readFulfilments();
      expect(after.map(({ state }) => state).filter((state) => state !== 'done')).toEqual([
        'parked',
        'parked',
      ]);
    }, PATIENT);
  });

  test('a shop on a database of version 0.1.0 confirms the payment of a webhook that was stored and not handled', async () => {
    const [reference] = orderOf('told').references;

    await passUntil(async () => {
      expect(
        await shop.rows(
          'select reference from service_pay_webhook_deliveries where reference = ? and handled_at is not null',
          reference,
        ),
      ).toEqual([{ reference }]);
    });

    expect(await shop.stateOf(reference!)).toBe('paid');
  });

  test('a shop on a database of version 0.1.0 acknowledges each webhook that arrives again, and fulfils nothing again', async () => {
    const handled = deliveries.filter((delivery) => delivery.handled_at !== null);

    const responses = await Promise.all(deliveries.map(({ body }) => deliver(body)));
    for (const { status } of responses) expect(status).toBe(200);
    expect(await postWebhook(shop, orderOf('mary').references[0]!, 'collection.settled')).toBe(200);
    await waitUntilHandedOver(TO_HAND_OVER);
    await clock.jump(HOUR_MS);
    await orderAndPay();

    expect(handedOver).toHaveLength(TO_HAND_OVER.length + 1);
    const after = await readDeliveries();
    expect(after).toHaveLength(deliveries.length + 2);
    expect(after).toEqual(containingRows(handled));
  });

  test('a shop on a database of version 0.1.0 shows each order to the browser that placed it, and to no other', async () => {
    for (const order of orders) {
      const browser = browserOf(order);
      const [reference] = order.references;

      const verified = await browser.verify(reference!);
      const { reference: _decisive, ...shown } = verified.json.data;

      expect({ customer: order.customer, ...shown }).toEqual({
        customer: order.customer,
        amount: order.amount,
        currency: 'ZMW',
        ...CUSTOMERS[order.customer]!.shown,
      });
    }
    const customers = new Set(orders.map(({ customer }) => customer));
    expect([...customers].toSorted()).toEqual(Object.keys(CUSTOMERS));
    const stranger = await browserOf(orderOf('mary')).verify(orderOf('open').references[0]!);
    expect(stranger.status).toBe(404);
  });

  test('a shop on a database of version 0.1.0 continues an open payment, and begins a new one where the last one failed', async () => {
    for (const order of orders) {
      const { customer, references, amount } = order;
      const browser = browserOf(order);

      const { status, json } = await browser.post(`/api/payments/${references[0]}/retry`);

      expect({ customer, status }).toEqual({ customer, status: CUSTOMERS[customer]!.retried });
      if (status === 400) {
        expect(json.errorCode).toBe('04');
        continue;
      }
      const { reference } = json.data;
      expect(json.data).toMatchObject({ amount, email: `${customer}@example.com` });
      expect(references.at(-1) === reference).toBe(status === 200);
      expect((await browser.get('/api/orders/open')).json.data.reference).toBe(reference);
    }
  });

  test('a shop on a database of version 0.1.0 takes the money for the new payment of an order whose last one failed', async () => {
    const order = orderOf('failed');
    const { json } = await browserOf(order).post(`/api/payments/${order.references[0]}/retry`);
    statuses.set(json.data.reference, 'successful');

    await postWebhook(shop, json.data.reference);

    await waitUntilHandedOver([...TO_HAND_OVER, 'failed']);
    expect(await shop.stateOf(json.data.reference)).toBe('paid');
  });

  test('a shop on a database of version 0.1.0 takes late money for the older of two open payments, and reviews the newer', async () => {
    const [older, newer] = orderOf('older-open').references as [string, string];

    statuses.set(older, 'successful');
    await postWebhook(shop, older);
    await waitUntilHandedOver([...TO_HAND_OVER, 'older-open']);
    statuses.set(newer, 'successful');
    await postWebhook(shop, newer);

    await passUntil(async () => expect(await shop.stateOf(newer)).toBe('needs-review'));
    await orderAndPay();
    expect(await shop.stateOf(older)).toBe('paid');
    expect(namesOf(handedOver).filter((name) => name === 'older-open')).toHaveLength(1);
  });

  test('a shop on a database of version 0.1.0 finds the order of an Idempotency-Key that its browser sends again', async () => {
    for (const [customer, quantity] of [
      ['keyed', 3],
      ['keyed-paid', 1],
    ] as const) {
      const order = orderOf(customer);
      const place = (honeys: number) =>
        browserOf(order).post(
          '/api/orders',
          {
            items: [{ sku: 'honey-500', quantity: honeys }],
            customer: { email: `${customer}@example.com` },
          },
          { 'idempotency-key': 'the-same-again' },
        );

      expect(await place(quantity)).toMatchObject({
        status: 201,
        json: { data: { reference: order.references[0] } },
      });
      expect(await place(quantity + 1)).toMatchObject({ status: 400, json: { errorCode: '04' } });
    }
    expect(await shop.rows('select distinct order_id from service_pay_payments')).toHaveLength(
      orders.length,
    );
  });

  test('a shop on a database of version 0.1.0 lists what there is, what is parked and what needs review', async () => {
    const counted = await command();
    const parked = (await command('parked')) as { reference: string; attempts: number }[];
    const inReview = (await command('needs-review')) as {
      reference: string;
      reason: string;
    }[];

    expect(counted).toMatchObject({
      'awaiting-payment': 8,
      paid: 17,
      failed: 6,
      expired: 1,
      'needs-review': 3,
      refused: 1,
      parked: 2,
    });
    expect(parked.map(({ reference, attempts }) => [customerOf(reference), attempts])).toEqual([
      ['parked', 10],
      ['parked-too', 10],
    ]);
    expect(
      Object.fromEntries(inReview.map(({ reference, reason }) => [customerOf(reference), reason])),
    ).toEqual({
      'paid-twice': 'order already paid',
      'other-amount': 'amount differs: ZMW 1.00 arrived',
      'other-currency': 'currency differs: USD 92.50 arrived',
    });
  });

  test('a shop on a database of version 0.1.0 hands over what a person redrives or accepts, and not what they reject', async () => {
    await waitUntilHandedOver(TO_HAND_OVER);

    await command('redrive', orderOf('parked').references[0]!);
    await command('accept', orderOf('other-amount').references[0]!);
    await command('accept', orderOf('paid-twice').references[0]!);
    await command('refuse', orderOf('other-currency').references[0]!);

    await waitUntilHandedOver([...TO_HAND_OVER, 'other-amount', 'parked']);
    await orderAndPay();
    expect(handedOver).toHaveLength(TO_HAND_OVER.length + 3);
  });
});

test.each(DATABASES)(
  'orders of the version before keep their fulfilments, decisions, keys and views of the merchant, on %s',
  async (kind) => {
    const home = await makeDatabaseUrl(kind);
    const older = await openDatabase(home.url, PATIENT_DATABASE);
    const store = new PaymentStore(older);
    for (const reference of ['a', 'b']) await payOrder(store, reference, STARTED_AT);
    await new FulfilmentStore(older).claim({ owner: 'me', now: STARTED_AT, leaseMs: 0, limit: 1 });
    await older.write(async (trx) => {
      const decision = { decision: 'accept', who: 'ann', decided_at: STARTED_AT } as const;
      await recordDecision(trx, { reference: 'a', ...decision });
      for (const of of ['service_pay_orders', 'service_pay_fulfilments'])
        await sql.raw(`create view own_${of} as select reference from ${of}`).execute(trx);
      const mark = { owner: 'unknown-reference', now: STARTED_AT };
      await takeKey(trx, { ...mark, key: 'a', requestHash: '', reference: 'a' });
      await takeKey(trx, { ...mark, key: 'a b', requestHash: 'h', reference: 'b' });
      await sql`delete from service_pay_migrations where name >= '0012'`.execute(trx);
    });
    await older.close();
    const readAll = () =>
      Promise.all(
        ['service_pay_fulfilments', 'service_pay_decisions', 'own_service_pay_fulfilments']
          .concat('own_service_pay_orders')
          .map((table) => readRows(home.url, `select * from ${table} order by reference`)),
      );
    const before = await readAll();

    await (await openDatabase(home.url, PATIENT_DATABASE)).close();

    expect(before.map((rows) => rows.length)).toEqual([2, 1, 2, 2]);
    expect(await readAll()).toEqual(before);
    // marks of the package's own have the owner that no shop can have
    const keys = 'select owner, key from service_pay_idempotency_keys order by reference';
    expect(await readRows(home.url, keys)).toEqual([
      { owner: '', key: 'unknown-reference a' },
      { owner: 'unknown-reference', key: 'a b' },
    ]);
    await home.drop();
  },
);

async function loadFixture(kind: Database['kind']): Promise<void> {
  const fixture = new URL(`../../test/data/v0.1.0/${kind}.sql`, import.meta.url);
  const statements = readFileSync(fixture, 'utf8');
  if (kind === 'sqlite') {
    const file = new SqliteFile(database.url.slice('file:'.length));
    file.exec(statements);
    file.close();
  } else {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(statements);
    await client.end();
  }
}

async function readOrders(): Promise<StoredOrder[]> {
  const found = new Map<string, StoredOrder>();
  for (const row of await readRows<{
    id: string;
    customer: string;
    browser_id: string;
    amount: string;
    reference: string;
    state: string;
  }>(
    database.url,
    `select id, customer, browser_id, orders.amount, reference, state
    from orders join payments on order_id = id order by payments.created_at, reference`,
  )) {
    const customer = nameOf(JSON.parse(row.customer));
    const order = found.get(row.id) ?? {
      customer,
      browserId: row.browser_id,
      amount: row.amount,
      references: [],
    };
    found.set(row.id, order);
    order.references.push(row.reference);
    statuses.set(row.reference, STATUS_OF_CUSTOMER[customer] ?? STATUS_OF_STATE[row.state]);
  }
  return [...found.values()];
}

function nameOf({ email }: { email: string }): string {
  return email.replace(/@.*/, '');
}

function namesOf(paid: readonly PaidOrder<Cart>[]): string[] {
  return paid.map(({ data }) => nameOf(data.customer)).toSorted();
}

function orderOf(customer: string): StoredOrder {
  return orders.find((order) => order.customer === customer)!;
}

function customerOf(reference: string): string {
  return orders.find(({ references }) => references.includes(reference))!.customer;
}

function browserOf({ browserId }: StoredOrder): TestBrowser {
  const browser = shop.browser();
  browser.cookie = `owner=${browserId}`;
  return browser;
}

function passUntil(check: () => void | Promise<void>): Promise<void> {
  return passTimeUntil(clock, check, 500);
}

function waitUntilHandedOver(customers: string[]): Promise<void> {
  return passUntil(() => expect(namesOf(handedOver)).toEqual(customers.toSorted()));
}

async function orderAndPay(): Promise<void> {
  const reference = await shop.browser().order();
  statuses.set(reference, 'successful');
  await postWebhook(shop, reference);
  await passUntil(async () => {
    expect(
      await shop.rows('select state from service_pay_fulfilments where reference = ?', reference),
    ).toEqual([{ state: 'done' }]);
  });
}

function deliver(body: string): Promise<{ status: number }> {
  const headers = { 'x-servicepay-signature': signatureOf(body) };
  return shop.browser().post('/webhooks/service-pay', body, headers);
}

async function command(...words: string[]): Promise<unknown> {
  const ended = await runShopCommand('orders', shop.config, [...words, '--json'], {}, { clock });
  expect(ended.code, ended.stderr).toBe(0);
  return JSON.parse(ended.stdout);
}

function readFulfilments(table = 'service_pay_fulfilments'): Promise<StoredFulfilment[]> {
  return readRows(database.url, `select * from ${table} order by reference`);
}

function readDeliveries(table = 'service_pay_webhook_deliveries'): Promise<StoredDelivery[]> {
  return readRows(database.url, `select * from ${table} order by id`);
}

function containingRows(rows: readonly object[]): unknown {
  return expect.arrayContaining(rows.map((row) => expect.objectContaining(row)));
}

function readSchema(kind: Database['kind'], url: string): Promise<unknown> {
  const statements =
    kind === 'sqlite'
      ? ['select type, name, sql from sqlite_master order by name']
      : [
          `select relname, relpersistence from pg_class
          where relnamespace = to_regnamespace(current_schema) order by relname`,
          `select table_name, column_name, data_type, collation_name, is_nullable, column_default
          from information_schema.columns
          where table_schema = current_schema order by table_name, column_name`,
          `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
          where connamespace = to_regnamespace(current_schema) order by 1, 2`,
          'select indexdef from pg_indexes where schemaname = current_schema order by indexdef',
        ];
  return Promise.all(statements.map((statement) => readRows(url, statement)));
}
