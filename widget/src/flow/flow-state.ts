/**
 * The screen of a page. `unfinished` is a payment that was sent, or that belongs to another cart, and is
 * still open; `pending` is one that this page follows to its end.
 */
export type Screen =
  | 'shop'
  | 'unfinished'
  | 'placing'
  | 'paying'
  | 'checking'
  | 'pending'
  | 'review'
  | 'paid'
  | 'failed'
  | 'refused'
  | 'unknown-order';

/** The state of a payment, as the shop's routes return it in `data`. */
export interface PaymentAnswer {
  /** The payment that decides its order: the paid one, otherwise the newest. */
  reference: string;
  status: 'successful' | 'failed' | 'pending';
  /** Decimal text in whole units of `currency`. */
  amount: string;
  currency: string;
  /** Something waits on the customer's phone or at their bank. */
  isWaitingForCustomer: boolean;
  /** Money arrived, and a person at the shop looks at it. */
  isInReview?: boolean;
  /** The shop refused the payment: its customer contacts the shop before paying again. */
  mustContactShop?: boolean;
  /** ISO 8601, in UTC. */
  paidAt?: string;
  paidWith?: { channel: string; label: string };
}

/** The payment on screen. Everything but its reference is absent until the shop has answered. */
export type FlowPayment = Pick<PaymentAnswer, 'reference'> &
  Partial<Omit<PaymentAnswer, 'status' | 'isInReview'>>;

/** Why the last action failed; the page has the words. `cause` is what was thrown. */
export interface FlowProblem {
  code: 'place_failed' | 'popup_failed' | 'order_closed' | 'shop_unreachable';
  cause: unknown;
}

/** A value that never changes: a new one replaces it when, and only when, something changed. */
export interface FlowState {
  readonly screen: Screen;
  readonly payment: FlowPayment | undefined;
  /** Why there is no news at the moment. What is on screen still holds. */
  readonly trouble: 'shop-unreachable' | 'service-unreachable' | undefined;
  readonly problem: FlowProblem | undefined;
  /** The customer pressed Pay although a payment is open: ask whether they want a second order. */
  readonly asks: 'second-order' | undefined;
  readonly can: {
    readonly pay: boolean;
    readonly resume: boolean;
    readonly payAgain: boolean;
    readonly payAnother: boolean;
  };
}

/** A state before what follows from it is filled in. `isBusy`: an action is under way. */
export type Draft = { screen: Screen; isBusy?: boolean } & Partial<
  Pick<FlowState, 'payment' | 'trouble' | 'problem' | 'asks'>
>;

export function completeState(draft: Draft): FlowState {
  const { screen, isBusy, payment, trouble, problem, asks } = draft;
  const isOneOf = (...screens: Screen[]) => !isBusy && screens.includes(screen);
  return {
    screen,
    payment,
    trouble,
    problem,
    asks,
    can: {
      pay: isOneOf('shop', 'unfinished', 'review', 'paid', 'failed', 'refused', 'unknown-order'),
      resume: isOneOf('unfinished', 'pending'),
      payAgain: isOneOf('failed'),
      payAnother: isOneOf('unfinished'),
    },
  };
}

/** Returns the screen of an answer. `whileOpen` is the one of a payment that is still open. */
export function screenOf(answer: PaymentAnswer, whileOpen: 'unfinished' | 'pending'): Screen {
  if (answer.status === 'successful') return 'paid';
  if (answer.status === 'failed') return answer.mustContactShop ? 'refused' : 'failed';
  return answer.isInReview ? 'review' : whileOpen;
}

/** Returns whether a customer who saw this screen knows how the payment ended. */
export function isEnd(screen: Screen): boolean {
  return ['review', 'paid', 'failed', 'refused', 'unknown-order'].includes(screen);
}

/** Returns whether the payment, and not only the customer's part in it, has ended. */
export function isFinal(screen: Screen): boolean {
  return isEnd(screen) && screen !== 'review';
}

/** Returns what a page may see of an answer. */
export function toFlowPayment(answer: PaymentAnswer): FlowPayment {
  const { status: _status, isInReview: _isInReview, ...payment } = answer;
  return payment;
}

export function isSame(one: FlowState, other: FlowState): boolean {
  return (
    one.problem === other.problem &&
    JSON.stringify({ ...one, problem: 0 }) === JSON.stringify({ ...other, problem: 0 })
  );
}
