import type { Log } from '../observe/log.ts';
import { type Clock, repeat } from '../support/clock.ts';
import type { Database } from './open.ts';

const MEASURE_EVERY_MS = 30_000;

/** The answer that came quickest of so many says best what time it is. */
const MEASUREMENTS = 3;

/**
 * A clock further off than this is worth a word: signatures, certificates and logs go by it, too.
 */
const WORTH_A_WORD_MS = 2_000;

/**
 * The time of the database, for instances that share one: what one of them plans is due for all
 * (T111). A file is shared with this machine alone, and a clock that a test moves is left as it is.
 * Measures again every half a minute until `stop`.
 */
export async function startDatabaseClock(
  { pool }: Pick<Database, 'pool'>,
  clock: Clock,
  log: Log,
): Promise<{ clock: Clock; stop(): void }> {
  if (!pool || !clock.isOfMachine) return { clock, stop: () => {} };
  let offsetMs = await measureOffset(pool, clock);
  if (Math.abs(offsetMs) > WORTH_A_WORD_MS)
    log.warn(
      { offsetMs },
      'clock of this machine differs from that of the database, which is used',
    );
  const stop = repeat(clock, MEASURE_EVERY_MS, async () => {
    offsetMs = await measureOffset(pool, clock).catch(() => offsetMs);
  });
  return {
    clock: { now: () => clock.now() + offsetMs, after: (ms, task) => clock.after(ms, task) },
    stop,
  };
}

async function measureOffset(pool: NonNullable<Database['pool']>, clock: Clock): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let measured = 0; measured < MEASUREMENTS; measured++) {
    const before = clock.now();
    const { rows } = await pool.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    );
    const after = clock.now();
    const tookMs = after - before;
    if (tookMs < 0) continue; // the machine's clock was set back meanwhile
    if (tookMs < best.tookMs)
      best = { tookMs, offsetMs: Math.round(rows[0]!.now - (before + after) / 2) };
  }
  return best.offsetMs;
}
