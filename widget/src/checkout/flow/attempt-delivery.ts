import type { CreateAttempt } from '@service-pay/contract/checkout-api';
import type { watchAttempt } from './attempt-watch.ts';
import { codeOf, isNotKnown, problemsOf } from './call-failure.ts';
import type { Clock } from './clock.ts';
import { NOT_ARRIVED, sentOf } from './payment-state.ts';
import { isPassedOver, isSettled, PAUSE_MS, type ServiceCalls } from './service-calls.ts';

/**
 * The time for which an attempt without a response is sent again under its id. Then it is
 * withdrawn, unless it has arrived.
 */
const SEND_AGAIN_FOR_MS = 60_000;

export interface AttemptDeliveryDeps {
  clock: Clock;
  /** Loaded with the session, before anything is sent. */
  watch: typeof watchAttempt;
}

/** Delivers an attempt to the service, and finds out what became of it while it has no response. */
export class AttemptDelivery {
  readonly #deps: AttemptDeliveryDeps;
  readonly #calls: ServiceCalls;
  /** Ends the call of an attempt that has no response yet. */
  #giveUp = () => {};
  #stopWatching = () => {};

  constructor(deps: AttemptDeliveryDeps, calls: ServiceCalls) {
    this.#deps = deps;
    this.#calls = calls;
  }

  /** Sends an attempt until it is settled. Returns true if the caller must poll to learn its end. */
  async deliver(attempt: CreateAttempt): Promise<boolean> {
    const { id } = attempt;
    this.#stopWatching = this.#deps.watch({
      clock: this.#deps.clock,
      look: () => this.lookFor(id),
      onSilence: () => this.#setUnsure(id),
      onReturn: () => this.#hurry(),
    });
    const mustPoll = await this.#send(attempt);
    this.#stopWatching();
    return mustPoll;
  }

  stop(): void {
    this.#stopWatching();
  }

  get #sent(): ReturnType<typeof sentOf> {
    return sentOf(this.#calls.known);
  }

  /**
   * Sends until a response settles it. Returns true if the caller must poll. After a lost call only a
   * response that contains the attempt counts. A rejected token is renewed once per pause, since
   * another tab may invalidate each.
   */
  async #send(attempt: CreateAttempt): Promise<boolean> {
    const { clock } = this.#deps;
    const calls = this.#calls;
    const { id } = attempt;
    const startedAt = clock.now();
    let pauseMs: number = PAUSE_MS.first;
    let isReopened = false;
    let isLost = false;
    while (!calls.isStopped) {
      try {
        await calls.call(
          (checkout, signal) => checkout.submit(attempt, this.#endable(signal)),
          (session) => ({
            ...((!isLost || isSettled(id, session)) && { sending: undefined }),
            ...(!isLost && isPassedOver(id, session) && { problems: NOT_ARRIVED }),
          }),
        );
        return this.#sent !== undefined;
      } catch (error) {
        if (this.#sent?.id !== id) return false; // the watch knows more
        const code = codeOf(error);
        if (code === 'not_authorized') {
          // Rejected for good: the session was opened since, or the token is too old.
          const isAgain = isReopened;
          isReopened = await calls.openQuietly((session) =>
            isSettled(id, session) ? { sending: undefined } : {},
          );
          if (calls.known.service.rejection || !this.#sent) return false;
          isLost &&= !isReopened;
          if (isReopened && !isAgain) continue;
        } else if (code === 'not_known') {
          isLost = true;
        } else {
          calls.change({ ...(!isLost && { sending: undefined }), problems: problemsOf(error) });
          return isLost || code === 'reference_used';
        }
      }
      this.#setUnsure(id);
      if (clock.now() - startedAt >= SEND_AGAIN_FOR_MS) return true;
      await calls.pause(pauseMs);
      if (this.#sent?.id !== id) return false;
      isReopened = false;
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    }
    return false;
  }

  /** Polls the state of an attempt in flight. Rejects if the service does not respond. */
  async lookFor(id: string): Promise<void> {
    try {
      await this.#calls.lookFor(id);
      if (this.#sent?.id !== id) this.#hurry();
    } catch (error) {
      if (isNotKnown(error)) throw error;
    }
  }

  #setUnsure(id: string): void {
    if (this.#sent?.id !== id) return;
    const isRepeating = this.#calls.known.action?.repeats !== undefined;
    this.#calls.change({
      sending: { is: 'attempt', id, isUnsure: true },
      ...(isRepeating && { action: undefined }),
    });
  }

  /** Ends a call without a response and a pause, so that the attempt is sent again at once. */
  #hurry(): void {
    this.#giveUp();
    this.#calls.wake();
  }

  /** Returns a signal that ends with another one, and when its call is given up. */
  #endable(life: AbortSignal): AbortSignal {
    const end = new AbortController();
    this.#giveUp = () => end.abort();
    life.addEventListener('abort', this.#giveUp, { signal: end.signal });
    return end.signal;
  }
}
