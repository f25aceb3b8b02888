import SqliteFile from 'better-sqlite3';
import type { Kysely } from 'kysely';

import { pause, realClock } from '../support/clock.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Write } from './open.ts';
import type { Tables } from './schema.ts';

/** A transaction is kept short, so that the next one is not waited for. */
const MOST_TOGETHER = 200;

/** More than this is not taken: whoever asks is better told at once. */
const MOST_WAITING = 5_000;

/**
 * Between two tries to write while another process does. Waiting here, and not in SQLite, leaves
 * the event loop free.
 */
const BUSY_PAUSE_MS = 10;

interface Waiting {
  write: Write<unknown>;
  giveUpAt: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers the writes that arrive while a file commits into the next transaction, so that the disk
 * is synchronised once for all of them. A write is answered when it is on the disk. Where one
 * fails, all are undone, and each is run again in a transaction of its own.
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
      // The event loop takes what else has arrived, so that this commit carries it.
      await new Promise(setImmediate);
      await this.#commit(this.#waiting.splice(0, MOST_TOGETHER));
    }
    this.#isCommitting = false;
  }

  /** Answers these writes, or puts them back. Never rejects. */
  async #commit(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#db.transaction().execute(async (trx) => {
        const results: unknown[] = [];
        for (const { write } of together) results.push(await write(trx, false));
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

  /** Another process writes. Whoever has waited for it too long is told, the others wait on. */
  async #waitForOther(together: readonly Waiting[], cause: unknown): Promise<void> {
    const now = realClock.now();
    for (const { giveUpAt, reject } of together)
      if (giveUpAt <= now) reject(new NoAnswerError('Another process holds the file.', { cause }));
    this.#waiting.unshift(...together.filter(({ giveUpAt }) => giveUpAt > now));
    await pause(realClock, BUSY_PAUSE_MS);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteFile.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
