import { openLoop } from '../../lab/load.ts';
import { percentile } from '../../lab/percentile.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { heldMb, peakMb } from '../support/process-use.ts';
import { type DatabaseKind, makeBenchDatabase } from './database.ts';
import { calmDown, startService, startShop, webhookCall, withPrograms } from './shop.ts';

const RATES = [
  100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1_000, 1_250, 1_600, 2_000, 2_500, 3_200, 4_000,
  5_000, 6_400, 8_000,
];
const LEAST_RATE = { sqlite: 1_000, postgres: 200 };
const INSTANCES = { sqlite: 1, postgres: 2 };
const P99_MS = 100;
const WARM_UP_S = 2;
const SECONDS_OF_MEMORY = 10;

interface Receivers {
  urls: string[];
  serviceUrl: string;
  placeOrders(count: number): Promise<string[]>;
}

/** B22 on SQLite with B26, memory at that rate; B23 with two instances on one PostgreSQL. */
export async function measureWebhooks(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const rate = await measureRate(kind, scale);
  return kind === 'sqlite' ? [rate, ...(await measureMemory(scale))] : [rate];
}

async function measureRate(kind: DatabaseKind, { runs, seconds }: Scale): Promise<Figure> {
  const { placeOrders, drop, url } = await makeBenchDatabase(kind, 1_000);
  const held = await withPrograms(async (keep) => {
    const { url: serviceUrl } = await keep(startService());
    const urls: string[] = [];
    while (urls.length < INSTANCES[kind]) urls.push((await keep(startShop(url, serviceUrl))).url);
    const receivers = { urls, serviceUrl, placeOrders };
    await load(receivers, LEAST_RATE[kind], WARM_UP_S);

    const rates: number[] = [];
    for (let run = 0; run < runs; run++)
      rates.push(await findRateHeld(receivers, seconds, rates.at(-1) || LEAST_RATE[kind]));
    return rates;
  });
  await drop();
  const where = kind === 'sqlite' ? 'sqlite' : 'postgres, data in memory, two instances';
  return {
    id: kind === 'sqlite' ? 'B22' : 'B23',
    name: `${where}, webhooks stored durably and acknowledged, p99 within ${P99_MS} ms`,
    unit: '/s',
    budget: LEAST_RATE[kind],
    direction: 'at least',
    runs: held,
  };
}

async function findRateHeld(receivers: Receivers, seconds: number, start: number): Promise<number> {
  const isHeld = async (rate: number) => (await load(receivers, rate, seconds)) <= P99_MS;
  let at = RATES.indexOf(start);
  if (await isHeld(start)) {
    while (at + 1 < RATES.length && (await isHeld(RATES[at + 1] as number))) at++;
    return RATES[at] as number;
  }
  while (--at >= 0) if (await isHeld(RATES[at] as number)) return RATES[at] as number;
  return 0;
}

/**
 * Returns the p99 of one load, infinite if any webhook was rejected: a service retries after half
 * an hour.
 */
async function load(
  { urls, serviceUrl, placeOrders }: Receivers,
  rate: number,
  seconds: number,
): Promise<number> {
  const webhooks = (await placeOrders(rate * seconds)).map(webhookCall);
  const latencies = await openLoop(
    urls,
    { perSecond: rate, seconds },
    (index) => webhooks[index] as (typeof webhooks)[number],
  );
  await calmDown(serviceUrl);
  return latencies.includes(Number.POSITIVE_INFINITY)
    ? Number.POSITIVE_INFINITY
    : percentile(latencies, 0.99);
}

/** Measures what shops hold after a collection, and their peaks, which contain room for new objects. */
async function measureMemory({ runs }: Scale): Promise<Figure[]> {
  const { placeOrders, drop, url } = await makeBenchDatabase('sqlite', 1_000);
  const held: number[] = [];
  const peaks: number[] = [];
  for (let run = 0; run < runs; run++) {
    await withPrograms(async (keep) => {
      const service = await keep(startService());
      const shop = await keep(startShop(url, service.url));
      const receivers = { urls: [shop.url], serviceUrl: service.url, placeOrders };
      await load(receivers, LEAST_RATE.sqlite, SECONDS_OF_MEMORY);
      peaks.push(peakMb(shop.pid));
      held.push(await heldMb(shop.pid));
    });
  }
  await drop();
  const shop = `of a shop that takes ${LEAST_RATE.sqlite} webhooks a second`;
  return [
    {
      id: 'B26',
      name: `sqlite, memory ${shop}, after a collection`,
      unit: 'MB',
      budget: 120,
      direction: 'at most',
      runs: held,
    },
    { id: '', name: `sqlite, most memory ${shop}`, unit: 'MB', runs: peaks },
  ];
}
