// @ts-check
// A payment that this browser began and did not finish: found again after a reload, in a second tab, or on coming back later.

import { ApiError, askPayment, callApi } from './api.js';
import { forgetPayments, keptPayment } from './kept-order.js';
import { formatMoney } from './money.js';

const bar = /** @type {HTMLElement} */ (document.getElementById('unfinished'));
const words = /** @type {HTMLElement} */ (bar.querySelector('p'));
const [continuing, ordering] = bar.querySelectorAll('button');

/**
 * Looks for the unfinished payment. Hands it to `showResult` when it has ended or waits for the customer, and offers to continue
 * it in the bar above the cart otherwise.
 * @param {{ showResult: (reference: string) => void, continuePayment: (reference: string) => void, placeSecondOrder: () => void }} actions
 * @returns {Promise<void>}
 */
export async function findUnfinishedPayment(actions) {
  const kept = keptPayment();
  const reference = kept?.reference ?? (await findOpen());
  bar.hidden = true;
  if (!reference) return;
  if (kept?.shownOn === 'page') return actions.showResult(reference);
  const answer = await askPayment(reference).catch((error) => error);
  if (answer instanceof ApiError && answer.httpStatus === 404) {
    forgetPayments([reference]);
    return kept ? findUnfinishedPayment(actions) : undefined;
  }
  const { status, amount, currency, isWaitingForCustomer } = answer.data ?? {};
  const hasEnded = status === 'successful' || status === 'failed';
  if (hasEnded || (isWaitingForCustomer && kept?.shownOn !== 'bar')) return actions.showResult(reference);

  words.textContent = `You have an unfinished payment${amount ? ` of ${formatMoney(amount, currency)}` : ''}.`;
  if (continuing) continuing.onclick = () => actions.continuePayment(reference);
  if (ordering) {
    ordering.hidden = true;
    ordering.onclick = () => {
      bar.hidden = true;
      actions.placeSecondOrder();
    };
  }
  bar.hidden = false;
}

/** Returns true if a payment is unfinished, and asks the customer whether a second order is meant. */
export function askAboutUnfinishedPayment() {
  if (bar.hidden) return false;
  if (ordering?.hidden) {
    words.textContent += ' If you place a second order, you may pay for both.';
    ordering.hidden = false;
  }
  continuing?.focus();
  return true;
}

/** The server finds it where the browser has kept nothing. @returns {Promise<string | undefined>} */
async function findOpen() {
  const open = await callApi('GET', '/api/orders/open').catch(() => null);
  return open?.reference;
}
