import type { Kysely, Transaction } from 'kysely';

import { type Database, isDatabaseFailure } from './database.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Tables } from './tables.ts';

interface Write {
  run: (trx: Transaction<Tables>) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers writes that are asked for at the same time into one transaction, so that the disk is synchronised once for all of
 * them. A write is answered when it is on the disk. Where one fails, all are undone and each is run again alone: a write may
 * therefore run twice, and does nothing but statements.
 */
export class WriteBatch {
  readonly #db: Kysely<Tables>;
  readonly #failpoint: Failpoint;
  #waiting: Write[] = [];
  #isFlushing = false;

  constructor(database: Database, { failpoint = noFailpoint }: { failpoint?: Failpoint } = {}) {
    this.#db = database.db;
    this.#failpoint = failpoint;
  }

  run<Result>(write: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ run: write, resolve: resolve as Write['resolve'], reject });
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      setImmediate(() => void this.#flush());
    }
    return promise;
  }

  /** Between two commits the event loop takes what has arrived, so that the next one carries it. */
  async #flush(): Promise<void> {
    const writes = this.#waiting;
    this.#waiting = [];
    await this.#commit(writes);
    this.#isFlushing = this.#waiting.length > 0;
    if (this.#isFlushing) setImmediate(() => void this.#flush());
  }

  async #commit(writes: Write[]): Promise<void> {
    try {
      const results: unknown[] = [];
      await this.#db.transaction().execute(async (trx) => {
        for (const { run } of writes) results.push(await run(trx));
        await this.#failpoint('before-commit');
      });
      await this.#failpoint('after-commit');
      for (const [at, { resolve }] of writes.entries()) resolve(results[at]);
    } catch (error) {
      if (writes.length === 1 || isDatabaseFailure(error)) for (const { reject } of writes) reject(error);
      else for (const write of writes) await this.#commit([write]);
    }
  }
}
