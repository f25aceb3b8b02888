import { type Known, sentOf } from '../flow/payment-state.ts';
import type { Drafts } from './drafts.ts';

/**
 * Selects the channel and the network of the last attempt (D60), and erases the security code of an
 * attempt that has a response, unless only its billing address is missing.
 */
export function updateDrafts(drafts: Drafts, known: Known, before: Known): void {
  const { card, phone } = drafts;
  const { attempt } = known.service.session ?? {};
  if (attempt && !before.service.session) {
    drafts.channel ||= attempt.channel;
    if (attempt.prompt && !phone.isChosen) phone.operator = attempt.prompt.operator;
  }
  const problems = Object.values(known.problems);
  const needsBilling = problems.some(({ code }) => code === 'billing-required');
  if (sentOf(before) && !sentOf(known) && !needsBilling) card.securityCode = '';
}
