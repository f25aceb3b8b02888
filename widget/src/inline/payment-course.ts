import {
  type FrameMessage,
  LEAVE_ANSWER_MS,
  type PageMessage,
} from '@service-pay/contract/frame-messages';

import { type Fact, type Known, learn, NOTHING_KNOWN, type Outcome } from './outcome.ts';

/** How long success is shown at the latest: the frame counts, and closes the popup before (D2). */
const SUCCESS_SHOWN_MS = 30_000;

/** What a course does to its popup. */
export interface CourseDeps {
  /** Says something to the frame. */
  send: (message: PageMessage) => void;
  /** Acts once after a while, unless the popup has ended before or what it gives is called. */
  after: (ms: number, act: () => void) => () => void;
  /** The customer is being asked, or stays: the frame has the floor. */
  stay: () => void;
  /** The popup ends: called once, with what it ends in. */
  end: (outcome: Outcome) => void;
}

/**
 * How one popup runs from opening to outcome: takes in what happens, and does what follows. Knows
 * no page, no frame and no clock.
 */
export class PaymentCourse {
  known: Known = NOTHING_KNOWN;
  readonly #deps: CourseDeps;
  #stopWaiting: (() => void) | undefined;

  constructor(deps: CourseDeps) {
    this.#deps = deps;
  }

  /** The frame has said something, so it is there. */
  hear(message: FrameMessage): void {
    if (this.known.frame === 'lost') this.learn('ready');
    if (message.type === 'money') this.learn(message.state);
    else if (message.type === 'close' || message.type === 'stay') this.learn(message.type);
  }

  learn(fact: Fact): void {
    const before = this.known;
    const known = learn(before, fact);
    this.known = known;
    const { after, end, send, stay } = this.#deps;
    if (known.asking !== before.asking) this.#stopWaiting?.();
    if (known.outcome) {
      if (!before.outcome) end(known.outcome);
    } else if (known.asking && !before.asking) {
      send({ type: 'leave' });
      this.#stopWaiting = after(LEAVE_ANSWER_MS, () => this.learn('unanswered'));
    } else if (known.money === 'paid' && before.money !== 'paid') {
      after(SUCCESS_SHOWN_MS, () => this.learn('close'));
    } else if (fact === 'stay') {
      stay();
    }
  }
}
