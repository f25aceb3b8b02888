import type { ShopPayment } from './shop-api.ts';

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

/**
 * The payment on screen: what verify returns, without `status` and `isInReview`, which `screen` says.
 * Everything but its reference is absent until the shop has responded.
 */
export type FlowPayment = Pick<ShopPayment, 'reference'> &
  Partial<Omit<ShopPayment, 'status' | 'isInReview'>>;

/**
 * Why the last action failed; the page has the words. `cause` is what was thrown. `shop_unreachable`:
 * no response; `shop_failed`: HTTP 5xx; `shop_rejected`: HTTP 4xx; `order_unknown`: the
 * shop does not know the order it has just placed, as in a frame without cookies.
 */
export interface FlowProblem {
  code:
    | 'place_failed'
    | 'popup_failed'
    | 'order_closed'
    | 'order_unknown'
    | 'cart_unusable'
    | 'offline'
    | 'shop_unreachable'
    | 'shop_failed'
    | 'shop_rejected';
  cause: unknown;
}

/** A value that never changes: a new one replaces it when, and only when, something changed. */
export interface FlowState {
  readonly screen: Screen;
  readonly payment: FlowPayment | undefined;
  /** Why there is no news at the moment. The screen is still right. */
  readonly trouble: 'shop-unreachable' | 'service-unreachable' | 'shop-rejects' | undefined;
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

/** A state before what follows from it is filled in. */
export type Draft = {
  screen: Screen;
  /** An action is under way. */
  isBusy?: boolean;
  /** It was sent, and the shop no longer knows it for this browser. */
  isUnknown?: boolean | undefined;
  /** `open` names it, so it can be paid although verify says failed (D57). */
  isPayable?: boolean | undefined;
} & Partial<Pick<FlowState, 'payment' | 'trouble' | 'problem' | 'asks'>>;

export function completeState(draft: Draft): FlowState {
  const { screen, isBusy, isUnknown, payment, trouble, problem, asks } = draft;
  const isOneOf = (...screens: Screen[]) => !isBusy && screens.includes(screen);
  return {
    screen,
    payment,
    trouble,
    problem,
    asks,
    can: {
      pay: isOneOf('shop', 'unfinished', 'review', 'paid', 'failed', 'refused', 'unknown-order'),
      resume: isOneOf('unfinished', 'pending') && !isUnknown,
      payAgain: isOneOf('failed'),
      payAnother: isOneOf('unfinished'),
    },
  };
}

/** Returns the screen of a payment. `whileOpen` is the one of a payment that is still open. */
export function screenOf(payment: ShopPayment, whileOpen: 'unfinished' | 'pending'): Screen {
  if (payment.status === 'successful') return 'paid';
  if (payment.status === 'failed') return payment.mustContactShop ? 'refused' : 'failed';
  return payment.isInReview ? 'review' : whileOpen;
}

/** Returns whether a customer who saw this screen knows how the payment ended. */
export function isEnd(screen: Screen): boolean {
  return ['review', 'paid', 'failed', 'refused', 'unknown-order'].includes(screen);
}

/** Returns what a page may see of a payment. */
export function toFlowPayment(payment: ShopPayment): FlowPayment {
  const { status: _status, isInReview: _isInReview, ...shown } = payment;
  return shown;
}

export function isSame(one: FlowState, other: FlowState): boolean {
  return (
    one.problem === other.problem &&
    JSON.stringify({ ...one, problem: 0 }) === JSON.stringify({ ...other, problem: 0 })
  );
}
