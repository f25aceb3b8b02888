import { type CatalogueItem, readCatalogue } from '@service-pay/bff-example/catalogue';
import { createPayments } from '@service-pay/server';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';

export type DatabaseKind = 'sqlite' | 'postgres';

const MULTIPLIER = 48_271;
const PRIME = 2_147_483_647;
const FIRST_TIME = 10_000_000;
const REST_OF_KEY = 'qGx0Zt7WmPbKeRu9';
const REST_OF_ID = '9f2c51d07be64a38c1f05e7ab3d94608f17e2c6a5b';
const STORED_OVER_MS = 30 * 24 * 60 * 60_000;
const AN_HOUR_MS = 60 * 60_000;

export const [ITEM] = (await readCatalogue()) as readonly [CatalogueItem];

export interface BenchDatabase {
  readonly kind: DatabaseKind;
  readonly url: string;
  placeOrders(count: number): Promise<string[]>;
  drop(): Promise<void>;
}

/**
 * Makes a database with orders of the last 30 days: of every 100, 90 are paid and fulfilled, 6
 * expired, 2 failed, one needs review and one is open. As in a real shop, their keys start with the
 * creation time, while the ids of webhooks are in no order.
 */
export async function makeBenchDatabase(
  kind: DatabaseKind,
  stored: number,
): Promise<BenchDatabase> {
  const { url, drop } = await makeDatabaseUrl(kind);
  await makeTables(url);
  await run(url, [...storeOrders(stored, Date.now()), ...settle(kind)]);
  let last = stored;
  return {
    kind,
    url,
    async placeOrders(count) {
      const first = last + 1;
      last += count;
      await run(url, placeAwaited(first, last, Date.now()));
      return Array.from({ length: count }, (_, at) => referenceOf(first + at));
    },
    drop,
  };
}

async function makeTables(database: string): Promise<void> {
  const payments = await createPayments({
    apiUrl: 'http://localhost:9',
    apiToken: 'sec_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    database,
    fulfil: async () => {},
    log: console,
  });
  await payments.close();
}

function referenceOf(number: number): string {
  return `shop-${FIRST_TIME + number}${REST_OF_KEY}`;
}

/**
 * Numbers with the keys of `referenceOf`, and others in no order: multiples modulo a prime never
 * collide.
 */
function numbered(first: number, last: number): string {
  return `
    with recursive numbers (i) as (select cast(${first} as bigint) union all select i + 1 from numbers where i < ${last}),
    keyed as (
      select i, cast(${FIRST_TIME} + i as text) || '${REST_OF_KEY}' as key, cast((i * ${MULTIPLIER}) % ${PRIME} as text) as scattered from numbers
    )`;
}

function placeAwaited(first: number, last: number, now: number): string[] {
  const later = now + AN_HOUR_MS;
  return [insertPayments(first, last, `'awaiting-payment'`, `${now}`, `${later}`)];
}

function storeOrders(count: number, now: number): string[] {
  const isPaid = 'i % 100 < 90';
  const state = `case when ${isPaid} then 'paid' when i % 100 < 96 then 'expired' when i % 100 < 98 then 'failed' when i % 100 < 99 then 'needs-review' else 'awaiting-payment' end`;
  const createdAt = `${now} - (${count} - i) * ${Math.floor(STORED_OVER_MS / count)}`;
  const numbers = numbered(1, count);
  return [
    insertPayments(1, count, state, createdAt, `${now + AN_HOUR_MS} + i`),
    `${numbers}
      insert into service_pay_webhook_deliveries (id, event, reference, body, received_at, handled_at)
      select scattered || '${REST_OF_ID}', 'collection.successful', 'shop-' || key, '${bodyOf("shop-' || key || '")}', ${createdAt}, ${createdAt}
      from keyed where ${isPaid}`,
    `${numbers}
      insert into service_pay_fulfilments (order_id, reference, state, attempts, due_at, lease_owner, lease_version, lease_until, created_at)
      select 'order-' || key, 'shop-' || key, 'done', 1, ${createdAt}, null, 1, 0, ${createdAt} from keyed where ${isPaid}`,
  ];
}

function insertPayments(
  first: number,
  last: number,
  state: string,
  createdAt: string,
  checkAt: string,
): string {
  const data = JSON.stringify({
    customer: { email: 'mary@example.com' },
    lines: [{ sku: ITEM.sku, name: ITEM.name, quantity: 1, price: ITEM.price }],
  });
  return `${numbered(first, last)}
    insert into service_pay_payments (reference, order_id, owner, data, amount, currency, state, review_reason, created_at, moved_at, check_at, check_pause_ms)
    select 'shop-' || key, 'order-' || key, 'browser-' || key, '${data}', '${ITEM.price}', '${ITEM.currency}', ${state}, null, ${createdAt}, ${createdAt}, ${checkAt}, 5000
    from keyed`;
}

export function bodyOf(reference: string): string {
  return JSON.stringify({
    event: 'collection.successful',
    data: {
      id: '9c1d2f64-7a0e-4b7c-8e57-6a1f4b3d2c33',
      initiatedAt: '2026-03-12T07:06:11.562Z',
      completedAt: '2026-03-12T07:06:15.412Z',
      amount: ITEM.price,
      fee: '0.25',
      bearer: 'merchant',
      currency: ITEM.currency,
      reference,
      serviceReference: '000000001',
      type: 'mobile-money',
      status: 'successful',
      source: 'api',
      reasonForFailure: null,
      settlementStatus: 'pending',
      settlement: null,
      mobileMoneyDetails: {
        country: 'zm',
        phone: '0961111111',
        operator: 'mtn',
        accountName: 'Mary',
        operatorTransactionId: 'MP260312.0706',
      },
      bankAccountDetails: null,
      cardDetails: null,
    },
  });
}

/** Does now what the server would otherwise do by itself, maybe during a measurement. */
function settle(kind: DatabaseKind): string[] {
  return kind === 'postgres'
    ? ['vacuum analyze', 'checkpoint']
    : ['pragma wal_checkpoint(truncate)'];
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  if (url.startsWith('file:')) {
    const file = new SqliteFile(url.slice('file:'.length), { timeout: 10_000 });
    file.pragma('cache_size = -400000');
    file.pragma('synchronous = off');
    for (const statement of statements) file.exec(statement);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // the references are correct by construction, so checking a million of them is skipped
  await client.query('set session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.end();
}
