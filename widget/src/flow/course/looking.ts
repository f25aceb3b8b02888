import { completeState, screenOf } from '../flow-state.ts';
import { wasSent } from '../kept-order.ts';
import type { PageNews } from '../page.ts';
import {
  begin,
  type Course,
  type Looking,
  type Lost,
  request,
  type Seen,
  type ShopResponse,
  troubleOf,
  verify,
} from './course.ts';
import { follow, isOfNobody, loseOwner, noteSeen, SHOP, showBesideCart } from './showing.ts';

// What this browser has left unfinished: when the page is shown, and whenever it may have missed
// something.

export function look(course: Course): Course {
  const { kept, shown } = course;
  // another tab may have shown the end of a payment that this page shows, and forgotten it
  const onScreen = shown.screen === 'unfinished' ? shown.payment?.reference : undefined;
  const first = kept?.reference ?? onScreen;
  return begin(course, shown, { is: 'look', first }, first ? verify(first) : { to: 'open' });
}

export function takeLook(
  course: Course,
  task: Looking,
  response: ShopResponse,
  seen: Seen,
): Course {
  const { first = '', failed } = task;
  const { payment } = response;
  if (payment) {
    if (screenOf(payment, 'unfinished') !== 'failed')
      return showBesideCart(course, first, payment, seen);
    // one that nobody tried to pay is failed after a day, and `open` still names it (D57)
    return request(course, { to: 'open' }, { ...task, failed: payment });
  }
  const named = response.options?.reference;
  if (failed && named !== failed.reference) return showBesideCart(course, first, failed, seen);
  if (failed || !named) return begin(course, SHOP);
  return request(course, verify(named), { is: 'look', first: named });
}

/** A call of it failed. */
export function loseLook(course: Course, task: Looking, { status }: Lost, seen: Seen): Course {
  const { kept, call, shown, cart } = course;
  const { first = '', failed } = task;
  if (failed) return showBesideCart(course, first, failed, seen);
  const isKept = kept?.reference === first;
  if (call?.to === 'verify' && isOfNobody(status)) {
    if (isKept && wasSent(kept)) return loseOwner(course, first, 'unfinished');
    return isKept ? look({ ...course, kept: undefined }) : begin(course, SHOP);
  }
  const trouble = troubleOf(status);
  const isUntouched = isKept && kept.cart === cart && !kept.isSent;
  return first && !isUntouched
    ? follow(course, first, 'unfinished', { trouble })
    : begin(course, { ...shown, trouble }, { is: 'look-later' });
}

export function catchUp(course: Course, news: PageNews, seen: Seen): Course {
  const { shown, task } = course;
  const { payment } = shown;
  const noted = payment ? noteSeen(course, payment.reference, seen) : course;
  const isResting = news === 'hidden' || news === 'offline' || !seen.isVisible;
  if (isResting || task?.is === 'follow') return noted; // which catches up by itself
  if (isAtShop(course)) return look(noted);
  if (!payment || !completeState(shown).can.payAgain) return noted;
  const { reference } = payment; // it may have been paid elsewhere
  return begin(noted, shown, { is: 'follow', reference, whileOpen: 'pending', isKnown: false });
}

/** Returns whether a look may come next, as between a press and what it opens it may not. */
export function isAtShop({ shown }: Course): boolean {
  const { screen } = shown;
  return completeState(shown).can.pay && (screen === 'shop' || screen === 'unfinished');
}
