import SqliteFile from 'better-sqlite3';
import type { Kysely } from 'kysely';

import { pause, realClock } from '../support/clock.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Write } from './open.ts';
import type { Tables } from './schema.ts';

const MOST_TOGETHER = 200;

const MOST_WAITING = 5_000;

/** The pause while another process writes. Waiting in SQLite would hold the event loop. */
const BUSY_PAUSE_MS = 10;

interface Waiting {
  write: Write<unknown>;
  giveUpAt: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers the writes that arrive while a file commits into the next transaction, so that the disk
 * syncs once for all of them. A write resolves when it is on the disk. If one fails, all are undone,
 * and each runs again in a transaction of its own.
 */
export class GroupCommit {
  readonly #db: Kysely<Tables>;
  readonly #answerWithinMs: number;
  readonly #failpoint: Failpoint;
  #waiting: Waiting[] = [];
  #isCommitting = false;

  constructor(db: Kysely<Tables>, answerWithinMs: number, failpoint: Failpoint) {
    this.#db = db;
    this.#answerWithinMs = answerWithinMs;
    this.#failpoint = failpoint;
  }

  run<Result>(write: Write<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#waiting.length >= MOST_WAITING)
      reject(new NoAnswerError('Too many writes wait for the database.'));
    else {
      const giveUpAt = realClock.now() + this.#answerWithinMs;
      this.#waiting.push({ write, giveUpAt, resolve, reject });
      if (!this.#isCommitting) void this.#commitAll();
    }
    return promise as Promise<Result>;
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    while (this.#waiting.length) {
      // lets the event loop take what else has arrived
      await new Promise(setImmediate);
      await this.#commit(this.#waiting.splice(0, MOST_TOGETHER));
    }
    this.#isCommitting = false;
  }

  async #commit(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#db.transaction().execute(async (trx) => {
        const results: unknown[] = [];
        for (const { write } of together) results.push(await write(trx));
        await this.#failpoint('before-commit');
        return results;
      });
      await this.#failpoint('after-commit');
      for (const [at, { resolve }] of together.entries()) resolve(results[at]);
    } catch (error) {
      if (isBusy(error)) await this.#waitForOther(together, error);
      else if (together.length === 1) together[0]!.reject(error);
      else for (const one of together) await this.#commit([one]);
    }
  }

  async #waitForOther(together: readonly Waiting[], cause: unknown): Promise<void> {
    const now = realClock.now();
    for (const { giveUpAt, reject } of together)
      if (giveUpAt <= now) reject(new NoAnswerError('Another process holds the file.', { cause }));
    this.#waiting.unshift(...together.filter(({ giveUpAt }) => giveUpAt > now));
    await pause(realClock, BUSY_PAUSE_MS);
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteFile.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
