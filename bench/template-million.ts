import { openDatabase } from '../bff-example/src/database.ts';
import { ShopStore } from '../bff-example/src/shop-store.ts';
import type { Figure } from './figures.ts';
import { closedLoop } from './load.ts';
import { type BenchDatabase, type DatabaseKind, makeBenchDatabase } from './template-database.ts';
import {
  calmDown,
  type Scale,
  signWebhook,
  startService,
  startShop,
  withPrograms,
} from './template-shop.ts';
import { type Added, measureAdded } from './template-verify.ts';

const FEW = 1_000;
const SEARCHES = 30;
const CLAIM_MS = 60_000;
const MOST_CLAIMED = 200;
const A_DAY_MS = 24 * 60 * 60_000;
const WEBHOOKS = 4_000;
const CONNECTIONS = 64;

/**
 * B24 and B25: what a million orders that are stored change, and how the few that are due are found
 * among them.
 */
export async function measureMillion(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const many = await makeBenchDatabase(kind, scale.stored);
  const few = await makeBenchDatabase(kind, FEW);
  const figures = [
    ...(await measureSearch(many, scale)),
    ...(await measureRatios(many, few, scale)),
  ];
  await many.drop();
  await few.drop();
  return figures;
}

/** A tenth of the orders is not paid, all of that due. No shop runs meanwhile. */
async function measureSearch({ kind, url }: BenchDatabase, { stored }: Scale): Promise<Figure[]> {
  const database = await openDatabase(url);
  const store = new ShopStore(database);
  const now = Date.now() + A_DAY_MS;
  const claimOften = async (limit: number) => {
    const runs: number[] = [];
    for (let search = 0; search <= SEARCHES; search++) {
      const startedAt = performance.now();
      const claimed = await store.claimDue(now, limit, () => ({
        claimMs: CLAIM_MS,
        pauseMs: CLAIM_MS,
      }));
      if (claimed.length !== limit)
        throw new Error(`${claimed.length} payments were due, and ${limit} were expected.`);
      if (search > 0) runs.push(performance.now() - startedAt);
    }
    return runs;
  };
  const runs = await claimOften(1);
  const most = await claimOften(MOST_CLAIMED);
  await database.close();
  const where = `${kind}, ${stored.toLocaleString('fr')} orders`;
  return [
    {
      id: 'B25',
      name: `${where}, the payment that is due the longest found, and its claim on the disk`,
      unit: 'ms',
      budget: 10,
      direction: 'at most',
      runs,
    },
    { id: '', name: `${where}, the same of ${MOST_CLAIMED} payments`, unit: 'ms', runs: most },
  ];
}

/** Two shops side by side, in turn. */
async function measureRatios(
  many: BenchDatabase,
  few: BenchDatabase,
  { runs, seconds, stored }: Scale,
): Promise<Figure[]> {
  const added: { many: Added[]; few: Added[] } = { many: [], few: [] };
  const rates: { many: number[]; few: number[] } = { many: [], few: [] };
  await withPrograms(async (keep) => {
    const service = await keep(startService());
    const sides = [
      { name: 'many', database: many, shop: await keep(startShop(many.url, service.url)) },
      { name: 'few', database: few, shop: await keep(startShop(few.url, service.url)) },
    ] as const;
    for (let run = 0; run <= runs; run++) {
      for (const { name, database, shop } of run % 2 ? sides : [...sides].reverse()) {
        const verifies = await measureAdded(shop.url, service.url, seconds);
        const webhooks = (await database.placeOrders(WEBHOOKS)).map(signWebhook);
        const rate = await closedLoop(
          shop.url,
          WEBHOOKS,
          CONNECTIONS,
          (index) => webhooks[index] as (typeof webhooks)[number],
        );
        await calmDown(service.url);
        if (run === 0) continue; // both warm up
        added[name].push(verifies);
        rates[name].push(rate);
      }
    }
  });
  const ratiosOf = (part: keyof Added) =>
    added.many.map((times, run) => times[part] / (added.few[run] as Added)[part]);
  const where = `${many.kind}, ${stored.toLocaleString('fr')} orders against ${FEW}`;
  const bound = { id: 'B24', unit: '×', budget: 1.2, direction: 'at most' } as const;
  return [
    { ...bound, name: `${where}, what a verify adds, p50`, runs: ratiosOf('p50') },
    { ...bound, name: `${where}, what a verify adds, p99`, runs: ratiosOf('p99') },
    {
      ...bound,
      name: `${where}, time for a webhook`,
      runs: rates.many.map((rate, run) => (rates.few[run] as number) / rate),
    },
  ];
}
