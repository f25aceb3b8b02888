import type { Kysely } from 'kysely';
import { pause, realClock } from '../support/clock.ts';
import { isSqliteError, NoResponseError } from '../support/database-failure.ts';
import type { Failpoint } from '../support/failpoint.ts';
import type { Database, Write } from './database.ts';
import type { Tables } from './schema.ts';

const MOST_TOGETHER = 200;

const MOST_WAITING = 5_000;

/** The pause while another process writes. SQLite's own busy timeout would block the event loop. */
const BUSY_PAUSE_MS = 10;

const IN_USE =
  'Another process holds the file, and SQLite allows one writer. End that process, or set `database` (in the template DATABASE_URL) to a PostgreSQL.';

interface Waiting {
  write: Write<unknown>;
  giveUpAt: number;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches the writes that arrive during a commit into the next transaction, so that one disk sync
 * serves all of them. A write resolves once it is on disk. If one fails, all are rolled back, and
 * each runs again in its own transaction.
 */
export function buildGroupCommit(
  db: Kysely<Tables>,
  respondWithinMs: number,
  failpoint: Failpoint,
): Database['write'] {
  let waiting: Waiting[] = [];
  let isCommitting = false;

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MOST_WAITING)
        throw new NoResponseError(
          `${MOST_WAITING} writes wait for the disk. If this lasts, use a faster disk, or PostgreSQL.`,
        );
      waiting.push({ write, giveUpAt: realClock.now() + respondWithinMs, resolve, reject });
      if (!isCommitting) void commitAll();
    });

  async function commitAll(): Promise<void> {
    isCommitting = true;
    while (waiting.length) {
      // lets the event loop accept other writes that have arrived
      await new Promise(setImmediate);
      await commit(waiting.splice(0, MOST_TOGETHER));
    }
    isCommitting = false;
  }

  async function commit(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await db.transaction().execute(async (trx) => {
        const results: unknown[] = [];
        for (const { write } of together) results.push(await write(trx));
        await failpoint('before-commit');
        return results;
      });
      await failpoint('after-commit');
      for (const [at, { resolve }] of together.entries()) resolve(results[at] as never);
    } catch (error) {
      if (isBusy(error)) await waitForOther(together, error);
      else if (together.length === 1) together[0]!.reject(error);
      else for (const one of together) await commit([one]);
    }
  }

  async function waitForOther(together: readonly Waiting[], cause: unknown): Promise<void> {
    const now = realClock.now();
    for (const { giveUpAt, reject } of together)
      if (giveUpAt <= now) reject(new NoResponseError(IN_USE, { cause }));
    waiting = [...together.filter(({ giveUpAt }) => giveUpAt > now), ...waiting];
    await pause(realClock, BUSY_PAUSE_MS);
  }
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}
