// @ts-check
// How a payment ended, as far as the shop's server knows. Only its word counts: what the popup said merely makes the page ask.

import { callApi } from './api.js';

const SCREENS = {
  checking: { heading: 'We are checking your payment', words: 'This takes a moment. Do not pay again.' },
  pending: {
    heading: 'Payment pending',
    words: 'Your payment is not confirmed yet. Do not pay again: this page tells you as soon as it is, and you may close it.',
  },
  successful: { heading: 'Order paid', words: 'Thank you. Your payment is confirmed, and your order is on its way.' },
  failed: { heading: 'Payment failed', words: 'This payment did not go through. You can pay again for the same order.' },
};

/** What a customer is told where the service's script did not arrive. */
export const WINDOW_NOT_LOADED = 'The payment window could not be loaded. Check your connection, or a blocker, and reload this page.';

const result = /** @type {HTMLElement} */ (document.getElementById('result'));

/** @type {EventSource | undefined} */
let events;

/**
 * The popup says paid: asks the server, and shows what it answers.
 * @param {string} reference
 * @param {() => void} [onEnd] Called once the payment has come to an end.
 */
export async function checkPayment(reference, onEnd) {
  show('checking', reference, onEnd);
  try {
    const { status } = await callApi('POST', `/api/payments/${reference}/verify`);
    show(status, reference, onEnd);
  } catch {
    // Not known yet: the heading stays as it is, and the stream tells when the server has learnt more.
  }
  if (!isOver()) watch(reference, onEnd);
}

/**
 * The customer left while nobody knew: says so, and waits for the server's word.
 * @param {string} reference
 * @param {() => void} [onEnd]
 */
export function awaitPayment(reference, onEnd) {
  show('pending', reference, onEnd);
  watch(reference, onEnd);
}

/** @param {string} reference @param {() => void} [onEnd] */
function watch(reference, onEnd) {
  events?.close();
  events = new EventSource(`/api/payments/${reference}/events`);
  events.addEventListener('payment', ({ data }) => {
    const { status } = JSON.parse(data);
    if (status === 'successful' || status === 'failed') show(status, reference, onEnd);
  });
}

/** @param {keyof typeof SCREENS} state @param {string} reference @param {() => void} [onEnd] */
function show(state, reference, onEnd) {
  const { heading, words } = SCREENS[state] ?? SCREENS.pending;
  const title = document.createElement('h1');
  title.textContent = heading;
  title.tabIndex = -1;
  const sentence = document.createElement('p');
  sentence.textContent = words;
  const note = document.createElement('p');
  note.className = 'quiet';
  note.textContent = `Reference ${reference}`;
  result.dataset.state = state;
  result.replaceChildren(title, sentence, ...actionsFor(state, reference, onEnd), note);
  result.hidden = false;
  document.getElementById('cart')?.setAttribute('hidden', '');
  document.title = document.title.replace(/^.*?(?= · )/, heading);
  title.focus();
  if (!isOver()) return;
  events?.close();
  onEnd?.();
}

function isOver() {
  return result.dataset.state === 'successful' || result.dataset.state === 'failed';
}

/** @param {string} state @param {string} reference @param {() => void} [onEnd] */
function actionsFor(state, reference, onEnd) {
  if (state === 'successful') {
    const back = document.createElement('a');
    back.className = 'button';
    back.href = '/';
    back.textContent = 'Back to the shop';
    return [back];
  }
  if (state !== 'failed') return [];
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'button';
  again.textContent = 'Pay again';
  const problem = document.createElement('p');
  problem.className = 'problem';
  problem.role = 'alert';
  problem.hidden = true;
  again.addEventListener('click', () => void payAgain());
  return [problem, again];

  async function payAgain() {
    if (again.ariaBusy === 'true') return;
    again.ariaBusy = 'true';
    problem.hidden = true;
    try {
      openPopup(await callApi('POST', `/api/payments/${reference}/retry`), onEnd);
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
      problem.hidden = false;
    } finally {
      again.ariaBusy = 'false';
    }
  }
}

/**
 * Opens the payment window for options the server made. Throws an error whose message can be shown.
 * @param {{ reference: string }} options
 * @param {() => void} [onEnd]
 * @param {() => void} [onClose]
 */
export function openPopup(options, onEnd, onClose) {
  const { ServicePay } = /** @type {any} */ (window);
  if (!ServicePay) throw new Error(WINDOW_NOT_LOADED);
  ServicePay.getPaid({
    ...options,
    onSuccess: () => checkPayment(options.reference, onEnd),
    onConfirmationPending: () => awaitPayment(options.reference, onEnd),
    onClose,
  });
}
