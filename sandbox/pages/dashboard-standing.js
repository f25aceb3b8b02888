// Where a payment stands, and what comes next, in words for whoever tests a shop.

import { count } from './formats.js';

/**
 * @import { CollectionStory, Delivery } from '../src/control/types.ts'
 * @typedef {{ words: string, until: string | null }} Standing What it is, and a time that ends the words where one matters.
 */

/**
 * One or two sentences: what is known about the payment, then what to do.
 * @param {Pick<CollectionStory, 'collection' | 'session' | 'attempts' | 'deliveries'>} payment
 * @returns {Standing}
 */
export function standingOf({ collection, session, attempts, deliveries }) {
  const { status, expiresAt = null } = attempts.at(-1) ?? {};
  if (!collection)
    return only(
      session.status === 'open'
        ? 'Nobody has tried to pay yet: the popup waits for the customer.'
        : 'Nobody tried to pay.',
    );
  if (collection.status === 'successful') return standingOfWebhook(deliveries);
  if (collection.status === 'failed')
    return only(
      'Not paid, and this reference stays so. To try again, the shop opens a new payment with a new reference.',
    );
  if (!attempts.length)
    return only('Placed as it is: no customer is behind it, and nothing comes next.');
  if (status === 'pay-offline')
    return {
      words: 'Waits for an answer on the phone. Approve or decline it; by itself it ends',
      until: expiresAt,
    };
  if (status === 'otp-required')
    return {
      words: 'Waits for the one-time code. The phone shows it, the popup asks for it; it ends',
      until: expiresAt,
    };
  if (status === '3ds-auth-required')
    return only('Waits for the bank’s question to be answered in the popup.');
  if (status === 'declined')
    return only(
      `Nothing was charged. The customer may try again in the popup: ${session.attemptsLeft === 1 ? '1 attempt is' : `${count(session.attemptsLeft)} attempts are`} left.`,
    );
  return only(
    'The card is being charged. The answer comes by itself; moving the clock brings it now.',
  );
}

/**
 * Of a payment that was made: what the shop heard of it. @param {readonly Delivery[]} deliveries
 * @returns {Standing}
 */
function standingOfWebhook(deliveries) {
  const newest = deliveries.findLast(
    ({ event, repeats }) => event === 'collection.successful' && repeats === null,
  );
  const heard = deliveries.filter(
    ({ event, status }) => event === 'collection.successful' && status === 'acknowledged',
  );
  if (heard.length && heard.every(({ attempts }) => attempts.at(-1)?.faults.length))
    return only(
      'Paid, but the shop acknowledged a webhook that was tampered with: let it check each signature.',
    );
  if (heard.length) return only('Paid, and the shop acknowledged its webhook.');
  if (!newest)
    return only(
      'Paid. No webhook was sent: nobody asked for one, or its merchant has no webhook URL.',
    );
  const { status, attempts, nextAttemptAt } = newest;
  if (status === 'dropped')
    return only(
      'Paid. Its webhook was lost on purpose: the shop learns of it by verify, or by a replay.',
    );
  if (status === 'given-up')
    return only(
      'Paid, but the shop never acknowledged its webhook. Mend the receiver, then replay it.',
    );
  const last = attempts.at(-1);
  if (!last) return { words: 'Paid. Its webhook goes out', until: nextAttemptAt };
  const answer = last.status === null ? 'no answer came' : `it answered ${last.status}`;
  return {
    words: `Paid, but the shop has not acknowledged its webhook: ${answer}. It is sent again`,
    until: nextAttemptAt,
  };
}

/** @param {string} words @returns {Standing} */
function only(words) {
  return { words, until: null };
}
