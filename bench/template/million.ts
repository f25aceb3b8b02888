import { openDatabase } from '@service-pay/server/internal/database/open';
import { ShopStore } from '@service-pay/server/internal/payments/store';
import { type Figure, median, type Scale } from '../support/figures.ts';
import { type BenchDatabase, type DatabaseKind, makeBenchDatabase } from './database.ts';
import { startService, startShop, withPrograms } from './shop.ts';
import { measureAdded } from './verify.ts';

const FEW = 1_000;
const SEARCHES = 30;
const CLAIM_MS = 60_000;
const A_DAY_MS = 24 * 60 * 60_000;

/** B24 and B25: the slowdown with a million stored orders, and the time to find a due one. */
export async function measureMillion(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const many = await makeBenchDatabase(kind, scale.stored);
  const few = await makeBenchDatabase(kind, FEW);
  const figures = [await measureSearch(many, scale), await measureRatio(many, few, scale)];
  await many.drop();
  await few.drop();
  return figures;
}

/** A tenth of the payments is not paid, and all of those are due. No shop runs meanwhile. */
async function measureSearch({ kind, url }: BenchDatabase, { stored }: Scale): Promise<Figure> {
  const database = await openDatabase(url);
  const store = new ShopStore(database);
  const now = Date.now() + A_DAY_MS;
  const runs: number[] = [];
  for (let search = 0; search <= SEARCHES; search++) {
    const startedAt = performance.now();
    const claimed = await store.claimDue(now, 1, () => ({ claimMs: CLAIM_MS, pauseMs: CLAIM_MS }));
    if (claimed.length !== 1) throw new Error('No payment was due, so nothing was measured.');
    if (search > 0) runs.push(performance.now() - startedAt); // the first search warms up
  }
  await database.close();
  return {
    id: 'B25',
    name: `${kind}, finding and claiming the payment that is due the longest, of ${stored.toLocaleString('fr')}`,
    unit: 'ms',
    budget: 10,
    direction: 'at most',
    runs,
  };
}

async function measureRatio(
  many: BenchDatabase,
  few: BenchDatabase,
  { runs, seconds, stored }: Scale,
): Promise<Figure> {
  const added = { many: [] as number[], few: [] as number[] };
  await withPrograms(async (keep) => {
    const service = await keep(startService());
    const sides = [
      { name: 'many', shop: await keep(startShop(many.url, service.url)) },
      { name: 'few', shop: await keep(startShop(few.url, service.url)) },
    ] as const;
    for (let run = 0; run <= runs; run++) {
      for (const { name, shop } of run % 2 ? sides : [...sides].reverse()) {
        const { p50 } = await measureAdded(shop.url, service.url, seconds);
        if (run > 0) added[name].push(p50); // the first run warms up
      }
    }
  });
  return {
    id: 'B24',
    name: `${many.kind}, p50 of B21 with ${stored.toLocaleString('fr')} orders, against ${FEW.toLocaleString('fr')}`,
    unit: '×',
    budget: 1.2,
    direction: 'at most',
    runs: added.many.map((p50, run) => p50 / (added.few[run] as number)),
    compared: `${median(added.many).toFixed(1)} ms, ${median(added.few).toFixed(1)} ms`,
  };
}
