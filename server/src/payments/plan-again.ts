import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { IS_POLLED, NEVER } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import { type Clock, repeat, type Stop } from '../support/clock.ts';

/** Longer than any pause before the next poll or call, and than a lease. */
const FARTHEST_MS = 12 * 60 * 60_000;

const LOOK_EVERY_MS = 60_000;
const PLAN_EVERY_MS = 10 * 60_000;

/**
 * Returns a function that makes due what was planned while the clock was ahead. It looks at most every
 * ten minutes, and at once after the clock was set back.
 */
export function buildPlanAgain(database: Database, clock: Clock): () => Promise<void> {
  let plannedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const passedMs = clock.now() - plannedAt;
    if (passedMs >= 0 && passedMs < PLAN_EVERY_MS) return;
    await planAgain(database, clock.now());
    plannedAt = clock.now();
  };
}

/** Does the same at once, and until the returned function is called. */
export function startPlanningAgain(database: Database, clock: Clock, log: Log): Stop {
  const plan = buildPlanAgain(database, clock);
  const look = () =>
    plan().catch((err: unknown) => {
      log.warn({ err }, 'plans of a wrong clock not read, will retry');
    });
  const first = look();
  const stop = repeat(clock, LOOK_EVERY_MS, look);
  return async () => {
    await Promise.all([first, stop()]);
  };
}

async function planAgain({ write }: Database, now: number): Promise<void> {
  const farthest = now + FARTHEST_MS;
  await write(async (trx) => {
    await sql`update service_pay_payments set check_at = ${now}
      where ${IS_POLLED} and check_at > ${farthest} and check_at < ${NEVER}`.execute(trx);
    await sql`update service_pay_fulfilments set due_at = ${now}
      where state = 'waiting' and due_at > ${farthest}`.execute(trx);
    await sql`update service_pay_fulfilments set lease_until = ${now}
      where state = 'waiting' and lease_until > ${farthest}`.execute(trx);
  });
}
