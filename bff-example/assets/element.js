// @ts-check
// The element way: `<service-pay>` asks for the order while its window already shows, and the
// customer goes on to the return page.

import { canPay, lookAfterClosing, startCart, takeOrder } from './cart.js';
import { keepPayment } from './orders.js';
import { Problem, showProblem, WINDOW_NOT_LOADED } from './page.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const servicePay = /** @type {HTMLElement & { prepare: () => Promise<unknown> }} */ (
  document.getElementById('pay')
);
const payButton = /** @type {HTMLButtonElement} */ (servicePay.querySelector('button'));

/** Nothing is to be paid: the page itself shows why. */
const SHOWN = new Problem();

/** The payment of the order placed last; only the event of success carries it. */
let reference = '';
let isPaying = false;

startCart({
  payButton,
  isPaying: () => isPaying,
  showResult: goToReturnPage,
  continuePayment: goToReturnPage,
});
servicePay.prepare = async () => {
  const options = await takeOrder();
  if (!options) throw SHOWN;
  ({ reference } = options);
  return options;
};
// Before the element hears of the press: what is missing is said on the page, without a window.
servicePay.addEventListener(
  'click',
  (event) => {
    const isLoaded = customElements.get('service-pay') !== undefined;
    showProblem(servicePay, isLoaded ? '' : WINDOW_NOT_LOADED);
    isPaying = isLoaded && canPay();
    if (!isPaying) event.stopImmediatePropagation();
  },
  { capture: true },
);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  payButton.click();
});
servicePay.addEventListener('service-pay-success', () => goToReturnPage(reference));
servicePay.addEventListener('service-pay-confirmation-pending', () => {
  keepPayment(reference, 'page');
  goToReturnPage(reference);
});
servicePay.addEventListener('service-pay-close', async () => {
  isPaying = false;
  if (reference && (await lookAfterClosing(reference)) === 'successful') goToReturnPage(reference);
});
servicePay.addEventListener('service-pay-error', (event) => {
  const { cause } = /** @type {Event & { error: Error }} */ (event).error;
  if (cause === SHOWN) return;
  showProblem(servicePay, cause instanceof Problem ? cause.message : WINDOW_NOT_LOADED);
});

/** @param {string} reference */
function goToReturnPage(reference) {
  isPaying = false; // the browser may bring this page back as it was
  location.assign(`/payments/return?reference=${encodeURIComponent(reference)}`);
}
