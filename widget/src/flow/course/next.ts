import { completeState, type Draft } from '../flow-state.ts';
import type { KeptOrder } from '../kept-order.ts';
import {
  begin,
  type Call,
  type Course,
  type CourseEvent,
  type Lost,
  type Press,
  request,
  type Seen,
  type ShopResponse,
  verify,
} from './course.ts';
import { catchUp, isAtShop, look, loseLook, takeLook } from './looking.ts';
import { decide, goOn, loseOrder } from './paying.ts';
import { noteClosed, noteSent } from './popup.ts';
import { loseReopened, reopen } from './reopening.ts';
import { follow, goBack, receive, SHOP, showBesideCart } from './showing.ts';

/** Returns the course after an event. The only place that decides what a page shows. */
export function next(before: Course, event: CourseEvent, seen: Seen): Course {
  const isLate = 'turn' in event && event.turn !== before.turn;
  if (isLate) return { ...before, kept: seen.kept };
  const course: Course = { ...before, kept: findKept(event, seen) };
  const { task, shown } = course;
  switch (event.on) {
    case 'start': {
      const started = { ...course, cart: event.cart, isStopped: false };
      return isAtShop(course) ? look(started) : started;
    }
    case 'press':
      return press(course, event);
    case 'unusable-cart':
      return {
        ...course,
        shown: { ...shown, problem: { code: 'cart_unusable', cause: event.cause } },
      };
    case 'show':
      return follow({ ...course, isStopped: false }, event.reference, 'pending');
    case 'stop':
      return { ...begin(course, SHOP), wantsSecond: false, isStopped: true };
    case 'turn':
      if (task?.is === 'pay') return decide(course, task);
      return task?.is === 'pay-again' ? request(course, { to: 'open' }) : course;
    case 'response':
      return respond(course, event, seen);
    case 'lost':
      return lose(course, event, seen);
    case 'not-opened': {
      const problem = { code: 'popup_failed', cause: event.cause } as const;
      return task?.is === 'popup' ? goBack(course, task.before, problem) : course;
    }
    case 'sent':
      return noteSent(course, event.reference, seen);
    case 'closed':
      if (event.reference !== undefined) return noteClosed(course, event.reference);
      return task?.is === 'pay' ? { ...course, task: { ...task, isLeft: true } } : course;
    case 'news':
      return receive(course, event, seen);
    case 'page':
      return catchUp(course, event.news, seen);
    case 'look-again':
      return look(course);
  }
}

/** As long as a shop polls a payment. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Returns the kept order, unless it was sent too long ago, and notes whether it waits. */
function findKept(event: CourseEvent, { kept, now }: Seen): KeptOrder | undefined {
  if (!kept || now - (kept.sentAt ?? now) > KEPT_MS) return undefined;
  const payment = 'payment' in event ? event.payment : undefined;
  if (!payment || payment.reference !== kept.reference) return kept;
  const { isWaitingForCustomer: isWaiting, amount, currency } = payment;
  if (isWaiting === (kept.isWaiting ?? false)) return kept;
  return { ...kept, isWaiting, amount, currency, sentAt: now };
}

function press(course: Course, event: Press): Course {
  const { shown, wantsSecond } = course;
  const { can } = completeState(shown);
  const free: Course = { ...course, wantsSecond: false, isStopped: false }; // for one press alone
  const reference = shown.payment?.reference ?? '';
  const busy: Draft = { ...shown, problem: undefined, isBusy: true };
  switch (event.what) {
    case 'pay': {
      const { cart, newKey, isElement } = event;
      if (!can.pay && !isElement) return course;
      const placing: Draft = { screen: 'placing', payment: shown.payment };
      const task = { is: 'pay', before: shown, cart, wantsSecond, newKey, isElement } as const;
      return begin({ ...free, cart }, placing, task);
    }
    case 'resume': {
      const call: Call = shown.isPayable ? { to: 'retry', reference } : verify(reference);
      return can.resume
        ? begin(free, busy, { is: 'resume', before: shown, reference }, call)
        : course;
    }
    case 'pay-again':
      return can.payAgain
        ? begin(free, busy, { is: 'pay-again', before: shown, reference })
        : course;
    case 'pay-another':
      return can.payAnother ? { ...course, wantsSecond: true } : course;
  }
}

function respond(course: Course, response: ShopResponse, seen: Seen): Course {
  const { task } = course;
  switch (task?.is) {
    case 'look':
      return takeLook(course, task, response, seen);
    case 'pay':
      return goOn(course, task, response, seen);
    case 'resume':
    case 'pay-again':
      return reopen(course, task, response, seen);
    case 'check':
      return response.payment
        ? showBesideCart(course, task.reference, response.payment, seen)
        : course;
    default:
      return course;
  }
}

function lose(course: Course, lost: Lost, seen: Seen): Course {
  const { task } = course;
  switch (task?.is) {
    case 'look':
      return loseLook(course, task, lost, seen);
    case 'pay':
      return loseOrder(course, task, lost);
    case 'resume':
    case 'pay-again':
      return loseReopened(course, task, lost);
    default:
      return { ...course, task: undefined, call: undefined }; // after a close, the cart stays
  }
}
