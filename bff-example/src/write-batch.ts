import type { Kysely, Transaction } from 'kysely';

import { pause, realClock } from './clock.ts';
import { type Database, isBusy, isDatabaseFailure, isLockConflict } from './database.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Tables } from './tables.ts';

/** A caller is answered within half a second, whatever the database does (F8). */
const ANSWER_WITHIN_MS = 440;

/** A process that itself stood still so long has not been waiting for the database. */
const STOOD_STILL_MS = 50;

/** More than this is not taken: who asks is better told at once. */
const MOST_WAITING = 5_000;

/** A transaction is kept short, so that the next one is not waited for. */
const MOST_TOGETHER = 256;

/**
 * A transaction that has run so long takes no further write: far from its database 256 of them
 * would take longer than anybody waits.
 */
const FILLED_WITHIN_MS = 100;

/**
 * Between two tries to write while another process does. Waiting here, and not in SQLite, leaves
 * the event loop free.
 */
const BUSY_PAUSE_MS = 5;

/** How often what is left is tried together after one of its writes failed, and then each alone. */
const MOST_ROUNDS = 3;

/**
 * Two transactions at once on PostgreSQL, so that one is filled while the other is synchronised. A
 * file takes one writer.
 */
const LANES = { sqlite: 1, postgres: 2 } as const;

/**
 * Statements of one write. It may run again after it was undone, and where `mayBeDone` after a
 * commit whose answer was lost: it then gives what it would have given (T113).
 */
export type WriteRun<Result> = (trx: Transaction<Tables>, mayBeDone: boolean) => Promise<Result>;

/**
 * Writes of a kind that one run does together, as `WriteRun` does one. Gives a result for each, in
 * their order.
 */
export interface WriteGroup<Item, Result> {
  run(
    trx: Transaction<Tables>,
    items: readonly Item[],
    mayBeDone: boolean,
  ): Promise<readonly Result[]>;
}

interface Write {
  group: WriteGroup<unknown, unknown> | undefined;
  item: unknown;
  run: WriteRun<unknown> | undefined;
  /** Answered, or given up: its statements need not run. */
  isOver: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers writes that are asked for at the same time into one transaction, so that the disk is
 * synchronised once for all of them. A write is answered when it is on the disk, or within half a
 * second by an error. Where one fails, all are undone, and the others are run again without it.
 */
export class WriteBatch {
  readonly #db: Kysely<Tables>;
  readonly #failpoint: Failpoint;
  readonly #lanes: number;
  #waiting: Write[] = [];
  #running = 0;
  #isScheduled = false;
  #blockedMs = 0;
  readonly #answerWithinMs: number;

  constructor(database: Database, { failpoint = noFailpoint }: { failpoint?: Failpoint } = {}) {
    this.#db = database.db;
    this.#failpoint = failpoint;
    this.#lanes = LANES[database.kind];
    this.#answerWithinMs = database.answerWithinMs ?? ANSWER_WITHIN_MS;
  }

  /**
   * For how long this process has stood still while a file was synchronised. PostgreSQL is waited
   * for without that.
   */
  get blockedMs(): number {
    return this.#blockedMs;
  }

  /**
   * Runs statements in a transaction. Fails with what they threw, or as `isDatabaseFailure` tells.
   */
  run<Result>(write: WriteRun<Result>): Promise<Result> {
    return this.#add({ group: undefined, item: undefined, run: write });
  }

  /** The same for one of many writes that the group does together. */
  runIn<Item, Result>(group: WriteGroup<Item, Result>, item: Item): Promise<Result> {
    return this.#add({ group: group as WriteGroup<unknown, unknown>, item, run: undefined });
  }

  #add<Result>(what: Pick<Write, 'group' | 'item' | 'run'>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (this.#waiting.length >= MOST_WAITING) {
      reject(new NoAnswerError('More writes wait for the database than it does in half a second.'));
      return promise;
    }
    const write: Write = {
      ...what,
      isOver: false,
      resolve: (result) => end(() => resolve(result as Result)),
      reject: (error) => end(() => reject(error)),
    };
    let giveUpAt = realClock.now() + this.#answerWithinMs;
    let cancel = realClock.after(this.#answerWithinMs, giveUp);
    this.#waiting.push(write);
    this.#schedule();
    return promise;

    function end(answer: () => void): void {
      write.isOver = true;
      cancel();
      answer();
    }

    function giveUp(): void {
      const lateMs = realClock.now() - giveUpAt;
      if (lateMs < STOOD_STILL_MS)
        write.reject(new NoAnswerError('The database did not write in time.'));
      else {
        giveUpAt += lateMs + STOOD_STILL_MS;
        cancel = realClock.after(STOOD_STILL_MS, giveUp);
      }
    }
  }

  /** Between two commits the event loop takes what has arrived, so that the next one carries it. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#lanes || !this.#waiting.length) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#running += 1;
      void this.#commit(this.#waiting.splice(0, MOST_TOGETHER)).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  /** Answers every one of these writes. Never rejects. */
  async #commit(given: readonly Write[], round = 1, mayBeDone = false): Promise<void> {
    const writes = given.filter(({ isOver }) => !isOver);
    if (!writes.length) return;
    let failing: readonly Write[] = [];
    let isCommitting = false;
    let committingAt = 0;
    const results: unknown[] = [];
    const units = gather(writes);
    try {
      await this.#db.transaction().execute(async (trx) => {
        const begunAt = realClock.now();
        for (const unit of units) {
          if (results.length && realClock.now() - begunAt >= FILLED_WITHIN_MS) break;
          failing = unit;
          const [{ group, run }] = unit;
          results.push(
            ...(group
              ? await group.run(
                  trx,
                  unit.map(({ item }) => item),
                  mayBeDone,
                )
              : [await run!(trx, mayBeDone)]),
          );
        }
        await this.#failpoint('before-commit');
        isCommitting = true;
        committingAt = realClock.now();
      });
      if (this.#lanes === LANES.sqlite) this.#blockedMs += realClock.now() - committingAt;
      await this.#failpoint('after-commit');
    } catch (error) {
      if (isBusy(error)) {
        await pause(realClock, BUSY_PAUSE_MS);
        return this.#commit(writes, round, mayBeDone);
      }
      if (error instanceof NoAnswerError && round === 1)
        return this.#commit(writes, MOST_ROUNDS, mayBeDone || isCommitting);
      if (isDatabaseFailure(error) && !isLockConflict(error)) return rejectAll(writes, error);
      if (writes.length === 1 && (!isLockConflict(error) || round >= MOST_ROUNDS))
        return rejectAll(writes, error);
      return this.#commitWithout(failing, writes, round, mayBeDone);
    }
    const inOrder = units.flat();
    for (const [at, result] of results.entries()) inOrder[at]!.resolve(result);
    await this.#commit(inOrder.slice(results.length), round, mayBeDone);
  }

  /** One write held up or undid the others: they go first. */
  async #commitWithout(
    failing: readonly Write[],
    writes: readonly Write[],
    round: number,
    mayBeDone: boolean,
  ): Promise<void> {
    const others = writes.filter((write) => !failing.includes(write));
    if (round < MOST_ROUNDS && others.length) await this.#commit(others, round + 1, mayBeDone);
    else for (const write of others) await this.#commit([write], MOST_ROUNDS, mayBeDone);
    for (const write of failing)
      await this.#commit([write], failing.length === 1 ? round + 1 : 1, mayBeDone);
  }
}

/** Writes of one group together, where the first of them stands. */
function gather(writes: readonly Write[]): [Write, ...Write[]][] {
  const units: [Write, ...Write[]][] = [];
  const started = new Map<unknown, Write[]>();
  for (const write of writes) {
    const unit = write.group && started.get(write.group);
    if (unit) unit.push(write);
    else {
      const fresh: [Write] = [write];
      units.push(fresh);
      if (write.group) started.set(write.group, fresh);
    }
  }
  return units;
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  for (const { reject } of writes) reject(error);
}
