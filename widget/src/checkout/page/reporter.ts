import type { FrameMessage, MoneyState } from '@service-pay/contract/frame-messages';

import { type Known, moneyOf } from '../flow/payment-state.ts';

/** Reports to the page, and repeats its reports if the page opens the channel again. */
export class Reporter {
  readonly #send: (message: FrameMessage) => unknown;
  #money: MoneyState | undefined;
  #isShown = false;
  #isKeyReported = false;
  /** Settles when the page has noted the last report. */
  #noted: unknown;

  constructor(send: (message: FrameMessage) => unknown) {
    this.#send = send;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /**
   * Reports the state of the money if it changed, and once an unknown public key. Returns what
   * settles when the page has noted the last report.
   */
  learn(known: Known): unknown {
    const money = moneyOf(known);
    if (money && money !== this.#money) {
      this.#money = money;
      this.#noted = this.#send({ type: 'money', state: money });
    }
    if (known.service.rejection?.code === 'not_authorized' && !this.#isKeyReported) {
      this.#isKeyReported = true;
      this.#send({ type: 'unknown-key' });
    }
    return this.#noted;
  }

  show(): void {
    if (!this.#isShown) this.#send({ type: 'shown' });
    this.#isShown = true;
  }

  repeat(): void {
    if (this.#money) this.#noted = this.#send({ type: 'money', state: this.#money });
    if (this.#isShown) this.#send({ type: 'shown' });
  }
}
