// @ts-check
// The card that says how a payment ended, as far as the shop's server knows. Only its word counts:
// what the payment window said merely makes the page check.

import {
  build,
  callShop,
  find,
  formatMoney,
  formatTotal,
  showButton,
  showProblem,
} from './page.js';

/**
 * @typedef {import('/assets/flow.js').PaymentFlow} PaymentFlow
 * @typedef {import('/assets/flow.js').FlowState} FlowState
 * @typedef {{ amount: string, currency: string, customer: { email: string }, lines: { name: string, quantity: number, price: string }[] }} Order
 * @typedef {{ heading: string, known: string, next: string }} Words What is known, and what happens next.
 */

/** Said wherever somebody might be tempted to pay once more. */
const ONCE = 'You will not be charged twice.';

/** @type {Record<string, Words>} */
const SCREENS = {
  checking: {
    heading: 'We are checking your payment',
    known: 'The shop is checking the result with the payment service.',
    next: `This takes a moment. Do not pay again. ${ONCE}`,
  },
  pending: {
    heading: 'Payment pending',
    known: 'Nothing is waiting on your phone right now.',
    next: `If your bank still confirms the payment, this page says so. To try again or to pay another way, continue this payment. ${ONCE}`,
  },
  waiting: {
    heading: 'Payment pending',
    known:
      'Approve the payment on your phone. If you were sent a code, or your bank asks you to confirm, continue this payment.',
    next: `This page shows the result as soon as it is known. ${ONCE}`,
  },
  review: {
    heading: 'Payment pending',
    known: 'Your payment arrived, and we are checking it.',
    next: `Do not pay again: your order is kept. ${ONCE}`,
  },
  paid: {
    heading: 'Order paid',
    known: 'Thank you. Your payment is confirmed.',
    next: 'We have your order.',
  },
  failed: {
    heading: 'Payment failed',
    known: 'The payment did not go through. You can still pay for this order.',
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

/** Replaces the words of a screen while there is no news. Its heading stays. */
const TROUBLE = {
  'service-unreachable': {
    known: 'The shop could not reach the payment service to learn the result.',
    next: `Do not pay again yet: the shop keeps checking, and this page shows the result. ${ONCE}`,
  },
  'shop-unreachable': {
    known: 'This page cannot reach the shop right now.',
    next: `If you paid, the shop confirms it by itself. Do not pay again: this page keeps checking. ${ONCE}`,
  },
  'shop-rejects': {
    known: 'The shop does not show your payment here. Reload this page, or sign in again.',
    next: `If you paid, the shop confirms it by itself. Do not pay again. ${ONCE}`,
  },
};

const NOT_TAKEN = 'The shop could not take the order, and no payment was started. Try again soon.';
export const PROBLEMS = {
  goods_failed: 'The goods could not be loaded. Nothing was ordered. Try again soon.',
  place_failed: NOT_TAKEN,
  cart_unusable: NOT_TAKEN,
  shop_failed: NOT_TAKEN,
  shop_unreachable: 'The shop does not respond, and no payment was started. Try again soon.',
  shop_rejected: 'The shop did not accept this. Reload the page and try again.',
  offline: 'You are offline. Nothing was sent, and you have not been charged.',
  order_unknown: 'The shop cannot recognise your browser here. Open the shop in its own window.',
  popup_failed:
    'The payment window could not be loaded. Check for a blocker, and reload this page.',
  order_closed: 'Do not pay again: this order is paid, or we are checking it.',
};

/**
 * Says why the last press failed. Only a payment that is known here may be paid already.
 * @param {FlowState} state
 */
export function describeProblem({ problem, payment }) {
  if (!problem) return '';
  const { code } = problem;
  if (!payment || !/^(offline|shop_)/.test(code)) return PROBLEMS[code];
  const why = code === 'offline' ? 'You are offline, so the shop' : 'Right now the shop';
  return `${why} cannot tell whether this is paid. No new payment was started: try again soon.`;
}

const RETURN_PATH = '/payments/return';

const card = find('result');

/**
 * Draws the state of a payment, and returns whether the state has anything to do with one. The page
 * then shows nothing else, and its address shows the same again after a reload.
 * @param {PaymentFlow} flow
 */
export function drawResult(flow) {
  const { screen, payment, trouble, problem, can } = flow.state;
  const isPending = screen === 'pending' && payment?.isWaitingForCustomer;
  const words = SCREENS[isPending ? 'waiting' : screen];
  if (screen === 'paying') return !card.hidden; // the window is over what was there
  if (!words || !payment) {
    if (!card.hidden && screen !== 'placing') location.assign('/');
    return false;
  }
  const { reference } = payment;
  if (card.dataset.screen !== screen || card.dataset.reference !== reference) {
    Object.assign(card.dataset, { screen, reference });
    drawCard(flow, words.heading);
    if (location.pathname !== RETURN_PATH)
      history.replaceState(null, '', `${RETURN_PATH}?reference=${encodeURIComponent(reference)}`);
  }
  const { known, next } = trouble ? TROUBLE[trouble] : words;
  const sentences = card.querySelectorAll('[role="status"] p');
  for (const [at, text] of [known, next].entries()) {
    const sentence = sentences[at];
    // a screen reader reads a sentence each time it is set
    if (sentence && sentence.textContent !== text) sentence.textContent = text;
  }
  showProblem(find('again'), describeProblem(flow.state));
  const label = screen === 'failed' ? 'Try again' : 'Continue this payment';
  showButton(find('again'), label, !can.resume && !can.payAgain);
  find('again').hidden = problem?.code === 'order_closed' || !/^(failed|pending)$/.test(screen);
  return true;
}

/** @param {PaymentFlow} flow @param {string} heading */
function drawCard(flow, heading) {
  const { screen, payment } = flow.state;
  const { reference = '', paidAt, paidWith } = payment ?? {};
  const style = /** @type {const} */ ({ dateStyle: 'medium', timeStyle: 'short' });
  const time = paidAt && new Date(paidAt).toLocaleString(document.documentElement.lang, style);
  const when = time ? [buildRow('Paid on', time)] : [];
  const copying = buildReference(reference);
  const title = build('h1', { tabIndex: -1 }, heading);
  const again = build('button', { type: 'button', className: 'button', id: 'again' });
  again.onclick = () => (flow.state.can.resume ? flow.resume() : flow.payAgain());
  const className = /^(failed|pending)$/.test(screen) ? 'button plain' : 'button';
  const back = build('a', { className, href: '/' }, 'Back to the shop');
  card.dataset.state = screen;
  card.replaceChildren(
    build('div', { className: 'mark' }),
    title,
    build('p', { className: 'amount' }),
    build('div', { role: 'status' }, build('p', {}), build('p', {})),
    build('dl', {}, ...(paidWith ? [buildRow('Paid with', paidWith.label)] : []), ...when, copying),
    build('p', { className: 'problem', role: 'alert', hidden: true }),
    again,
    ...(screen === 'checking' ? [] : [back]),
  );
  card.hidden = false;
  document.title = document.title.replace(/^.*?(?= · )/, heading);
  title.focus();
  void addGoods(reference);
}

/** Adds the order's amount, goods and customer to the card once they are known. @param {string} reference */
async function addGoods(reference) {
  const [amount, receipt] = card.querySelectorAll('.amount, dl');
  /** @type {Order | undefined} */
  const order = await callShop(`/api/orders/${reference}`).catch(() => undefined);
  if (!order || !amount) return;
  const { currency, customer, lines } = order;
  amount.textContent = formatMoney(order.amount, currency);
  receipt?.prepend(
    ...lines.map((line) =>
      buildRow(`${line.quantity} × ${line.name}`, formatTotal([line], currency)),
    ),
    buildRow('E-mail', customer.email),
  );
}

/** @param {string} name @param {...(Node | string)} value */
function buildRow(name, ...value) {
  return build('div', {}, build('dt', {}, name), build('dd', {}, ...value));
}

/** @param {string} reference */
function buildReference(reference) {
  const text = build('code', {}, reference);
  const copy = build('button', { type: 'button', className: 'small', ariaLive: 'polite' }, 'Copy');
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(reference);
      copy.textContent = 'Copied';
    } catch {
      document.getSelection()?.selectAllChildren(text); // for the customer to copy
    }
  };
  return buildRow('Reference', text, copy);
}
