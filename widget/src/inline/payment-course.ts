import {
  type FrameMessage,
  LEAVE_ANSWER_MS,
  type LeaveWay,
  type PageMessage,
} from '@service-pay/contract/frame-messages';

import { type Fact, type Known, learn, NOTHING_KNOWN, type Outcome } from './outcome.ts';

/** The longest that success is shown, unless the customer keeps it. The frame closes sooner (D2). */
const SUCCESS_SHOWN_MS = 30_000;

export interface CourseDeps {
  send: (message: PageMessage) => void;
  after: (ms: number, act: () => void) => () => void;
  /** The customer stays, or is being asked in the frame. */
  stay: () => void;
  end: (outcome: Outcome) => void;
}

/** The course of one popup from opening to outcome, without a page, a frame or a clock. */
export class PaymentCourse {
  known: Known = NOTHING_KNOWN;
  readonly #deps: CourseDeps;
  #stopWaiting: (() => void) | undefined;
  #stopShowing: (() => void) | undefined;
  #press: { by: LeaveWay; at: number } | undefined;

  constructor(deps: CourseDeps) {
    this.#deps = deps;
  }

  read(message: FrameMessage): void {
    if (this.known.frame === 'lost') this.learn('ready');
    if (message.type === 'money') this.learn(message.state);
    else if (message.type === 'close' || message.type === 'stay') this.learn(message.type);
  }

  /** `at` is the time of the press in epoch milliseconds. */
  leave(by: LeaveWay, at: number): void {
    this.#press = { by, at };
    this.learn('leave');
  }

  learn(fact: Fact): void {
    const before = this.known;
    const known = learn(before, fact);
    this.known = known;
    const { after, end, send, stay } = this.#deps;
    if (known.leaving !== before.leaving) this.#stopWaiting?.();
    if (known.outcome) {
      if (!before.outcome) end(known.outcome);
    } else if (known.leaving && fact === 'leave') {
      // Also before the response to an earlier press has arrived: the customer may see it already.
      send({ type: 'leave', ...this.#press });
      if (!before.leaving) this.#stopWaiting = after(LEAVE_ANSWER_MS, () => this.learn('silent'));
    } else if (known.money === 'paid' && before.money !== 'paid') {
      this.#stopShowing = after(SUCCESS_SHOWN_MS, () => this.learn('close'));
    } else if (fact === 'stay') {
      if (!before.leaving) this.#stopShowing?.();
      stay();
    }
  }
}
