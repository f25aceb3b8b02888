import { screenOf, toFlowPayment } from '../flow-state.ts';
import { type KeptOrder, wasSent } from '../kept-order.ts';
import type { PopupOptions, ShopPayment } from '../shop-api.ts';
import {
  type Course,
  type Lost,
  type Paying,
  request,
  type Seen,
  type ShopResponse,
  verify,
} from './course.ts';
import { checkAfterClose } from './popup.ts';
import {
  askForSecond,
  followFrom,
  goBack,
  isOfNobody,
  openPopup,
  problemOf,
  showBesideCart,
} from './showing.ts';

// A press of Pay: it finds the order that this browser keeps, lets a payment that is open or has
// ended come first, and otherwise places the order under its key.

/** The first question of a press. */
export function decide(course: Course, task: Paying): Course {
  const { kept } = course;
  if (kept?.reference)
    return request(course, verify(kept.reference), { ...task, first: kept.reference });
  // the shop may have an order whose response was lost; only its own cart's key finds it again
  return isOwn(course, task) ? place(course, task) : request(course, { to: 'open' });
}

export function goOn(course: Course, task: Paying, response: ShopResponse, seen: Seen): Course {
  const { payment } = response;
  if (payment) return judge(course, task, payment, seen);
  const { options } = response;
  if (course.call?.to !== 'open') return options ? placed(course, task, options, seen) : course;
  const named = options?.reference;
  if (task.failed) return goOnAfterFailure(course, task, task.failed, named);
  return named
    ? request(course, verify(named), { ...task, first: named, isNamed: true })
    : place(course, task);
}

/** Decides between the order of this press and a payment that comes before it. */
function judge(course: Course, task: Paying, payment: ShopPayment, seen: Seen): Course {
  const { first = '', wantsSecond, options, isClosed } = task;
  if (options) return openOrLeave(course, task, options); // this browser's, also in a frame
  switch (screenOf(payment, 'unfinished')) {
    case 'failed':
      if (isClosed) return place(withoutKept(course), task);
      return request(course, { to: 'open' }, { ...task, failed: payment });
    case 'unfinished': {
      const isUntouched = !course.kept?.isSent && !payment.isWaitingForCustomer;
      if (wantsSecond || (isOwn(course, task) && isUntouched)) return place(course, task);
      return followFrom(course, first, 'unfinished', payment, seen, { asks: 'second-order' });
    }
    case 'review':
      // the same cart must not be charged twice
      return course.kept?.isSeen && !isOwn(course, task)
        ? place(course, task)
        : followFrom(course, first, 'unfinished', payment, seen);
    default:
      return showBesideCart(course, first, payment, seen);
  }
}

/** `named` is what `open` returned: it can be paid, although verify says failed (D57). */
function goOnAfterFailure(
  course: Course,
  task: Paying,
  failed: ShopPayment,
  named: string | undefined,
): Course {
  const { first = '', wantsSecond } = task;
  const isNamed = named !== undefined && !wantsSecond;
  if (isNamed && named !== failed.reference) return askForSecond(course, named);
  if (isOwn(course, task))
    return request(course, { to: 'retry', reference: first }, withOrder(course, task));
  return isNamed
    ? askForSecond(course, named, { payment: toFlowPayment(failed), isPayable: true })
    : place(course, task);
}

/** Places the order under its key. The same key finds the same order again. */
function place(course: Course, task: Paying): Course {
  const { order, ...rest } = withOrder(course, task);
  return request({ ...course, kept: order }, { to: 'place', key: order.key }, { ...rest, order });
}

function placed(course: Course, task: Paying, options: PopupOptions, seen: Seen): Course {
  const { kept } = course;
  const { order, cart } = task;
  const { reference } = options;
  const key = kept?.key;
  const isOfOther = key !== undefined && key !== order?.key && kept?.cart === cart;
  // a tab that could not wait for the lock has placed this cart, too: both use the order that is kept
  if (isOfOther && !task.isPlacedTwice)
    return request(
      course,
      { to: 'place', key },
      { ...task, order: { ...kept, key }, isPlacedTwice: true },
    );
  // another tab may have sent something since
  const stored = key === order?.key && kept?.reference === reference ? kept : order;
  const known = { ...course, kept: { ...stored, reference, isSeen: false } };
  if (!seen.isFramed || task.isLeft) return openOrLeave(known, task, options);
  return request(known, verify(reference), { ...task, options });
}

function openOrLeave(course: Course, task: Paying, options: PopupOptions): Course {
  return task.isLeft
    ? checkAfterClose(course, options.reference)
    : openPopup(course, task, options);
}

/** A call of a press failed. */
export function loseOrder(course: Course, task: Paying, lost: Lost): Course {
  const { kept, call } = course;
  const { first = '', before, options, wantsSecond } = task;
  const { status, cause, isOffline } = lost;
  const problem = problemOf(status, cause, isOffline);
  switch (call?.to) {
    case 'verify': {
      if (options) {
        if (status !== 404) return openOrLeave(course, task, options);
        if (!call.isRepeated) return request(course, { ...call, isRepeated: true });
        return goBack(course, before, { code: 'order_unknown', cause });
      }
      const isSent = kept?.reference === first && wasSent(kept);
      if (isOfNobody(status)) {
        if (isSent)
          return wantsSecond
            ? place(course, task)
            : askForSecond(course, first, { isUnknown: true });
        const without = withoutKept(course);
        return task.isNamed ? place(without, task) : request(without, { to: 'open' });
      }
      // its key finds the same order, however that is
      return isOwn(course, task) && !isSent ? place(course, task) : goBack(course, before, problem);
    }
    case 'retry':
      // it may be paid by now, or was tried as often as the shop allows
      if (status === 400)
        return request(course, verify(call.reference), { ...task, isClosed: true });
      if (status === 404) return place(withoutKept(course), task);
      return goBack(course, before, problem);
    case 'place':
      return goBack(course, before, {
        code: problem.code === 'offline' ? 'offline' : 'place_failed',
        cause,
      });
    default:
      return goBack(course, before, problem);
  }
}

function withOrder(course: Course, task: Paying): Paying & { order: KeptOrder & { key: string } } {
  const { kept } = course;
  const { cart, newKey } = task;
  const key = isOwn(course, task) ? kept?.key : undefined;
  const order = { key: key ?? newKey, cart, reference: key && kept?.reference };
  return { ...task, order };
}

function withoutKept(course: Course): Course {
  return { ...course, kept: undefined };
}

function isOwn({ kept }: Course, { cart, wantsSecond }: Paying): boolean {
  return kept?.key !== undefined && kept.cart === cart && !wantsSecond;
}
