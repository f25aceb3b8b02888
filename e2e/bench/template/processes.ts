import { availableParallelism } from 'node:os';
import { Pool } from 'undici';
import { median, percentile } from '../../lab/percentile.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { type DatabaseKind, makeBenchDatabase } from './database.ts';
import { calmDown, startService, startShop, webhookCall, withPrograms } from './shop.ts';

const COUNTS = [1, 2, 4];

/** More would measure how webhooks wait, and not how many are stored. */
const IN_FLIGHT = 32;

const MOST_A_SECOND = 1_000;

interface Load {
  storedASecond: number;
  p99Ms: number;
  rejected: number;
}

/**
 * How many webhooks one, two and four processes on one PostgreSQL store, without a verdict: on one
 * machine, all of them share its processors with PostgreSQL, the service and the sender.
 */
export async function measureProcesses(
  kind: DatabaseKind,
  { runs, seconds }: Pick<Scale, 'runs' | 'seconds'>,
): Promise<Figure[]> {
  if (kind === 'sqlite') return []; // which one process uses
  const { url, placeOrders, drop } = await makeBenchDatabase(kind, 1_000);
  const loads = new Map<number, Load[]>(COUNTS.map((count) => [count, []]));
  for (let run = 0; run < runs; run++)
    for (const count of COUNTS)
      await withPrograms(async (keep) => {
        const service = await keep(startService());
        const urls: string[] = [];
        while (urls.length < count) urls.push((await keep(startShop(url, service.url))).url);
        await load(urls, await placeOrders(MOST_A_SECOND), 1);
        const references = await placeOrders(MOST_A_SECOND * seconds);
        loads.get(count)!.push(await load(urls, references, seconds));
        await calmDown(service.url);
      });
  await drop();
  return COUNTS.map((count) => {
    const measured = loads.get(count)!;
    const middle = (name: keyof Load) => median(measured.map((one) => one[name]));
    return {
      id: '',
      name: `postgres, data in memory, ${count} ${count === 1 ? 'process' : 'processes'} on ${availableParallelism()} processors, webhooks stored`,
      unit: '/s',
      runs: measured.map(({ storedASecond }) => storedASecond),
      compared: `p99 ${middle('p99Ms').toFixed(0)} ms, ${middle('rejected')} rejected with 503`,
    };
  });
}

/** Sends webhooks, each once the response to another has come. */
async function load(
  urls: readonly string[],
  references: readonly string[],
  seconds: number,
): Promise<Load> {
  const pools = urls.map((url) => new Pool(url, { connections: IN_FLIGHT }));
  const latencies: number[] = [];
  let rejected = 0;
  let at = 0;
  const endsAt = performance.now() + seconds * 1_000;
  const send = async () => {
    while (performance.now() < endsAt && at < references.length) {
      const { path, method, headers = {}, body = '' } = webhookCall(references[at]!);
      const pool = pools[at++ % pools.length]!;
      const sentAt = performance.now();
      const response = await pool.request({ path, method, headers, body });
      await response.body.dump();
      if (response.statusCode === 200) latencies.push(performance.now() - sentAt);
      else rejected += 1;
    }
  };
  const beganAt = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  const tookS = (performance.now() - beganAt) / 1_000;
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { storedASecond: latencies.length / tookS, p99Ms: percentile(latencies, 0.99), rejected };
}
