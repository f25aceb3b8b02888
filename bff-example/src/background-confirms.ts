import type { Confirm, Trigger } from './confirm.ts';
import type { Log } from './log.ts';
import { ServiceCallError } from './service-client.ts';

const MOST_AT_ONCE = 50;
/** More than this is left to the reconciler, which finds every payment that is due. */
const MOST_WAITING = 10_000;

/** Confirms nobody waits for: a bounded number at once, each reference once. What fails is found again by the reconciler. */
export class BackgroundConfirms {
  readonly #confirm: Confirm;
  readonly #log: Log;
  readonly #waiting = new Map<string, Trigger>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(confirm: Confirm, log: Log) {
    this.#confirm = confirm;
    this.#log = log;
  }

  add(reference: string, trigger: Trigger = 'webhook'): void {
    if (this.#isStopped || this.#waiting.size >= MOST_WAITING) return;
    if (this.#waiting.get(reference) !== 'webhook') this.#waiting.set(reference, trigger);
    this.#startNext();
  }

  /** Forgets what waits, takes no more, and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#running.size >= MOST_AT_ONCE) return;
    const [reference, trigger] = next;
    this.#waiting.delete(reference);
    const run = this.#run(reference, trigger).finally(() => {
      this.#running.delete(run);
      this.#startNext();
    });
    this.#running.add(run);
  }

  async #run(reference: string, trigger: Trigger): Promise<void> {
    try {
      await this.#confirm(reference, trigger);
    } catch (err) {
      if (!(err instanceof ServiceCallError)) this.#log.error({ err, reference }, 'confirm failed: the reconciler tries again');
    }
  }
}
