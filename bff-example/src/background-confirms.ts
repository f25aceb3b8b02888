import type { Confirm } from './confirm.ts';
import { ConfirmPace } from './confirm-pace.ts';
import { isDatabaseFailure } from './database.ts';
import type { Log } from './log.ts';
import type { Payment } from './order.ts';
import { ServiceCallError } from './service-client.ts';

/**
 * What is due goes first until so many of it run, or half of all that may: neither waits for the
 * end of the other.
 */
const DUE_FIRST = 10;
const MOST_DUE = 200;
/** News beyond this is left to the reconciler, which finds every payment that is due. */
const MOST_NEWS_WAITING = 10_000;

/**
 * What is done with the answer about a payment that was due. It gets the error where there was
 * none.
 */
export type AfterDue = (
  outcome: { payment: Payment | undefined } | { error: ServiceCallError },
) => Promise<void>;

/**
 * Confirms nobody waits for: a bounded number at once, each reference once. What fails is found
 * again by the reconciler.
 */
export class BackgroundConfirms {
  readonly #confirm: Confirm;
  readonly #log: Log;
  readonly #news = new Set<string>();
  readonly #due = new Map<string, AfterDue>();
  readonly #running = new Set<Promise<void>>();
  readonly #pace: ConfirmPace;
  #dueRunning = 0;
  #isStopped = false;

  constructor(confirm: Confirm, log: Log, pace = new ConfirmPace()) {
    this.#confirm = confirm;
    this.#log = log;
    this.#pace = pace;
  }

  /** How many due payments may be added: no more than are asked about before their claims end. */
  get roomForDue(): number {
    return Math.max(0, MOST_DUE - this.#due.size - this.#dueRunning);
  }

  /** Confirms a payment there is news of. */
  add(reference: string): void {
    this.#pace.noteNews();
    if (this.#isStopped || this.#news.size >= MOST_NEWS_WAITING) return;
    this.#news.add(reference);
    this.#startNext();
  }

  /** Confirms a payment that is due, and hands on what came of it. */
  addDue(reference: string, after: AfterDue): void {
    if (this.#isStopped) return;
    this.#due.set(reference, after);
    this.#startNext();
  }

  /** Forgets what waits, takes no more, and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#news.clear();
    this.#due.clear();
    await Promise.all(this.#running);
  }

  #startNext(): void {
    const mostAtOnce = this.#pace.findMostAtOnce();
    if (this.#running.size >= mostAtOnce) return;
    const [due] = this.#due;
    const [news] = this.#news;
    if (due && (news === undefined || this.#dueRunning < Math.min(DUE_FIRST, mostAtOnce / 2))) {
      const [reference, after] = due;
      this.#due.delete(reference);
      this.#dueRunning += 1;
      this.#start(reference, this.#runDue(reference, after));
    } else if (news !== undefined) {
      this.#news.delete(news);
      this.#start(news, this.#confirm(news, 'webhook'));
    }
  }

  #start(reference: string, confirming: Promise<unknown>): void {
    const run = confirming
      .then(() => {})
      .catch((err: unknown) => {
        if (err instanceof ServiceCallError) return;
        const level = isDatabaseFailure(err) ? 'warn' : 'error';
        this.#log[level]({ err, reference }, 'confirm failed: the reconciler tries again');
      })
      .finally(() => {
        this.#running.delete(run);
        this.#startNext();
        // more may run than did
        if (this.#running.size < this.#pace.findMostAtOnce()) this.#startNext();
      });
    this.#running.add(run);
  }

  async #runDue(reference: string, after: AfterDue): Promise<void> {
    try {
      await after({ payment: await this.#confirm(reference, 'due') });
    } catch (error) {
      if (!(error instanceof ServiceCallError)) throw error;
      await after({ error });
    } finally {
      this.#dueRunning -= 1;
    }
  }
}
