// @ts-check
// The element way: `<service-pay>` asks for the order on the click, and the customer goes on to the return page.

import { forgetOrder, placeOrder, showCart, showProblem } from './cart.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const servicePay = /** @type {HTMLElement & { prepare: () => Promise<unknown>, pay: () => unknown }} */ (document.getElementById('pay'));
const ready = showCart(/** @type {HTMLElement} */ (servicePay.querySelector('button')));

servicePay.prepare = async () => {
  await ready;
  return placeOrder();
};
for (const name of ['service-pay-success', 'service-pay-confirmation-pending']) {
  servicePay.addEventListener(name, (event) => {
    forgetOrder();
    const { reference } = /** @type {Event & { reference: string }} */ (event);
    location.assign(`/payments/return?reference=${encodeURIComponent(reference)}`);
  });
}
servicePay.addEventListener('service-pay-error', (event) => {
  showProblem(/** @type {Event & { error: Error }} */ (event).error.message);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  servicePay.pay();
});
