import { begin, type Course, keep, type Seen, verify } from './course.ts';
import { follow, SHOP } from './showing.ts';

// What a popup reports when it closes: never how the payment ended.

/** Something was sent: only the shop knows what became of it. */
export function noteSent(course: Course, reference: string, { now }: Seen): Course {
  const { kept, shown } = course;
  const order = kept?.reference === reference ? kept : { reference };
  const { amount, currency } = shown.payment?.reference === reference ? shown.payment : order;
  const sent = { ...course, kept: { ...order, amount, currency, isSent: true, sentAt: now } };
  return course.isStopped ? sent : follow(sent, reference, 'pending');
}

/** Nothing is under way here, but the payment may have ended elsewhere. */
export function noteClosed(course: Course, reference: string): Course {
  const isKept = course.kept?.reference === reference;
  return checkAfterClose(isKept ? keep(course, { isSent: false }) : course, reference);
}

/** The popup closed before it had the payment: another tab may have sent something. */
export function checkAfterClose(course: Course, reference: string): Course {
  if (course.isStopped) return course;
  if (course.kept && course.kept.cart !== course.cart)
    return follow(course, reference, 'unfinished');
  return begin(course, SHOP, { is: 'check', reference }, verify(reference));
}
