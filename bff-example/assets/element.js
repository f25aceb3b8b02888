// @ts-check
// The element way: `<service-pay>` asks for the order on the click, and the customer goes on to the return page.

import { lookAfterClosing, placeOrder, showCart, showProblem } from './cart.js';
import { WINDOW_NOT_LOADED } from './payment-result.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const servicePay = /** @type {HTMLElement & { prepare: () => Promise<unknown>, pay: () => unknown }} */ (document.getElementById('pay'));
const button = /** @type {HTMLButtonElement} */ (servicePay.querySelector('button'));
const ready = showCart(button);

/** The service's script runs before this one. Without it the tag is a plain one, and its button does nothing by itself. */
const isDefined = customElements.get('service-pay') !== undefined;

/** Of the order made last; events other than success do not carry it. */
let reference = '';

servicePay.prepare = async () => {
  await ready;
  const options = await placeOrder();
  ({ reference } = options);
  return options;
};
for (const name of ['service-pay-success', 'service-pay-confirmation-pending']) servicePay.addEventListener(name, goToReturnPage);
servicePay.addEventListener('service-pay-close', async () => {
  if (reference && (await lookAfterClosing(reference)) === 'successful') goToReturnPage();
});
servicePay.addEventListener('service-pay-error', (event) => {
  showProblem(/** @type {Event & { error: Error }} */ (event).error.message);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (isDefined) servicePay.pay();
  else showProblem(WINDOW_NOT_LOADED);
});
if (!isDefined) button.addEventListener('click', () => showProblem(WINDOW_NOT_LOADED));

function goToReturnPage() {
  location.assign(`/payments/return?reference=${encodeURIComponent(reference)}`);
}
