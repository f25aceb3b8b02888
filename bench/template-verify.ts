import { type Figure, median, quantile } from './figures.ts';
import { closedLoop, openLoop } from './load.ts';
import { type DatabaseKind, makeBenchDatabase } from './template-database.ts';
import {
  orderOver,
  type PlacedOrder,
  type Scale,
  startSample,
  startService,
  startShop,
  verify,
  withPrograms,
} from './template-shop.ts';

const ORDERS_PER_RUN = 600;

/**
 * How often pages ask about one order: the success callback, the return page, a reload of it, and
 * two looks while the customer waits.
 */
const VERIFIES_PER_ORDER = 5;

const CONNECTIONS = 32;
const RATE = 200;

/** Added to a service that answers at once, in milliseconds. */
export interface Added {
  p50: number;
  p99: number;
}

/**
 * B20 and B21: what the verify route carries and adds, beside the sample people write today and the
 * bare service.
 */
export async function measureVerify(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const database = await makeBenchDatabase(kind, 1_000);
  const figures = await withPrograms(async (keep) => {
    const service = await keep(startService());
    const shop = await keep(startShop(database.url, service.url));
    const sample = await keep(startSample(service.url));
    return [
      ...(await measureRates(kind, shop.url, sample.url, scale)),
      ...(await measureTimes(kind, shop.url, service.url, scale)),
    ];
  });
  await database.drop();
  return figures;
}

async function measureRates(
  kind: DatabaseKind,
  shopUrl: string,
  sampleUrl: string,
  { runs }: Scale,
): Promise<Figure[]> {
  const ratios = { all: [] as number[], first: [] as number[] };
  const rates = { shop: [] as number[], first: [] as number[], sample: [] as number[] };
  for (let number = 0; number <= runs; number++) {
    const batch = await orderOver(shopUrl, ORDERS_PER_RUN);
    const call = (index: number) => verify(batch[index % ORDERS_PER_RUN] as PlacedOrder);
    const again = (VERIFIES_PER_ORDER - 1) * ORDERS_PER_RUN;
    const firstRate = await closedLoop(shopUrl, ORDERS_PER_RUN, CONNECTIONS, call);
    const againRate = await closedLoop(shopUrl, again, CONNECTIONS, call);
    const ours = (ORDERS_PER_RUN + again) / (ORDERS_PER_RUN / firstRate + again / againRate);
    const theirs = await closedLoop(sampleUrl, ORDERS_PER_RUN + again, CONNECTIONS, call);
    if (number === 0) continue; // both warm up
    rates.shop.push(ours);
    rates.first.push(firstRate);
    rates.sample.push(theirs);
    ratios.all.push(ours / theirs);
    ratios.first.push(firstRate / theirs);
  }
  return [
    {
      id: 'B20',
      name: `${kind}, verify as pages ask, ${VERIFIES_PER_ORDER} times for each order, stored durably`,
      unit: '×',
      budget: 1,
      direction: 'at least',
      runs: ratios.all,
      floor: `today's sample ${median(rates.sample).toFixed(0)}/s without a store, template ${median(rates.shop).toFixed(0)}/s`,
    },
    {
      id: '',
      name: `${kind}, the first verify of each order alone: asked, paid, on the disk, handed over`,
      unit: '×',
      runs: ratios.first,
      floor: `the same sample, template ${median(rates.first).toFixed(0)}/s`,
    },
  ];
}

async function measureTimes(
  kind: DatabaseKind,
  shopUrl: string,
  serviceUrl: string,
  { runs, seconds }: Scale,
): Promise<Figure[]> {
  const added: Added[] = [];
  for (let number = 0; number < runs; number++)
    added.push(await measureAdded(shopUrl, serviceUrl, seconds));
  const name = `${kind}, verify, added to the service's answer at ${RATE}/s`;
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

/**
 * The first verify of each order through the shop, and the same of the bare service, one after the
 * other.
 */
export async function measureAdded(
  shopUrl: string,
  serviceUrl: string,
  seconds: number,
): Promise<Added> {
  const batch = await orderOver(shopUrl, RATE * seconds);
  const through = await openLoop([shopUrl], RATE, seconds, (index) =>
    verify(batch[index] as PlacedOrder),
  );
  const bare = await openLoop([serviceUrl], RATE, seconds, (index) => ({
    path: `/access/v2/collections/status/${batch[index]?.reference}`,
    method: 'GET',
  }));
  return {
    p50: quantile(through, 0.5) - quantile(bare, 0.5),
    p99: quantile(through, 0.99) - quantile(bare, 0.99),
  };
}
