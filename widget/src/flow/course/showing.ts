import {
  type Draft,
  type FlowPayment,
  type FlowProblem,
  isEnd,
  screenOf,
  toFlowPayment,
} from '../flow-state.ts';
import type { News } from '../follow.ts';
import { wasSent } from '../kept-order.ts';
import type { PopupOptions, ShopPayment } from '../shop-api.ts';
import {
  begin,
  type Course,
  forget,
  keep,
  type Popup,
  type Seen,
  troubleOf,
  type WhileOpen,
} from './course.ts';

export const SHOP: Draft = { screen: 'shop' };

type More = Pick<Draft, 'payment' | 'trouble' | 'problem' | 'asks' | 'isUnknown' | 'isPayable'>;

/** Follows a payment of which nothing new is known. */
export function follow(
  course: Course,
  reference: string,
  whileOpen: WhileOpen,
  more: More = {},
): Course {
  const screen = whileOpen === 'unfinished' ? whileOpen : 'checking';
  const shown: Draft = { screen, payment: paymentOf(course, reference), ...more };
  const isKnown = more.isUnknown === true;
  return begin(course, shown, { is: 'follow', reference, whileOpen, isKnown });
}

/** Shows how the shop says a payment is, and follows it until its end. */
export function followFrom(
  course: Course,
  reference: string,
  whileOpen: WhileOpen,
  payment: ShopPayment,
  seen: Seen,
  whileItIs: More = {},
): Course {
  const { task } = course;
  const screen = screenOf(payment, whileOpen);
  const isOpen = screen === whileOpen;
  const shown: Draft = { screen, payment: toFlowPayment(payment), ...(isOpen && whileItIs) };
  const isFollowed =
    task?.is === 'follow' && task.reference === reference && task.whileOpen === whileOpen;
  const after =
    !isOpen && screen !== 'review'
      ? begin(course, shown)
      : isFollowed
        ? { ...course, shown }
        : begin(course, shown, { is: 'follow', reference, whileOpen, isKnown: true });
  return noteSeen(after, reference, seen);
}

/** Asks whether the customer wants a second order beside a payment that is open. */
export function askForSecond(course: Course, reference: string, more: More = {}): Course {
  return follow(course, reference, 'unfinished', { ...more, asks: 'second-order' });
}

/** Shows a payment at the shop. The cart stays if the payment is this cart's, and nothing was sent. */
export function showBesideCart(
  course: Course,
  named: string,
  payment: ShopPayment,
  seen: Seen,
): Course {
  const kept = course.kept?.reference === named ? course.kept : undefined;
  const screen = screenOf(payment, 'unfinished');
  const isUntouched = kept?.cart === course.cart && !kept.isSent && !payment.isWaitingForCustomer;
  if (screen === 'unfinished')
    return isUntouched ? begin(course, SHOP) : followFrom(course, named, screen, payment, seen);
  if ((screen === 'failed' || screen === 'review') && kept?.isSeen) return begin(course, SHOP);
  if (screen === 'review') return followFrom(course, named, 'unfinished', payment, seen);
  return noteSeen(begin(course, { screen, payment: toFlowPayment(payment) }), named, seen);
}

/** The followed payment is in a state, or a poll failed with an HTTP status. */
export function receive(course: Course, news: News, seen: Seen): Course {
  const { task, shown } = course;
  if (task?.is !== 'follow') return course;
  const { reference, whileOpen } = task;
  const { asks, problem, isPayable } = shown;
  if ('payment' in news)
    return isPayable && news.payment.status === 'failed'
      ? { ...course, shown: { ...shown, trouble: undefined } }
      : followFrom(course, reference, whileOpen, news.payment, seen, { asks, problem });
  if (isOfNobody(news.status)) return loseOwner(course, reference, whileOpen);
  return { ...course, shown: { ...shown, trouble: troubleOf(news.status) } };
}

/** The shop does not know a payment for this browser. One that was sent may still be paid (D64). */
export function loseOwner(course: Course, reference: string, whileOpen: WhileOpen): Course {
  const { kept, task, shown } = course;
  if (kept?.reference !== reference || !wasSent(kept)) {
    const unknown: Draft = { screen: 'unknown-order', payment: { reference } };
    return begin(forget(course, reference), whileOpen === 'unfinished' ? SHOP : unknown);
  }
  if (task?.is !== 'follow' || task.whileOpen !== 'unfinished')
    return follow(course, reference, 'unfinished', { isUnknown: true });
  const { asks, problem } = shown;
  const payment = paymentOf(course, reference);
  return {
    ...course,
    shown: { screen: 'unfinished', payment, asks, problem, isUnknown: true },
  };
}

export function openPopup(
  course: Course,
  { before, isElement }: Pick<Popup, 'before' | 'isElement'>,
  options: PopupOptions,
): Course {
  return {
    ...course,
    shown: { screen: 'paying', payment: toShown(options) },
    task: { is: 'popup', before, options, isElement },
    call: undefined,
  };
}

/** Shows again what was on screen before a press that failed. */
export function goBack(course: Course, before: Draft, problem: FlowProblem): Course {
  const { screen, payment, asks, isUnknown, isPayable } = before;
  const { reference = '' } = payment ?? {};
  switch (screen) {
    case 'unfinished':
      return follow(course, reference, screen, { asks, problem, isUnknown, isPayable });
    case 'pending':
    case 'checking':
      return follow(course, reference, 'pending', { problem });
    case 'placing':
    case 'paying':
      return begin(course, { ...SHOP, problem });
    case 'review':
      return begin(
        course,
        { screen, payment, problem },
        { is: 'follow', reference, whileOpen: 'unfinished', isKnown: true },
      );
    default:
      return begin(course, { screen, payment, problem });
  }
}

/**
 * Forgets an order once a customer has seen how it ended: a hidden tab shows that to nobody. One
 * that failed keeps its key, so that the same cart pays for the same order, and one in review, so
 * that the same cart is not charged again.
 */
export function noteSeen(course: Course, named: string, { isVisible }: Seen): Course {
  const { screen, payment } = course.shown;
  const { reference } = course.kept ?? {};
  const isShown = reference === named || reference === payment?.reference;
  if (!reference || !isShown || !isEnd(screen) || !isVisible) return course;
  return screen === 'failed' || screen === 'review'
    ? keep(course, { isSent: false, isSeen: true })
    : forget(course, reference);
}

/** Returns whether verify's status says that a reference is unknown to this browser, or unreadable. */
export function isOfNobody(status: number): boolean {
  return status === 404 || status === 400;
}

export function problemOf(status: number, cause: unknown, isOffline: boolean): FlowProblem {
  const code =
    status >= 500
      ? 'shop_failed'
      : status >= 400
        ? 'shop_rejected'
        : isOffline
          ? 'offline'
          : 'shop_unreachable';
  return { code, cause };
}

function paymentOf({ shown, kept }: Course, reference: string): FlowPayment {
  if (shown.payment?.reference === reference) return toShown(shown.payment);
  return kept?.reference === reference ? toShown({ ...kept, reference }) : { reference };
}

function toShown({
  reference,
  amount,
  currency,
}: {
  reference: string;
  amount?: unknown;
  currency?: unknown;
}): FlowPayment {
  return {
    reference,
    ...(typeof amount === 'string' && { amount }),
    ...(typeof currency === 'string' && { currency }),
  };
}
