// @ts-check
// The script tag way: order on the server, `ServicePay.getPaid`, then ask the server what came of
// it.

import { ApiError } from './api.js';
import { lookAfterClosing, placeOrder, showCart, showProblem } from './cart.js';
import { forgetOrder, keptOrder } from './kept-order.js';
import { checkPayment, continuePayment, openPopup } from './payment-result.js';
import { askAboutUnfinishedPayment, findUnfinishedPayment } from './unfinished-payment.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('order'));
const button = /** @type {HTMLButtonElement} */ (document.getElementById('pay'));
const cart = /** @type {HTMLElement} */ (document.getElementById('cart'));

/** Resolves once the button names the amount; a press before that waits for it. */
const ready = showCart(button);
/**
 * Resolves once it is known whether a payment is unfinished; a press before that waits for it, too.
 */
let looking = lookForUnfinished().catch(() => {});
let isPaying = false;
/** The payment of the order this page placed last. */
let placed = '';

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void pay();
});
// Meanwhile another tab may have begun a payment, or finished one.
document.addEventListener('visibilitychange', lookAgain);
addEventListener('pageshow', ({ persisted }) => persisted && lookAgain());
addEventListener('storage', lookAgain);

function lookAgain() {
  if (document.visibilityState === 'visible' && !cart.hidden && !isPaying)
    looking = lookForUnfinished().catch(() => {});
}

/** @param {string} [own] */
function lookForUnfinished(own) {
  const placeSecondOrder = () => {
    forgetOrder();
    void pay(true);
  };
  return findUnfinishedPayment(
    {
      showResult: checkPayment,
      continuePayment: (reference) => void goOn(reference),
      placeSecondOrder,
    },
    own,
  );
}

/** @param {string} reference */
async function goOn(reference) {
  if (isPaying) return;
  isPaying = true;
  showProblem('');
  try {
    await continuePayment(reference);
  } catch (error) {
    isPaying = false;
    // The order takes no further payment: its page says why.
    if (error instanceof ApiError && error.httpStatus === 400) checkPayment(reference);
    else showProblem(/** @type {Error} */ (error).message);
  }
}

/** Another tab may have begun a payment since this page last looked, so each press looks again. */
async function pay(isSecondOrder = false) {
  if (button.ariaBusy === 'true' || isPaying) return;
  button.ariaBusy = 'true';
  try {
    await Promise.all([ready, looking]);
    if (cart.hidden || askAboutUnfinishedPayment()) return;
    if (!isSecondOrder) await lookForUnfinished(keptOrder() && placed);
    if (cart.hidden || askAboutUnfinishedPayment()) return;
    const options = await placeOrder();
    placed = options.reference;
    isPaying = true;
    openPopup(options, () => void onClose(options.reference));
  } catch (error) {
    isPaying = false;
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
  isPaying = false;
  if ((await lookAfterClosing(reference)) === 'successful') checkPayment(reference);
}
