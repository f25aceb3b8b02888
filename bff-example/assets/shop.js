// @ts-check
// The script tag way: order on the server, `ServicePay.getPaid`, then ask the server what came of it.

import { callApi } from './api.js';
import { forgetOrder, placeOrder, showCart, showProblem } from './cart.js';
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
    openPopup(options, forgetOrder, () => void lookAfterClosing(options.reference));
  } catch (error) {
    showProblem(/** @type {Error} */ (error).message);
  } finally {
    button.ariaBusy = 'false';
  }
}

/**
 * Closed without paying: the cart stays, and the next press pays the same order, unless the server knows that it came to an end.
 * @param {string} reference
 */
async function lookAfterClosing(reference) {
  const payment = await callApi('POST', `/api/payments/${reference}/verify`).catch(() => undefined);
  if (payment?.status === 'failed') forgetOrder();
  if (payment?.status === 'successful') await checkPayment(reference, forgetOrder);
}
