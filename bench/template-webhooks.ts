import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProgram } from '../scripts/server-program.ts';
import { type Figure, quantile } from './figures.ts';
import { closedLoop, openLoop } from './load.ts';
import { cpuSeconds, peakMb } from './process-use.ts';
import { type BenchDatabase, type DatabaseKind, makeBenchDatabase } from './template-database.ts';
import {
  calmDown,
  type Scale,
  signWebhook,
  startSample,
  startService,
  startShop,
  withPrograms,
} from './template-shop.ts';

/** Loads a second, each a quarter or so above the one before. */
const RATES = [250, 500, 750, 1_000, 1_250, 1_600, 2_000, 2_500, 3_200, 4_000, 5_000, 6_300, 8_000];
const ASKED_RATE = 2_000;
const P99_MS = 100;
const SECONDS_OF_MEMORY = 10;
const WARM_UP = { rate: 1_000, seconds: 2 };
const CONNECTIONS = 16;
const SAMPLE_WEBHOOKS = { inMemory: 4_000, inFile: 300 };

/** Who takes webhooks, what for, and the service behind. */
interface Receivers {
  urls: string[];
  serviceUrl: string;
  /** So many references of orders that nobody has told of yet. */
  takeOrders(count: number): Promise<string[]>;
}

/**
 * B22 on a file, B23 with two instances on one PostgreSQL: the rate held, and what a webhook takes.
 * B26: memory at the rate that is asked for.
 */
export async function measureWebhooks(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const database = await makeBenchDatabase(kind, 1_000);
  const figures = await withPrograms(async (keep) => {
    const service = await keep(startService());
    const shops = [await keep(startShop(database.url, service.url))];
    if (kind === 'postgres') shops.push(await keep(startShop(database.url, service.url)));
    const receivers = {
      urls: shops.map(({ url }) => url),
      serviceUrl: service.url,
      takeOrders: database.placeOrders,
    };
    await load(receivers, WARM_UP.rate, WARM_UP.seconds);

    const held: number[] = [];
    const p99s: number[] = [];
    const worked: number[] = [];
    for (let run = 0; run < scale.runs; run++) {
      const before = sum(shops.map(({ pid }) => cpuSeconds(pid)));
      const asked = await load(receivers, ASKED_RATE, scale.seconds);
      const used = sum(shops.map(({ pid }) => cpuSeconds(pid))) - before;
      worked.push((used * 1000) / (ASKED_RATE * scale.seconds));
      p99s.push(asked);
      held.push(await findRateHeld(receivers, scale.seconds, asked <= P99_MS));
    }
    return tellRates(kind, { held, p99s, worked }, await compare(kind, service.url));
  });
  await database.drop();
  return [...figures, await measureMemory(kind, scale)];
}

function tellRates(
  kind: DatabaseKind,
  { held, p99s, worked }: Record<'held' | 'p99s' | 'worked', number[]>,
  floor: string,
): Figure[] {
  const [id, where] = kind === 'sqlite' ? ['B22', 'sqlite'] : ['B23', 'postgres, two instances'];
  return [
    {
      id,
      name: `${where}, webhooks stored durably and acknowledged, p99 within ${P99_MS} ms`,
      unit: '/s',
      budget: ASKED_RATE,
      direction: 'at least',
      runs: held,
      floor,
    },
    { id: '', name: `${where}, p99 of webhooks at ${ASKED_RATE}/s`, unit: 'ms', runs: p99s },
    {
      id: '',
      name: `${where}, processor time of the shop for a webhook, its confirm and its hand-over`,
      unit: 'ms',
      runs: worked,
    },
  ];
}

/** Climbs from the rate that is asked for, or down from it, to the highest that is held. */
async function findRateHeld(
  receivers: Receivers,
  seconds: number,
  isAskedRateHeld: boolean,
): Promise<number> {
  const at = RATES.indexOf(ASKED_RATE);
  if (isAskedRateHeld) {
    let held = ASKED_RATE;
    for (const rate of RATES.slice(at + 1)) {
      if ((await load(receivers, rate, seconds)) > P99_MS) break;
      held = rate;
    }
    return held;
  }
  for (const rate of RATES.slice(0, at).reverse())
    if ((await load(receivers, rate, seconds)) <= P99_MS) return rate;
  return 0;
}

/**
 * Gives the p99 of one load, infinite where any webhook was refused: a service sends that again
 * half an hour later.
 */
async function load(
  { urls, serviceUrl, takeOrders }: Receivers,
  rate: number,
  seconds: number,
): Promise<number> {
  const webhooks = (await takeOrders(rate * seconds)).map(signWebhook);
  const latencies = await openLoop(
    urls,
    rate,
    seconds,
    (index) => webhooks[index] as (typeof webhooks)[number],
  );
  await calmDown(serviceUrl);
  return latencies.includes(Number.POSITIVE_INFINITY)
    ? Number.POSITIVE_INFINITY
    : quantile(latencies, 0.99);
}

/**
 * What the sample people write today takes as fast as it is sent: a mark in memory, and a row of a
 * file for each.
 */
async function compare(kind: DatabaseKind, serviceUrl: string): Promise<string> {
  if (kind === 'postgres') return '';
  const folder = await mkdtemp(join(tmpdir(), 'service-pay-bench-'));
  const [inMemory, inFile] = await withPrograms(async (keep) => [
    await pushThrough(await keep(startSample(serviceUrl)), SAMPLE_WEBHOOKS.inMemory),
    await pushThrough(
      await keep(startSample(serviceUrl, join(folder, 'sample.db'))),
      SAMPLE_WEBHOOKS.inFile,
    ),
  ]);
  await rm(folder, { recursive: true });
  return `today's sample, which asks nobody, at most ${inMemory}/s in memory alone, ${inFile}/s with a row of SQLite for each`;
}

async function pushThrough({ url }: ServerProgram, count: number): Promise<string> {
  const webhooks = Array.from({ length: 2 * count }, (_, at) =>
    signWebhook(`shop-${at}qGx0Zt7WmPbKeRu9`),
  );
  await closedLoop(
    url,
    count,
    CONNECTIONS,
    (index) => webhooks[count + index] as (typeof webhooks)[number],
  );
  const rate = await closedLoop(
    url,
    count,
    CONNECTIONS,
    (index) => webhooks[index] as (typeof webhooks)[number],
  );
  return rate.toFixed(0);
}

async function measureMemory(kind: DatabaseKind, { runs, seconds }: Scale): Promise<Figure> {
  const database = await makeBenchDatabase(kind, 1_000);
  const peaks: number[] = [];
  for (let run = 0; run < runs; run++)
    peaks.push(await measurePeak(database, Math.max(seconds, runs > 1 ? SECONDS_OF_MEMORY : 0)));
  await database.drop();
  const name = `${kind}, the most memory of a shop that takes ${ASKED_RATE} webhooks a second`;
  return { id: 'B26', name, unit: 'MB', budget: 150, direction: 'at most', runs: peaks };
}

/**
 * Of a shop that has done nothing else, without a warm-up. Two instances share the rate; the larger
 * one counts.
 */
function measurePeak(database: BenchDatabase, seconds: number): Promise<number> {
  return withPrograms(async (keep) => {
    const service = await keep(startService());
    const shops = [await keep(startShop(database.url, service.url))];
    if (database.kind === 'postgres') shops.push(await keep(startShop(database.url, service.url)));
    const urls = shops.map(({ url }) => url);
    await load(
      { urls, serviceUrl: service.url, takeOrders: database.placeOrders },
      ASKED_RATE,
      seconds,
    );
    return Math.max(...shops.map(({ pid }) => peakMb(pid)));
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
