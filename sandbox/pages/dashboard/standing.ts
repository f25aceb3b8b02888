// A payment's state and next step, in words for someone who tests a shop.

import type { CollectionStory, Delivery } from '../../src/control/outputs.ts';
import { count } from '../parts/formats.ts';

/** What it is, and a time that ends the words where one matters. */
interface Standing {
  words: string;
  until: string | null;
}

/** One or two sentences: the state of the payment, then what to do. */
export function standingOf({
  collection,
  session,
  attempts,
  deliveries,
}: Pick<CollectionStory, 'collection' | 'session' | 'attempts' | 'deliveries'>): Standing {
  const { status, expiresAt = null } = attempts.at(-1) ?? {};
  if (!collection)
    return only(
      session.status === 'open'
        ? 'The customer has not tried to pay yet.'
        : 'The customer never tried to pay.',
    );
  if (collection.status === 'successful') return standingOfWebhook(deliveries);
  if (collection.status === 'failed')
    return only('Not paid. To try again, the shop starts a new payment with a new reference.');
  if (!attempts.length)
    return only('A test placed this collection as it is. Nothing happens next.');
  if (status === 'pay-offline')
    return {
      words: 'The phone shows a prompt. Approve or decline it. It expires',
      until: expiresAt,
    };
  if (status === 'otp-required')
    return {
      words: 'The phone shows a one-time code. Enter it in the popup. It expires',
      until: expiresAt,
    };
  if (status === '3ds-auth-required')
    return only('The bank asks the customer to confirm. Answer in the popup.');
  if (status === 'declined')
    return only(
      `Nothing was charged. The customer can try again in the popup: ${session.attemptsLeft === 1 ? '1 attempt is' : `${count(session.attemptsLeft)} attempts are`} left.`,
    );
  return only('The network is processing the payment. Wait, or advance the clock.');
}

function standingOfWebhook(deliveries: readonly Delivery[]): Standing {
  const newest = deliveries.findLast(
    ({ event, repeats }) => event === 'collection.successful' && repeats === null,
  );
  const accepted = deliveries.filter(
    ({ event, status }) => event === 'collection.successful' && status === 'acknowledged',
  );
  if (accepted.length && accepted.every(({ attempts }) => attempts.at(-1)?.faults.length))
    return only('Paid, but the shop acknowledged a tampered webhook. Make it check signatures.');
  if (accepted.length) return only('Paid, and the shop acknowledged the webhook.');
  if (!newest)
    return only(
      'Paid. The sandbox sent no webhook: the merchant has no webhook URL or does not want this event, or the test did not request one.',
    );
  const { status, attempts, nextAttemptAt } = newest;
  if (status === 'dropped')
    return only(
      'Paid. A fault dropped the webhook. The shop learns of the payment by verify, or when you replay it.',
    );
  if (status === 'given-up')
    return only(
      'Paid, but the shop never acknowledged the webhook. Fix the receiver, then replay it.',
    );
  const last = attempts.at(-1);
  if (!last) return { words: 'Paid. The sandbox sends the webhook', until: nextAttemptAt };
  const outcome = last.status === null ? 'it did not respond' : `it responded with ${last.status}`;
  return {
    words: `Paid, but the shop has not acknowledged the webhook: ${outcome}. The sandbox retries`,
    until: nextAttemptAt,
  };
}

function only(words: string): Standing {
  return { words, until: null };
}
