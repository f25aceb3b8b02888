import type { FrameMessage, MoneyState } from '@service-pay/contract/frame-messages';

import { type Known, moneyOf } from '../flow/payment-state.ts';

/**
 * Tells the page what follows for it from what the frame knows, and tells it again where it opens
 * the channel anew.
 */
export class PageTeller {
  readonly #send: (message: FrameMessage) => unknown;
  #money: MoneyState | undefined;
  #isShown = false;
  #isKeyReported = false;
  #isTaken: unknown;

  /** What `send` gives for `money` is settled once the page has taken that in. */
  constructor(send: (message: FrameMessage) => unknown) {
    this.#send = send;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /**
   * Sends what is known of the money if it changed, and once that the service does not know the
   * public key. Returns what settles when the page has noted the last message about the money.
   */
  learn(known: Known): unknown {
    const money = moneyOf(known);
    if (money && money !== this.#money) {
      this.#money = money;
      this.#isTaken = this.#send({ type: 'money', state: money });
    }
    if (known.refusal?.code === 'not_authorized' && !this.#isKeyReported) {
      this.#isKeyReported = true;
      this.#send({ type: 'unknown-key' });
    }
    return this.#isTaken;
  }

  /** A person can use the frame now. */
  show(): void {
    if (!this.#isShown) this.#send({ type: 'shown' });
    this.#isShown = true;
  }

  /** Tells a page that has opened the channel anew what the channel before was told. */
  tellAgain(): void {
    if (this.#money) this.#isTaken = this.#send({ type: 'money', state: this.#money });
    if (this.#isShown) this.#send({ type: 'shown' });
  }
}
