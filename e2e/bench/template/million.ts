import { median } from '../../lab/percentile.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { type BenchDatabase, type DatabaseKind, makeBenchDatabase } from './database.ts';
import { startService, startShop, withPrograms } from './shop.ts';
import { measureAdded } from './verify.ts';

const FEW = 1_000;

/** B24: the slowdown with a million stored orders. */
export async function measureMillion(kind: DatabaseKind, scale: Scale): Promise<Figure[]> {
  const many = await makeBenchDatabase(kind, scale.stored);
  const few = await makeBenchDatabase(kind, FEW);
  const figures = [await measureRatio(many, few, scale)];
  await many.drop();
  await few.drop();
  return figures;
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
