// @ts-check
// The card that says how a payment ended, as far as the shop's server knows. Only its word counts:
// what the payment window said merely makes the page ask. The return page is served with this card.

import {
  ApiError,
  fetchOpenPayment,
  fetchOrder,
  followPayment,
  forgetPayments,
  keepPayment,
  keptPayment,
  retryPayment,
} from './orders.js';
import { build, formatMoney, formatTotal, Problem, press, WINDOW_NOT_LOADED } from './page.js';

/**
 * @typedef {import('./orders.js').Order} Order
 * @typedef {import('./orders.js').PaymentAnswer} PaymentAnswer
 * @typedef {import('./orders.js').PopupOptions} PopupOptions
 * @typedef {keyof typeof SCREENS} Screen
 * @typedef {{ known: string, next: string }} Words What is known, and what happens next.
 */

/** Said wherever somebody might be tempted to pay once more. */
const ONCE = 'You will not be charged twice.';

/** Once a payment has failed, the server's message says more than `known`. */
const SCREENS = {
  checking: {
    heading: 'We are checking your payment',
    known: 'The shop is asking the payment service for the result.',
    next: `This takes a moment. Do not pay again. ${ONCE}`,
  },
  pending: {
    heading: 'Payment pending',
    known: 'Nothing is waiting on your phone right now.',
    next: `If your bank still confirms the payment, this page says so. To try again or to pay another way, continue this payment. ${ONCE}`,
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
    known: 'The payment did not go through.',
    next: 'Your order is kept. If the money arrives late, it still pays for this order.',
  },
  refused: {
    heading: 'Payment failed',
    known:
      'The shop did not accept this payment. Ask the shop about your money before you pay again.',
    next: 'Tell the shop the reference below. Nothing will be sent for this payment.',
  },
  'unknown-order': {
    heading: 'We do not know this order here',
    known: 'Open it in the browser you ordered with.',
    next: 'If you paid, the order is safe: the shop confirms it by itself.',
  },
};

/** Said while the service waits for the customer. */
const WAITING = {
  known:
    'Approve the payment on your phone. If you were sent a code, or your bank asks you to confirm, continue this payment.',
  next: `This page shows the result as soon as it is known. ${ONCE}`,
};

/** Replaces the text of a screen while the shop cannot be reached. The heading stays. */
const NOTHING_NEW = {
  'not-known': {
    known: 'The shop could not reach the payment service to learn the result.',
    next: `Do not pay again yet: the shop keeps asking, and this page shows the answer. ${ONCE}`,
  },
  unreachable: {
    known: 'This page cannot reach the shop right now. Check your connection.',
    next: `If you paid, the shop confirms it by itself. Do not pay again: this page keeps asking. ${ONCE}`,
  },
};

const result = /** @type {HTMLElement} */ (document.getElementById('result'));

let stopFollowing = () => {};

if (result.dataset.state === 'checking')
  checkPayment(new URLSearchParams(location.search).get('reference') ?? '');

/**
 * Asks the server how the order of a payment stands, and shows the answer.
 * @param {string} reference
 */
export function checkPayment(reference) {
  follow('checking', reference);
}

/**
 * Opens the payment window for the order's open payment, or for a new one if there is none. Throws
 * `Problem`.
 * @param {string} reference
 */
export async function continuePayment(reference) {
  findServicePay();
  openPopup(await retryPayment(reference), () => location.assign('/'));
}

/**
 * Opens the payment window for options the server made.
 * @param {PopupOptions} options
 * @param {() => void} onClose Nothing was paid, and nothing is under way.
 */
export function openPopup(options, onClose) {
  const { reference } = options;
  findServicePay().getPaid({
    ...options,
    onSuccess: () => checkPayment(reference),
    onConfirmationPending: () => {
      keepPayment(reference, 'page');
      follow('pending', reference);
    },
    onClose,
  });
}

/** Returns the global of the service's script. Throws `Problem`. */
export function findServicePay() {
  const { ServicePay } = /** @type {any} */ (window);
  if (!ServicePay) throw new Problem(WINDOW_NOT_LOADED);
  return ServicePay;
}

/**
 * Shows the state of a payment until it is final.
 * @param {'checking' | 'pending'} screen
 * @param {string} asked
 */
function follow(screen, asked) {
  stopFollowing();
  /** @returns {Promise<Order | undefined>} */
  const findOrder = () => fetchOrder(asked).catch(() => undefined);
  let order = findOrder();
  showScreen(screen, asked, asked);
  void fillReceipt(order);
  sayWords(SCREENS.checking);
  stopFollowing = followPayment(asked, (answer) => {
    if (answer instanceof ApiError && answer.httpStatus !== 404)
      return sayWords(NOTHING_NEW[answer.httpStatus === 0 ? 'unreachable' : 'not-known']);
    const screen = chooseScreen(answer);
    // of another payment of the order, perhaps: the one that decides
    const reference = answer instanceof ApiError ? asked : answer.data.reference;
    showScreen(screen, reference, asked);
    order = order.then((known) => known ?? findOrder());
    void fillReceipt(order);
    sayWords(chooseWords(screen, answer));
    if (screen !== 'pending' && screen !== 'review') forgetPayments([asked, reference]);
    // A reload shows the receipt again, not the shop.
    if (screen === 'successful')
      history.replaceState(null, '', `/payments/return?reference=${encodeURIComponent(asked)}`);
  });
}

/** @param {PaymentAnswer | ApiError} answer @returns {Screen} */
function chooseScreen(answer) {
  if (answer instanceof ApiError) return 'unknown-order';
  const { status, asksFirst, isInReview } = answer.data;
  if (status === 'pending') return isInReview ? 'review' : 'pending';
  return asksFirst ? 'refused' : status;
}

/** @param {Screen} screen @param {PaymentAnswer | ApiError} answer @returns {Words} */
function chooseWords(screen, answer) {
  if (answer instanceof ApiError) return SCREENS[screen];
  if (answer.data.isWaitingForCustomer) return WAITING;
  const reason = screen === 'failed' && answer.message;
  return { ...SCREENS[screen], ...(reason && { known: reason }) };
}

/**
 * Shows a screen, unless it is shown already, without its words: a screen reader hears what is said
 * once the screen is there.
 * @param {Screen} screen
 * @param {string} reference
 * @param {string} asked The payment this page was opened for.
 */
function showScreen(screen, reference, asked) {
  const { dataset } = result;
  if (dataset.state === screen && dataset.reference === reference && !result.hidden) return;
  const { heading } = SCREENS[screen];
  const title = build('h1', { tabIndex: -1 }, heading);
  Object.assign(dataset, { state: screen, reference });
  result.replaceChildren(
    build('div', { className: 'mark' }),
    title,
    build('p', { className: 'amount' }),
    build('div', { role: 'status' }, build('p', {}), build('p', {})),
    build('dl', {}, buildReference(reference)),
    ...buildActions(screen, reference, asked),
  );
  result.hidden = false;
  for (const id of ['cart', 'unfinished']) document.getElementById(id)?.setAttribute('hidden', '');
  document.title = document.title.replace(/^.*?(?= · )/, heading);
  title.focus();
}

/**
 * Adds the order's amount, goods and customer to the screen once they are known.
 * @param {Promise<Order | undefined>} order
 */
async function fillReceipt(order) {
  const [amount, receipt] = result.querySelectorAll('.amount, dl');
  const known = await order;
  if (!known || !amount || amount.textContent) return;
  const { currency, customer, lines } = known;
  amount.textContent = formatMoney(known.amount, currency);
  receipt?.prepend(
    ...lines.map((line) =>
      buildRow(`${line.quantity} × ${line.name}`, formatTotal([line], currency)),
    ),
    buildRow('E-mail', customer.email),
  );
}

/**
 * Changes what is said under the heading, and only where it differs: a screen reader reads each
 * sentence once.
 * @param {Words} words
 */
function sayWords({ known, next }) {
  const sentences = result.querySelectorAll('[role="status"] p');
  for (const [at, text] of [known, next].entries()) {
    const sentence = sentences[at];
    if (sentence && sentence.textContent !== text) sentence.textContent = text;
  }
}

/** @param {string} name @param {...(Node | string)} value */
function buildRow(name, ...value) {
  return build('div', {}, build('dt', {}, name), build('dd', {}, ...value));
}

/** @param {string} reference */
function buildReference(reference) {
  const text = build('code', {}, reference);
  const copy = build('button', { type: 'button', className: 'small', ariaLive: 'polite' }, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(reference);
      copy.textContent = 'Copied';
    } catch {
      document.getSelection()?.selectAllChildren(text); // for the customer to copy
    }
  });
  return buildRow('Reference', text, copy);
}

/** @param {Screen} screen @param {string} reference @param {string} asked */
function buildActions(screen, reference, asked) {
  if (screen === 'checking') return [];
  const back = build('a', { className: 'button', href: '/' }, 'Back to the shop');
  if (screen === 'pending') back.addEventListener('click', () => keepPayment(reference, 'bar'));
  if (screen === 'review') back.addEventListener('click', () => forgetPayments([asked, reference]));
  if (screen !== 'failed' && screen !== 'pending') return [back];
  back.classList.add('plain');
  const problem = build('p', { className: 'problem', role: 'alert', hidden: true });
  const label = screen === 'failed' ? 'Try again' : 'Continue this payment';
  const paying = build('button', { type: 'button', className: 'button' }, label);
  paying.addEventListener('click', () => press(paying, pay));
  return [problem, paying, back];

  async function pay() {
    const other = screen === 'failed' && (await findOtherPayment(reference));
    if (other) return checkPayment(other);
    try {
      await continuePayment(reference);
    } catch (error) {
      // the order takes no further payment, and the message says why
      if (error instanceof ApiError && error.httpStatus === 400) paying.hidden = true;
      throw error;
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
  const open = await fetchOpenPayment();
  return [keptPayment()?.reference, open].find((other) => other && other !== reference);
}
