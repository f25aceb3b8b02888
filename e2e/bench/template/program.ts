import { setTimeout as pause } from 'node:timers/promises';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import { request } from 'undici';
import { openLoop } from '../../lab/load.ts';
import type { Figure, Scale } from '../support/figures.ts';
import type { DatabaseKind } from './database.ts';
import {
  orderOver,
  readCalls,
  startService,
  startShop,
  verify,
  webhookCall,
  withPrograms,
} from './shop.ts';

const VERIFIED_PAYMENTS = 5;
const CALLS_PER_SECOND = 200;
const LOAD_SECONDS = 7;
const WINDOW_MS = 2_000;

/** Difference between two calls' times on the way to the service, on a machine with other work. */
const ON_THE_WAY_MS = 500;

/** B27 and B28: how soon the shop responds, and how often it calls the service. */
export async function measureProgram(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  return [await measureStart(kind, scale), await measureCalls(kind)];
}

async function measureStart(kind: DatabaseKind, { runs }: Scale): Promise<Figure> {
  const starts: number[] = [];
  await withPrograms(async (keep) => {
    const service = await keep(startService());
    for (let start = 0; start < runs; start++) {
      const database = await makeDatabaseUrl(kind);
      const startedAt = performance.now();
      const shop = await startShop(database.url, service.url);
      await request(`${shop.url}/api/catalogue`).then(({ body }) => body.dump());
      starts.push((performance.now() - startedAt) / 1000);
      await shop.stop();
      await database.drop();
    }
  });
  return {
    id: 'B27',
    name: `${kind}, start to first response, empty database`,
    unit: 's',
    budget: 1,
    direction: 'at most',
    runs: starts,
  };
}

/**
 * A few payments that stay pending, verified by pages and reported by webhooks far more often
 * than in any real shop.
 */
async function measureCalls(kind: DatabaseKind): Promise<Figure> {
  const database = await makeDatabaseUrl(kind);
  const runs = await withPrograms(async (keep) => {
    const service = await keep(startService('pending'));
    const shops = [await keep(startShop(database.url, service.url))];
    if (kind === 'postgres') shops.push(await keep(startShop(database.url, service.url)));
    const orders = await orderOver((shops[0] as (typeof shops)[number]).url, VERIFIED_PAYMENTS);
    const calls = orders.flatMap((order) => [verify(order), webhookCall(order.reference)]);
    const urls = shops.map(({ url }) => url);
    await openLoop(
      urls,
      { perSecond: CALLS_PER_SECOND, seconds: LOAD_SECONDS },
      (index) => calls[Math.floor(index / urls.length) % calls.length] as (typeof calls)[number],
    );
    await pause(WINDOW_MS);
    const { times } = await readCalls(service.url);
    return orders.map(({ reference }) =>
      countMostWithin(times[reference] ?? [], WINDOW_MS - ON_THE_WAY_MS),
    );
  });
  await database.drop();
  return {
    id: 'B28',
    name: `${kind === 'postgres' ? 'postgres, two instances' : kind}, calls to the service about one payment in 2 s, verified ${CALLS_PER_SECOND / VERIFIED_PAYMENTS} times a second`,
    unit: 'calls',
    budget: 1,
    direction: 'at most',
    runs: [Math.max(...runs)],
  };
}

function countMostWithin(times: readonly number[], ms: number): number {
  if (!times.length) throw new Error('The service got no call about a payment.');
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + ms).length),
  );
}
