// @ts-check
// The shop's page: a cart, and above it a payment that this browser began and did not finish. Pays
// by the script tag, or by `<service-pay>` where the page has one.

import { createPaymentFlow } from '/assets/flow.js';
import { checkOrder, readOrder, startCart } from './cart.js';
import { callShop, find, formatMoney, showButton, showProblem } from './page.js';
import { describeProblem, drawResult, PROBLEMS } from './result.js';

const servicePay = document.querySelector('service-pay');
const payButton = /** @type {HTMLElement} */ (servicePay?.querySelector('button') ?? find('pay'));
const second = find('second-order');

const flow = createPaymentFlow({ api: '/api' });

let total = '';
let isFilled = false;
let goodsProblem = '';
/** @type {Promise<void> | undefined} */
let loading;

flow.subscribe(draw);
find('order').addEventListener('submit', (event) => {
  event.preventDefault();
  if (servicePay) payButton.click();
  else void pay();
});
find('continue').addEventListener('click', () => flow.resume());
second.addEventListener('click', () => {
  flow.payAnother();
  void pay();
});
if (servicePay) payByElement(servicePay);
// The window opens faster if its frame is loaded before the press. The element does that by itself.
for (const intent of servicePay ? [] : ['pointerenter', 'focus'])
  payButton.addEventListener(intent, preload, { once: true });
void loadGoods().finally(() => flow.start({ cart: readOrder() }));

/** Fills the cart once. After a failure the next call tries again. */
async function loadGoods() {
  goodsProblem = '';
  loading ??= startCart((now) => {
    total = now;
    isFilled = true;
    draw();
  });
  try {
    await loading;
  } catch {
    loading = undefined;
    goodsProblem = PROBLEMS.goods_failed;
    draw();
  }
}

/** Places an order, or finds the one of this key again. @param {string} key */
function place(key) {
  return callShop('/api/orders', { body: readOrder(), headers: { 'Idempotency-Key': key } });
}

async function pay() {
  if (!canOpen()) return showProblem(payButton, PROBLEMS.popup_failed);
  if (!isFilled) showButton(payButton, 'Pay', true);
  await loadGoods();
  if (isFilled && checkOrder()) await flow.pay(place, { cart: readOrder() });
}

/**
 * The window of the element opens with the press, so what comes first is done before.
 * @param {Element} element
 */
function payByElement(element) {
  element.addEventListener(
    'click',
    (event) => {
      const isReady = findServicePay() && isFilled && flow.state.screen !== 'unfinished';
      if (isReady && checkOrder()) {
        Object.assign(element, { prepare: flow.prepare(place, { cart: readOrder() }) });
        return;
      }
      event.stopImmediatePropagation();
      if (!isReady) void pay();
    },
    { capture: true },
  );
}

function draw() {
  const { screen, payment, asks, can } = flow.state;
  const isOpen = screen === 'unfinished';
  const isLost = can.payAnother && !can.resume; // the shop does not find it for this browser
  find('cart').hidden = drawResult(flow);
  find('unfinished').hidden = !isOpen;
  payButton.classList.toggle('plain', isOpen && !isLost); // one button is the next step
  const isOpening = screen === 'placing' || (screen === 'paying' && !findServicePay());
  showButton(payButton, total ? `Pay ${total}` : 'Pay', isOpening);
  showButton(find('continue'), 'Continue this payment', isOpen && !can.payAnother);
  find('continue').hidden = isLost;
  second.hidden = !asks;
  const { amount, currency } = payment ?? {};
  const of = amount && currency ? ` of ${formatMoney(amount, currency)}` : '';
  const lost = isLost
    ? ', which the shop no longer knows in this browser. If you paid, the shop confirms it by itself'
    : '';
  const warning = asks ? ' If you place a second order, you may pay for both.' : '';
  find('unfinished-words').textContent = `You have an unfinished payment${of}${lost}.${warning}`;
  showProblem(isOpen ? second : payButton, describeProblem(flow.state) || goodsProblem);
  if (asks) (isLost ? second : find('continue')).focus();
}

function preload() {
  findServicePay()?.preload({ key: payButton.dataset.key });
}

function findServicePay() {
  return /** @type {any} */ (window).ServicePay;
}

/** Returns whether the script has come or still may: the page's `load` waits for it. */
function canOpen() {
  return findServicePay() || document.readyState !== 'complete';
}
