// @ts-check
// The element way: `<service-pay>` asks for the order on the click, and the customer goes on to the
// return page.

import { lookAfterClosing, placeOrder, showCart, showProblem } from './cart.js';
import { forgetOrder, keepPayment, keptOrder } from './kept-order.js';
import { WINDOW_NOT_LOADED } from './payment-result.js';
import { askAboutUnfinishedPayment, findUnfinishedPayment } from './unfinished-payment.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const servicePay =
  /** @type {HTMLElement & { prepare: () => Promise<unknown>, pay: () => unknown }} */ (
    document.getElementById('pay')
  );
const button = /** @type {HTMLButtonElement} */ (servicePay.querySelector('button'));
const ready = showCart(button);

/**
 * The service's script runs before this one. Without it the tag is a plain one, and its button does
 * nothing by itself.
 */
const isDefined = customElements.get('service-pay') !== undefined;

/** Of the order made last; events other than success do not carry it. */
let reference = '';
let isPaying = false;

let isSecondOrder = false;

/** Resolves once it is known whether a payment is unfinished; a press before that waits for it. */
let looking = lookForUnfinished().catch(() => {});

// Another tab may have begun a payment since this page last looked, so each press looks again.
servicePay.prepare = async () => {
  await Promise.all([ready, looking]);
  if (!isSecondOrder) await lookForUnfinished(keptOrder() && reference);
  isSecondOrder = false;
  if (askAboutUnfinishedPayment())
    throw new Error('You have an unfinished payment. Continue it, or place a second order.');
  const options = await placeOrder();
  ({ reference } = options);
  return options;
};
servicePay.addEventListener('service-pay-success', () => goToReturnPage(reference));
servicePay.addEventListener('service-pay-confirmation-pending', () => {
  keepPayment(reference, 'page');
  goToReturnPage(reference);
});
servicePay.addEventListener('service-pay-close', async () => {
  isPaying = false;
  if (reference && (await lookAfterClosing(reference)) === 'successful') goToReturnPage(reference);
});
// Before the element hears of the press: a payment that is unfinished is asked about first.
servicePay.addEventListener(
  'click',
  (event) => {
    if (askAboutUnfinishedPayment()) event.stopImmediatePropagation();
    else isPaying = true;
  },
  { capture: true },
);
document.addEventListener('visibilitychange', lookAgain);
addEventListener('pageshow', ({ persisted }) => persisted && lookAgain());
addEventListener('storage', lookAgain);
servicePay.addEventListener('service-pay-error', (event) => {
  showProblem(/** @type {Event & { error: Error }} */ (event).error.message);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (isDefined) button.click();
  else showProblem(WINDOW_NOT_LOADED);
});
if (!isDefined) button.addEventListener('click', () => showProblem(WINDOW_NOT_LOADED));

function lookAgain() {
  if (document.visibilityState === 'visible' && !isPaying)
    looking = lookForUnfinished().catch(() => {});
}

/** @param {string} [own] */
function lookForUnfinished(own) {
  const placeSecondOrder = () => {
    forgetOrder();
    isSecondOrder = true;
    button.click();
  };
  return findUnfinishedPayment(
    { showResult: goToReturnPage, continuePayment: goToReturnPage, placeSecondOrder },
    own,
  );
}

/** @param {string} reference */
function goToReturnPage(reference) {
  isPaying = false; // the browser may bring this page back as it was
  location.assign(`/payments/return?reference=${encodeURIComponent(reference)}`);
}
