// @ts-check
// The script tag way: order on the server, `ServicePay.getPaid`, then ask the server how it ended.

import { lookAfterClosing, showCart, startCart, takeOrder } from './cart.js';
import { ApiError } from './orders.js';
import { press } from './page.js';
import { checkPayment, continuePayment, findServicePay, openPopup } from './result.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const payButton = /** @type {HTMLButtonElement} */ (document.getElementById('pay'));

let isPaying = false;

startCart({
  payButton,
  isPaying: () => isPaying,
  showResult: checkPayment,
  continuePayment: goOn,
});
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (isPaying) return;
  await press(payButton, pay);
  showCart();
});
// The window opens faster if its frame is loaded before the press.
for (const intent of ['pointerenter', 'focus'])
  payButton.addEventListener(intent, preload, { once: true });

async function pay() {
  findServicePay(); // without it, no order is placed
  const options = await takeOrder();
  if (!options) return;
  openPopup(options, () => void onClose(options.reference));
  isPaying = true;
}

/** @param {string} reference */
async function goOn(reference) {
  isPaying = true;
  try {
    await continuePayment(reference);
  } catch (error) {
    isPaying = false;
    if (!(error instanceof ApiError) || error.httpStatus !== 400) throw error;
    checkPayment(reference); // the order takes no further payment: its result says why
  }
}

/**
 * Shows the payment if it was paid in another tab. Otherwise the cart stays.
 * @param {string} reference
 */
async function onClose(reference) {
  isPaying = false;
  if ((await lookAfterClosing(reference)) === 'successful') checkPayment(reference);
}

function preload() {
  try {
    findServicePay().preload({ key: payButton.dataset.key });
  } catch {
    // the press says what is wrong
  }
}
