// @ts-check
// The element way: `<service-pay>` asks for the order on the click, and the customer goes on to the return page.

import { lookAfterClosing, placeOrder, showCart, showProblem } from './cart.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const servicePay = /** @type {HTMLElement & { prepare: () => Promise<unknown>, pay: () => unknown }} */ (document.getElementById('pay'));
const ready = showCart(/** @type {HTMLElement} */ (servicePay.querySelector('button')));

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
  servicePay.pay();
});

function goToReturnPage() {
  location.assign(`/payments/return?reference=${encodeURIComponent(reference)}`);
}
