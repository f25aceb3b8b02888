// @ts-check
// How a payment ended, as far as the shop's server knows. Only its word counts: what the popup said
// merely makes the page ask.

import { ApiError, callApi } from './api.js';
import { forgetPayments, keepPayment, keptPayment } from './kept-order.js';
import { formatMoney } from './money.js';
import { followPayment } from './payment-news.js';

/** @typedef {import('./payment-news.js').News} News */
/** @typedef {keyof typeof SCREENS} Screen */

/** Said again wherever somebody might be tempted to pay once more. */
const ONCE = 'You will not be charged twice.';

/**
 * What is known, and what happens next. While it is pending, or once it has failed, the server's
 * message says more than `known`.
 */
const SCREENS = {
  checking: {
    heading: 'We are checking your payment',
    known: 'The shop is asking the payment service what came of it.',
    next: `This takes a moment. Do not pay again. ${ONCE}`,
  },
  pending: {
    heading: 'Payment pending',
    known: 'Your payment is not confirmed yet.',
    next: `Your order is kept. ${ONCE} This page shows the answer as soon as it is known, and you may close it.`,
  },
  review: {
    heading: 'Payment pending',
    known: 'The payment arrived and the shop is looking at it.',
    next: `Do not pay again: your order is kept. ${ONCE}`,
  },
  successful: {
    heading: 'Order paid',
    known: 'Thank you. Your payment is confirmed.',
    next: 'The shop has your order, and nothing more will be charged for it.',
  },
  failed: {
    heading: 'Payment failed',
    known: 'The payment did not go through. You can pay again for the same order.',
    next: 'Should a payment arrive twice, the shop notices and looks at it.',
  },
  refused: {
    heading: 'Payment failed',
    known:
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
    next: 'Tell it the reference below. Nothing is sent for this payment, and nothing more is charged for it.',
  },
  'unknown-order': {
    heading: 'We do not know this order here',
    known: 'Open it in the browser you ordered with.',
    next: 'If you paid, the order is safe: the shop confirms it by itself.',
  },
};

/**
 * What is said in place of a screen's words while nothing new can be learnt; the heading stays as
 * it is.
 */
const NOTHING_NEW = {
  'not-known': {
    known: 'The shop could not reach the payment service to learn the result.',
    next: `Do not pay again yet: the shop keeps asking, and this page tells you the answer. ${ONCE}`,
  },
  unreachable: {
    known: 'This page cannot reach the shop just now. Check your connection.',
    next: `If you paid, the shop confirms it by itself. Do not pay again: this page asks as soon as it can. ${ONCE}`,
  },
};

/** What a customer is told where the service's script did not arrive. */
export const WINDOW_NOT_LOADED =
  'The payment window could not be loaded. Check your connection, or a blocker, and reload this page.';

const result = /** @type {HTMLElement} */ (document.getElementById('result'));

let stopFollowing = () => {};

/**
 * Asks the server how the order of a payment stands, and shows what it answers.
 * @param {string} reference
 */
export function checkPayment(reference) {
  begin('checking', reference);
}

/**
 * Says that nobody knows yet whether the payment was made, and waits for the server's word.
 * @param {string} reference
 */
function awaitPayment(reference) {
  keepPayment(reference, 'page');
  begin('pending', reference);
}

/** @param {'checking' | 'pending'} screen @param {string} asked */
function begin(screen, asked) {
  stopFollowing();
  show(screen, asked);
  stopFollowing = followPayment(asked, onNews);

  /**
   * @param {News} news `reference` is that of the order's payment which decides: another one than was asked about, perhaps.
   */
  function onNews({ status, message, amount, currency, reference = asked, asksFirst, isInReview }) {
    if (status === 'not-known' || status === 'unreachable') return sayWords(NOTHING_NEW[status]);
    const price = amount && currency ? formatMoney(amount, currency) : '';
    const screen = asksFirst ? 'refused' : isInReview ? 'review' : status;
    show(screen, reference, { asked, message: status === 'successful' ? '' : message, price });
    if (status === 'successful' || status === 'failed' || status === 'unknown-order')
      forgetPayments([asked, reference]);
  }
}

/**
 * @param {Screen} screen
 * @param {string} reference
 * @param {{ asked?: string, message?: string | undefined, price?: string }} [about] `asked` is the payment this page was opened for.
 */
function show(screen, reference, { asked = reference, message, price } = {}) {
  const words = SCREENS[screen];
  if (result.dataset.state !== screen || result.dataset.reference !== reference || result.hidden) {
    const title = document.createElement('h1');
    title.textContent = words.heading;
    title.tabIndex = -1;
    const sentences = document.createElement('div');
    sentences.role = 'status';
    sentences.append(document.createElement('p'), document.createElement('p'));
    const note = document.createElement('p');
    note.className = 'quiet';
    result.dataset.state = screen;
    result.dataset.reference = reference;
    result.replaceChildren(title, sentences, ...actionsFor(screen, reference, asked), note);
    result.hidden = false;
    for (const id of ['cart', 'unfinished'])
      document.getElementById(id)?.setAttribute('hidden', '');
    document.title = document.title.replace(/^.*?(?= · )/, words.heading);
    title.focus();
  }
  sayWords({ known: message || words.known, next: words.next });
  const note = /** @type {HTMLElement} */ (result.querySelector('.quiet'));
  note.textContent = [price, `Reference ${reference}`].filter(Boolean).join(' · ');
}

/**
 * Changes what is said under the heading, and only where it differs: a reader that reads aloud
 * hears each sentence once. @param {{ known: string, next: string }} words
 */
function sayWords({ known, next }) {
  const sentences = result.querySelectorAll('[role="status"] p');
  for (const [at, text] of [known, next].entries()) {
    const sentence = sentences[at];
    if (sentence && sentence.textContent !== text) sentence.textContent = text;
  }
}

/** @param {Screen} screen @param {string} reference @param {string} asked */
function actionsFor(screen, reference, asked) {
  if (screen === 'checking') return [];
  const back = document.createElement('a');
  back.className = 'button';
  back.href = '/';
  back.textContent = 'Back to the shop';
  if (screen === 'pending') back.addEventListener('click', () => keepPayment(reference, 'bar'));
  if (screen === 'review') back.addEventListener('click', () => forgetPayments([asked, reference]));
  if (screen !== 'failed' && screen !== 'pending') return [back];
  const paying = document.createElement('button');
  paying.type = 'button';
  paying.className = 'button';
  paying.textContent = screen === 'failed' ? 'Pay again' : 'Continue this payment';
  const problem = document.createElement('p');
  problem.className = 'problem';
  problem.role = 'alert';
  problem.hidden = true;
  paying.addEventListener('click', () => void pay());
  if (screen === 'failed') return [problem, paying];
  back.classList.add('plain');
  return [problem, paying, back];

  async function pay() {
    if (paying.ariaBusy === 'true') return;
    paying.ariaBusy = 'true';
    problem.hidden = true;
    try {
      const other = screen === 'failed' && (await findOtherPayment(reference));
      if (other) checkPayment(other);
      else await continuePayment(reference);
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
      problem.hidden = false;
      // The order takes no further payment: the message says why, and a button beside it would say
      // the opposite.
      if (error instanceof ApiError && error.httpStatus === 400) paying.replaceWith(back);
    } finally {
      paying.ariaBusy = 'false';
    }
  }
}

/**
 * Returns a payment that this browser has begun since, in another tab: paying this one again could
 * pay for two orders.
 * @param {string} reference
 * @returns {Promise<string | undefined>}
 */
async function findOtherPayment(reference) {
  const open = await callApi('GET', '/api/orders/open');
  return [keptPayment()?.reference, open?.reference].find((other) => other && other !== reference);
}

/**
 * Opens the payment window for the order's open payment, or for a new one if there is none. Throws
 * an error whose message can be shown.
 * @param {string} reference
 */
export async function continuePayment(reference) {
  const options = await callApi('POST', `/api/payments/${reference}/retry`);
  keepPayment(options.reference);
  openPopup(options, () => location.assign('/'));
}

/**
 * Opens the payment window for options the server made. Throws an error whose message can be shown.
 * @param {{ reference: string }} options
 * @param {() => void} onClose Nothing was paid, and nothing is under way.
 */
export function openPopup(options, onClose) {
  const { ServicePay } = /** @type {any} */ (window);
  if (!ServicePay) throw new Error(WINDOW_NOT_LOADED);
  ServicePay.getPaid({
    ...options,
    onSuccess: () => checkPayment(options.reference),
    onConfirmationPending: () => awaitPayment(options.reference),
    onClose,
  });
}
