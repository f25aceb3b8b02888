import { closedLoop, openLoop } from '../../lab/load.ts';
import { median, percentile } from '../../lab/percentile.ts';
import type { PlacedOrder } from '../../lab/placed-order.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { type DatabaseKind, makeBenchDatabase } from './database.ts';
import { orderOver, startSample, startService, startShop, verify, withPrograms } from './shop.ts';

const ORDERS_PER_RUN = 600;

/**
 * Questions of pages about one order: the success callback, the return page, a reload of it, and
 * two looks while the customer waits.
 */
const VERIFIES_PER_ORDER = 5;

const CONNECTIONS = 32;
const RATE = 200;

export interface Added {
  p50: number;
  p99: number;
}

/**
 * B20 and B21: the rate of the verify route, against the sample people write today, and the time it
 * adds to the bare service.
 */
export async function measureVerify(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const database = await makeBenchDatabase(kind, 1_000);
  const figures = await withPrograms(async (keep) => {
    const service = await keep(startService());
    const shop = await keep(startShop(database.url, service.url));
    const sample = await keep(startSample(service.url));
    return [
      await measureRate(kind, shop.url, sample.url, scale),
      ...(await measureTimes(kind, shop.url, service.url, scale)),
    ];
  });
  await database.drop();
  return figures;
}

async function measureRate(
  kind: DatabaseKind,
  shopUrl: string,
  sampleUrl: string,
  { runs }: Scale,
): Promise<Figure> {
  const rates: { shop: number; sample: number }[] = [];
  for (let run = 0; run <= runs; run++) {
    const orders = await orderOver(shopUrl, ORDERS_PER_RUN);
    const count = VERIFIES_PER_ORDER * ORDERS_PER_RUN;
    const load = { count, connections: CONNECTIONS };
    const call = (index: number) => verify(orders[index % ORDERS_PER_RUN] as PlacedOrder);
    const shop = await closedLoop(shopUrl, load, call);
    const sample = await closedLoop(sampleUrl, load, call);
    if (run > 0) rates.push({ shop, sample }); // the first run warms up
  }
  const shop = median(rates.map((rate) => rate.shop));
  const sample = median(rates.map((rate) => rate.sample));
  return {
    id: 'B20',
    name: `${kind}, verify responses per second, against today's sample, which stores nothing`,
    unit: '×',
    runs: rates.map((rate) => rate.shop / rate.sample),
    compared: `template ${shop.toFixed(0)}/s, sample ${sample.toFixed(0)}/s`,
  };
}

async function measureTimes(
  kind: DatabaseKind,
  shopUrl: string,
  serviceUrl: string,
  { runs, seconds }: Scale,
): Promise<Figure[]> {
  const added: Added[] = [];
  for (let run = 0; run < runs; run++) added.push(await measureAdded(shopUrl, serviceUrl, seconds));
  const name = `${kind}, verify, time added to the service's response at ${RATE}/s`;
  return [
    {
      id: 'B21',
      name: `${name}, p50`,
      unit: 'ms',
      budget: 3,
      direction: 'at most',
      runs: added.map(({ p50 }) => p50),
    },
    {
      id: 'B21',
      name: `${name}, p99`,
      unit: 'ms',
      budget: 25,
      direction: 'at most',
      runs: added.map(({ p99 }) => p99),
    },
  ];
}

export async function measureAdded(
  shopUrl: string,
  serviceUrl: string,
  seconds: number,
): Promise<Added> {
  const batch = await orderOver(shopUrl, RATE * seconds);
  const timetable = { perSecond: RATE, seconds };
  const through = await openLoop([shopUrl], timetable, (index) =>
    verify(batch[index] as PlacedOrder),
  );
  const bare = await openLoop([serviceUrl], timetable, (index) => ({
    path: `/access/v2/collections/status/${batch[index]?.reference}`,
    method: 'GET',
  }));
  return {
    p50: percentile(through, 0.5) - percentile(bare, 0.5),
    p99: percentile(through, 0.99) - percentile(bare, 0.99),
  };
}
