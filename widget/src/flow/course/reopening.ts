import {
  type Course,
  type Lost,
  type Reopening,
  request,
  type Seen,
  type ShopResponse,
} from './course.ts';
import {
  follow,
  followFrom,
  goBack,
  isOfNobody,
  loseOwner,
  openPopup,
  problemOf,
} from './showing.ts';

// Continue and Try again: they request the payment of the order that can be paid (D61).

export function reopen(
  course: Course,
  { reference, before }: Reopening,
  response: ShopResponse,
  seen: Seen,
): Course {
  const { kept, call } = course;
  const { payment } = response;
  // one that was open may have ended since: that is shown before another is made
  if (payment && payment.status !== 'pending')
    return followFrom(course, reference, 'pending', payment, seen);
  if (payment) return request(course, { to: 'retry', reference });
  const { options } = response;
  if (call?.to === 'open') {
    const keptOne = kept?.isSeen ? undefined : kept?.reference;
    const begunSince = [keptOne, options?.reference].find((one) => one && one !== reference);
    return begunSince
      ? follow(course, begunSince, 'pending')
      : request(course, { to: 'retry', reference });
  }
  if (!options) return course;
  const order = kept?.reference === reference ? { ...kept, isSeen: false } : {};
  const known = { ...course, kept: { ...order, reference: options.reference } };
  return openPopup(known, { before, isElement: false }, options);
}

/** A call of it failed. */
export function loseReopened(
  course: Course,
  { reference, before }: Reopening,
  { status, cause, isOffline }: Lost,
): Course {
  const to = course.call?.to;
  const whileOpen = before.screen === 'unfinished' ? 'unfinished' : 'pending';
  if (to === 'verify' ? isOfNobody(status) : to === 'retry' && status === 404)
    return loseOwner(course, reference, whileOpen);
  if (to === 'retry' && status === 400)
    return follow(course, reference, 'pending', { problem: { code: 'order_closed', cause } });
  return goBack(course, before, problemOf(status, cause, isOffline));
}
