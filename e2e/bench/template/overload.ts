import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readRows } from '@service-pay/server/testing';
import { Pool } from 'undici';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { ShopProcess } from '../../faults/shop/shop-process.ts';
import { median } from '../../lab/percentile.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { type BenchDatabase, type DatabaseKind, makeBenchDatabase } from './database.ts';
import { startService, webhookCall, withPrograms } from './shop.ts';

const INSTANCES = 4;
const ORDERS = 1_000;

/** Of many calls that last this long, each is running while others are claimed and recorded. */
const FULFIL_MS = 1_000;

const CONNECTIONS = 250;
const SENT_AGAIN_AFTER_MS = 1_000;
const FULFILLED_WITHIN_MS = 300_000;

interface Burst {
  calls: number;
  rejected: number;
  seconds: number;
}

/**
 * B27b: four instances on one PostgreSQL get the webhooks of 1,000 paid orders at once, each at two
 * of them, which is more than they can store. However often they respond with 503, each order is
 * fulfilled in one call.
 */
export async function measureOverload(
  kind: DatabaseKind,
  { runs }: Pick<Scale, 'runs'>,
): Promise<Figure[]> {
  if (kind === 'sqlite') return []; // which one process uses
  const bursts: Burst[] = [];
  const database = await makeBenchDatabase(kind, ORDERS);
  await withPrograms(async (keep) => {
    const { url } = await keep(startService());
    for (let run = 0; run < runs; run++) bursts.push(await burst(database, url));
  });
  await database.drop();
  const rejected = median(bursts.map((one) => one.rejected));
  const seconds = median(bursts.map((one) => one.seconds));
  return [
    {
      id: 'B27b',
      name: `${kind}, four instances, ${ORDERS.toLocaleString('fr')} paid orders at once: calls of fulfil`,
      unit: 'calls',
      budget: ORDERS,
      direction: 'at most',
      runs: [Math.max(...bursts.map(({ calls }) => calls))],
      compared: `all fulfilled after ${seconds.toFixed(0)} s, ${rejected} webhooks rejected with 503`,
    },
  ];
}

async function burst(database: BenchDatabase, serviceUrl: string): Promise<Burst> {
  const references = await database.placeOrders(ORDERS);
  const folder = await mkdtemp(join(tmpdir(), 'overload-'));
  const ledger = join(folder, 'ledger');
  const shops: ShopProcess[] = [];
  const pools: Pool[] = [];
  try {
    while (shops.length < INSTANCES) {
      const port = await findFreePort();
      const settings = { ledger, fulfilMs: FULFIL_MS, port, databaseUrl: database.url, serviceUrl };
      shops.push(ShopProcess.begin(settings));
      pools.push(new Pool(`http://localhost:${port}`, { connections: CONNECTIONS }));
    }
    for (const shop of shops)
      if (!(await shop.responds())) throw new Error(`A shop ended:\n${shop.lines.join('\n')}`);

    const began = performance.now();
    const rejected = await Promise.all(
      [...references, ...references.slice(1), references[0]!].map((reference, at) =>
        deliver(pools[at % INSTANCES]!, reference),
      ),
    );
    await untilFulfilled(database, references, began + FULFILLED_WITHIN_MS);
    return {
      calls: (await readFile(ledger, 'utf8')).trimEnd().split('\n').length,
      rejected: rejected.reduce((sum, one) => sum + one, 0),
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all(shops.map((shop) => shop.stop()));
    await rm(folder, { recursive: true });
  }
}

/** Sends a webhook until it is stored, and returns how often it was rejected. */
async function deliver(pool: Pool, reference: string): Promise<number> {
  const { path, method, headers = {}, body = '' } = webhookCall(reference);
  for (let rejected = 0; ; rejected++) {
    const response = await pool.request({ path, method, headers, body });
    await response.body.dump();
    if (response.statusCode === 200) return rejected;
    await pause(SENT_AGAIN_AFTER_MS * (0.5 + Math.random()));
  }
}

async function untilFulfilled(
  { url }: BenchDatabase,
  references: readonly string[],
  giveUpAt: number,
): Promise<void> {
  const done = `select count(*) as n from service_pay_fulfilments
    where state = 'done' and reference in ('${references.join("','")}')`;
  for (;;) {
    const [row] = await readRows<{ n: number }>(url, done);
    if (row!.n === references.length) return;
    if (performance.now() > giveUpAt)
      throw new Error(`Only ${row!.n} orders were fulfilled within ${FULFILLED_WITHIN_MS} ms.`);
    await pause(200);
  }
}
