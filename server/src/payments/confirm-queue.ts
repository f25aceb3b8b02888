import PQueue from 'p-queue';
import { PaymentsError } from '../errors.ts';
import { failureFields, isPassing } from '../observe/failure-log.ts';
import type { Log } from '../observe/log.ts';
import type { Confirm } from './confirm.ts';

const MOST_WAITING = 10_000;

/** Runs confirms in the background, a fixed number at a time. */
export class ConfirmQueue {
  readonly #confirm: Confirm;
  readonly #log: Log;
  readonly #queue: PQueue;
  readonly #waiting = new Set<string>();

  constructor(confirm: Confirm, log: Log, mostAtOnce: number) {
    this.#confirm = confirm;
    this.#log = log;
    this.#queue = new PQueue({ concurrency: mostAtOnce });
  }

  /** Queues a confirm of a payment, unless one is already queued. */
  add(reference: string, trigger: 'webhook' | 'page'): void {
    const key = `${trigger} ${reference}`;
    if (this.#waiting.has(key) || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.add(key);
    void this.run(reference, 1, async () => {
      this.#waiting.delete(key); // a later webhook needs a fresh response
      await this.#confirm(reference, trigger).catch((error: unknown) => {
        if (!(error instanceof PaymentsError)) throw error;
      });
    });
  }

  /** Runs a task once a slot is free, the highest priority first. Logs its failure. */
  run(reference: string, priority: number, task: () => Promise<void>): Promise<void> {
    const logged = () =>
      task().catch((err: unknown) => {
        const level = isPassing(err) ? 'warn' : 'error';
        this.#log[level]({ ...failureFields(err), reference }, 'confirm failed, will retry');
      });
    return this.#queue.add(logged, { priority });
  }

  /** Waits until no task is queued or running. Returns how many were at first. */
  async untilIdle(): Promise<number> {
    const count = this.#queue.size + this.#queue.pending;
    await this.#queue.onIdle();
    return count;
  }

  /** Starts no more tasks, and resolves once running tasks have ended. */
  async stop(): Promise<void> {
    this.#queue.pause();
    await this.#queue.onPendingZero();
  }
}
