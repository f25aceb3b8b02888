import { sql } from 'kysely';
import { type Clock, repeat, type Stop } from '../support/clock.ts';
import type { Database } from './database.ts';

const MEASURE_EVERY_MS = 30_000;

const WORTH_A_WARNING_MS = 2_000;

/**
 * Returns a clock that follows the database, so that instances that share one agree on what is due
 * (T111). Leaves the clock alone for a file, which only this machine uses, and for a clock that a
 * test moves. Measures again every 30 s until `stop`, and on `measure`.
 */
export async function startDatabaseClock(
  { kind, db }: Pick<Database, 'kind' | 'db'>,
  clock: Clock,
  log: { warn(fields: object, message: string): void },
): Promise<{ clock: Clock; measure(): Promise<void>; stop: Stop }> {
  if (kind === 'sqlite' || !clock.isOfMachine)
    return { clock, measure: async () => {}, stop: async () => {} };
  const readOffset = () =>
    // takes its connection first, because waiting for one is not part of the way to the server
    db.connection().execute(async (connection) => {
      const before = clock.now();
      const { rows } = await sql<{ now: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(connection);
      return Math.round(rows[0]!.now - (before + clock.now()) / 2);
    });
  let offsetMs = await readOffset();
  if (Math.abs(offsetMs) > WORTH_A_WARNING_MS)
    log.warn({ offsetMs }, 'clock skew; using database time');
  const measure = async () => {
    offsetMs = await readOffset().catch(() => offsetMs);
  };
  const stop = repeat(clock, MEASURE_EVERY_MS, measure);
  return {
    clock: { now: () => clock.now() + offsetMs, after: (ms, task) => clock.after(ms, task) },
    measure,
    stop,
  };
}
