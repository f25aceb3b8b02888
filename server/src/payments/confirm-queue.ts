import PQueue from 'p-queue';
import { isDatabaseFailure } from '../database/open.ts';
import type { Log } from '../observe/log.ts';
import { ServiceCallError } from '../service/client.ts';
import type { Confirm } from './confirm.ts';

/** Fewer than the connections to the service: customers who wait for an answer use the others. */
const MOST_AT_ONCE = 40;

/**
 * Due payments that run or wait. The reconciler adds as many at most once a second, so the service is
 * asked about at most twice as many in any second.
 */
export const MOST_DUE = 100;

const MOST_NEWS_WAITING = 10_000;

const PRIORITIES = { news: 1, due: 0 } as const;

export type AfterDue = (error?: ServiceCallError) => Promise<void>;

/**
 * Runs confirms that no customer waits for, a fixed number at once and each reference once. The
 * reconciler tries again what fails.
 */
export class ConfirmQueue {
  readonly #confirm: Confirm;
  readonly #log: Log;
  readonly #queue: PQueue;
  readonly #news = new Set<string>();
  readonly #due = new Set<string>();
  #isStopped = false;

  constructor(confirm: Confirm, log: Log, mostAtOnce = MOST_AT_ONCE) {
    this.#confirm = confirm;
    this.#log = log;
    this.#queue = new PQueue({ concurrency: mostAtOnce });
  }

  get roomForDue(): number {
    return Math.max(0, MOST_DUE - this.#due.size);
  }

  add(reference: string): void {
    if (this.#isStopped || this.#news.has(reference) || this.#news.size >= MOST_NEWS_WAITING)
      return;
    this.#news.add(reference);
    this.#run(reference, 'news', async () => {
      this.#news.delete(reference); // a webhook that comes from now on needs a fresh answer
      await this.#confirm(reference, 'webhook');
    });
  }

  addDue(reference: string, after: AfterDue): void {
    if (this.#isStopped || this.#due.has(reference)) return;
    this.#due.add(reference);
    this.#run(reference, 'due', () =>
      this.#confirmDue(reference, after).finally(() => this.#due.delete(reference)),
    );
  }

  /** Drops what waits, takes no more, and resolves once everything that runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.clear();
    await this.#queue.onPendingZero();
  }

  #run(reference: string, kind: keyof typeof PRIORITIES, task: () => Promise<void>): void {
    const logFailure = (err: unknown) => {
      if (err instanceof ServiceCallError) return;
      const level = isDatabaseFailure(err) ? 'warn' : 'error';
      this.#log[level]({ err, reference }, 'confirm failed: the reconciler tries again');
    };
    void this.#queue.add(() => task().catch(logFailure), { priority: PRIORITIES[kind] });
  }

  async #confirmDue(reference: string, after: AfterDue): Promise<void> {
    let failure: ServiceCallError | undefined;
    await this.#confirm(reference, 'due').catch((error: unknown) => {
      if (!(error instanceof ServiceCallError)) throw error;
      failure = error;
    });
    await after(failure);
  }
}
