import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';

import { findFreePort, startServerProgram } from '../scripts/server-program.ts';
import { type Figure, median, quantile } from './figures.ts';
import { closedLoop, openLoop } from './load.ts';

const RUNS = 9;
const ORDERS_PER_RUN = 600;

/** How often pages ask about one order: the success callback, the return page, a reload of it, and two looks while the customer waits. */
const VERIFIES_PER_ORDER = 5;

const CONNECTIONS = 32;
const RATE = 200;
const SECONDS = 2;

/** B20 and B21: what the template's verify route carries and adds, beside the sample people write today and the bare service. */
export async function measureTemplate(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'service-pay-bench-'));
  const [port, servicePort, samplePort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  const shop = await startServerProgram('bff-example/src/main.ts', [], {
    PORT: String(port),
    TRUST_PROXY: '1',
    DATABASE_URL: `file:${join(folder, 'shop.db')}`,
    SERVICE_PAY_API_URL: serviceUrl,
    SERVICE_PAY_SCRIPT_URL: `${serviceUrl}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'bench-session-secret-0123456789abcdefghij',
  });
  const item = await firstItem(shop.url);
  const service = await startServerProgram('bench/upstream.ts', [String(servicePort), item.price, item.currency], {});
  const sample = await startServerProgram('bench/floor/sample-shop.ts', [serviceUrl, String(samplePort)], {});
  try {
    const verify = ({ reference, cookie }: PlacedOrder) => ({
      path: `/api/payments/${reference}/verify`,
      method: 'POST' as const,
      headers: { cookie },
    });

    const ratios = { all: [] as number[], first: [] as number[] };
    const rates = { shop: [] as number[], first: [] as number[], sample: [] as number[] };
    for (let number = 0; number <= RUNS; number++) {
      const batch = await placeOrders(shop.url, item.sku, ORDERS_PER_RUN);
      const call = (index: number) => verify(batch[index % ORDERS_PER_RUN] as PlacedOrder);
      const again = (VERIFIES_PER_ORDER - 1) * ORDERS_PER_RUN;
      const firstRate = await closedLoop(shop.url, ORDERS_PER_RUN, CONNECTIONS, call);
      const againRate = await closedLoop(shop.url, again, CONNECTIONS, call);
      const ours = (ORDERS_PER_RUN + again) / (ORDERS_PER_RUN / firstRate + again / againRate);
      const theirs = await closedLoop(sample.url, ORDERS_PER_RUN + again, CONNECTIONS, call);
      if (number === 0) continue; // both warm up
      rates.shop.push(ours);
      rates.first.push(firstRate);
      rates.sample.push(theirs);
      ratios.all.push(ours / theirs);
      ratios.first.push(firstRate / theirs);
    }

    const added = { p50: [] as number[], p99: [] as number[] };
    for (let number = 0; number < RUNS; number++) {
      const batch = await placeOrders(shop.url, item.sku, RATE * SECONDS);
      const through = await openLoop(shop.url, RATE, SECONDS, (index) => verify(batch[index] as PlacedOrder));
      const bare = await openLoop(serviceUrl, RATE, SECONDS, (index) => ({
        path: `/access/v2/collections/status/${batch[index]?.reference}`,
        method: 'GET',
      }));
      added.p50.push(quantile(through, 0.5) - quantile(bare, 0.5));
      added.p99.push(quantile(through, 0.99) - quantile(bare, 0.99));
    }

    return [
      {
        id: 'B20',
        name: `verify as pages ask, ${VERIFIES_PER_ORDER} times for each order, stored durably`,
        unit: '×',
        budget: 1,
        direction: 'at least',
        runs: ratios.all,
        floor: `today's sample ${median(rates.sample).toFixed(0)}/s without a store, template ${median(rates.shop).toFixed(0)}/s`,
      },
      {
        id: '',
        name: 'the first verify of each order alone: asked, paid, on the disk, handed over',
        unit: '×',
        runs: ratios.first,
        floor: `the same sample, template ${median(rates.first).toFixed(0)}/s`,
      },
      {
        id: 'B21',
        name: `verify, added to the service's answer at ${RATE}/s, p50`,
        unit: 'ms',
        budget: 3,
        direction: 'at most',
        runs: added.p50,
      },
      {
        id: 'B21',
        name: `verify, added to the service's answer at ${RATE}/s, p99`,
        unit: 'ms',
        budget: 25,
        direction: 'at most',
        runs: added.p99,
      },
    ];
  } finally {
    await Promise.all([shop, sample, service].map((program) => program.stop()));
    await rm(folder, { recursive: true });
  }
}

interface PlacedOrder {
  reference: string;
  cookie: string;
}

async function firstItem(url: string): Promise<{ sku: string; price: string; currency: string }> {
  const answer = await request(`${url}/api/catalogue`);
  const { data } = (await answer.body.json()) as { data: { sku: string; price: string; currency: string }[] };
  if (!data[0]) throw new Error('The catalogue is empty: there is nothing to order.');
  return data[0];
}

/** Orders one item again and again just before the orders are verified, so that the reconciler has not asked yet. Each comes from an address and a browser of its own: orders are limited by address. */
async function placeOrders(url: string, sku: string, count: number): Promise<PlacedOrder[]> {
  const body = JSON.stringify({ items: [{ sku, quantity: 1 }], customer: { email: 'mary@example.com' } });
  const orders: PlacedOrder[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) orders.push(await placeOrder(url, body, next++));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return orders;
}

async function placeOrder(url: string, body: string, number: number): Promise<PlacedOrder> {
  const answer = await request(`${url}/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${number >> 8}.${number & 255}` },
    body,
  });
  const placed = (await answer.body.json()) as { message: string; data: { reference: string } };
  if (answer.statusCode !== 201) throw new Error(`An order was answered ${answer.statusCode}: ${placed.message}`);
  return { reference: placed.data.reference, cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' };
}
