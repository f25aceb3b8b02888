import PQueue from 'p-queue';
import { PaymentsError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import type { Confirm } from './confirm.ts';

/** Fewer than the connections to the service: customers who wait for an answer use the others. */
const MOST_AT_ONCE = 40;

const MOST_WAITING = 10_000;

/** Runs the confirms that no customer waits for, a fixed number at once. */
export class ConfirmQueue {
  readonly #confirm: Confirm;
  readonly #log: Log;
  readonly #queue: PQueue;
  readonly #waiting = new Set<string>();

  constructor(confirm: Confirm, log: Log, mostAtOnce = MOST_AT_ONCE) {
    this.#confirm = confirm;
    this.#log = log;
    this.#queue = new PQueue({ concurrency: mostAtOnce });
  }

  /** Confirms a payment once a place is free, unless that already waits. */
  add(reference: string, trigger: 'webhook' | 'look'): void {
    const key = `${trigger} ${reference}`;
    if (this.#waiting.has(key) || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.add(key);
    void this.run(reference, 1, async () => {
      this.#waiting.delete(key); // a webhook that comes from now on needs a fresh answer
      await this.#confirm(reference, trigger).catch((error: unknown) => {
        if (!(error instanceof PaymentsError)) throw error;
      });
    });
  }

  /** Runs a task once a place is free, the highest priority first. Logs its failure. */
  run(reference: string, priority: number, task: () => Promise<void>): Promise<void> {
    const logged = () =>
      task().catch((err: unknown) => {
        const level = isDatabaseFailure(err) ? 'warn' : 'error';
        this.#log[level]({ err, reference }, 'confirm failed, will retry');
      });
    return this.#queue.add(logged, { priority });
  }

  /** Starts nothing more, and resolves once everything that runs has ended. */
  async stop(): Promise<void> {
    this.#queue.pause();
    await this.#queue.onPendingZero();
  }
}
