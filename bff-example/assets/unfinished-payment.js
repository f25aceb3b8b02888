// @ts-check
// A payment that this browser began and did not finish: found again after a reload, in a second
// tab, or on coming back later.

import { ApiError, askPayment, callApi } from './api.js';
import { forgetPayments, keptPayment } from './kept-order.js';
import { formatMoney } from './money.js';

const bar = /** @type {HTMLElement} */ (document.getElementById('unfinished'));
const words = /** @type {HTMLElement} */ (bar.querySelector('p'));
const [continuing, ordering] = bar.querySelectorAll('button');

/** @type {Promise<void> | undefined} */
let looking;

/**
 * @typedef {{ showResult: (reference: string) => void, continuePayment: (reference: string) => void, placeSecondOrder: () => void }} Actions
 */

/**
 * Looks for the unfinished payment, one look at a time. Hands it to `showResult` when it has ended,
 * is in review or waits for the customer, and offers to continue it in the bar above the cart
 * otherwise. Throws `ApiError` if the server cannot say.
 * @param {Actions} actions
 * @param {string} [own] The payment of the order this page placed: the next press of Pay opens it again, so nothing is asked.
 * @returns {Promise<void>}
 */
export function findUnfinishedPayment(actions, own) {
  looking ??= look(actions, own).finally(() => {
    looking = undefined;
  });
  return looking;
}

/** @param {Actions} actions @param {string | undefined} own @returns {Promise<void>} */
async function look(actions, own) {
  const kept = keptPayment();
  const reference = kept?.reference ?? (await findOpen());
  if (!reference || (reference === own && !kept?.shownOn)) return hideBar();
  if (kept?.shownOn === 'page') return actions.showResult(reference);
  const answer = await askPayment(reference).catch((error) => error);
  if (answer instanceof ApiError && answer.httpStatus === 404) {
    forgetPayments([reference]);
    return kept ? look(actions, own) : hideBar();
  }
  const { status, amount, currency, isWaitingForCustomer, isInReview } = answer.data ?? {};
  const hasEnded = status === 'successful' || status === 'failed' || isInReview;
  if (hasEnded || (isWaitingForCustomer && kept?.shownOn !== 'bar'))
    return actions.showResult(reference);

  words.textContent = `You have an unfinished payment${amount ? ` of ${formatMoney(amount, currency)}` : ''}.`;
  if (continuing) continuing.onclick = () => actions.continuePayment(reference);
  if (ordering) {
    ordering.hidden = true;
    ordering.onclick = () => {
      hideBar();
      actions.placeSecondOrder();
    };
  }
  bar.hidden = false;
}

function hideBar() {
  bar.hidden = true;
}

/**
 * Returns true if a payment is unfinished, and asks the customer whether a second order is meant.
 */
export function askAboutUnfinishedPayment() {
  if (bar.hidden) return false;
  if (ordering?.hidden) {
    words.textContent += ' If you place a second order, you may pay for both.';
    ordering.hidden = false;
  }
  continuing?.focus();
  return true;
}

/**
 * The server finds it where the browser has kept nothing. @returns {Promise<string | undefined>}
 */
async function findOpen() {
  const open = await callApi('GET', '/api/orders/open');
  return open?.reference;
}
