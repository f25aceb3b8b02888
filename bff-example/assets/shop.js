// @ts-check
// The script tag way: order on the server, `ServicePay.getPaid`, then ask the server what came of it.

import { lookAfterClosing, placeOrder, showCart, showProblem } from './cart.js';
import { forgetOrder } from './kept-order.js';
import { checkPayment, openPopup } from './payment-result.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const button = /** @type {HTMLButtonElement} */ (document.getElementById('pay'));

/** Resolves once the button names the amount; a press before that waits for it. */
const ready = showCart(button);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void pay();
});

async function pay() {
  if (button.ariaBusy === 'true') return;
  button.ariaBusy = 'true';
  try {
    await ready;
    const options = await placeOrder();
    openPopup(options, forgetOrder, () => void onClose(options.reference));
  } catch (error) {
    showProblem(/** @type {Error} */ (error).message);
  } finally {
    button.ariaBusy = 'false';
  }
}

/**
 * Paid in another tab, perhaps: then it is shown as paid. Otherwise the cart stays.
 * @param {string} reference
 */
async function onClose(reference) {
  if ((await lookAfterClosing(reference)) === 'successful') checkPayment(reference, forgetOrder);
}
