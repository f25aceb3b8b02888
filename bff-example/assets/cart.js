// @ts-check
// The page with the cart, and above it a payment that this browser began and did not finish: found
// again after a reload, in a second tab, or on coming back later. Prices shown here are the
// server's; it prices the order again by itself.

import {
  ApiError,
  askPayment,
  fetchCatalogue,
  fetchOpenPayment,
  forgetOrder,
  forgetPayments,
  keptOrder,
  keptPayment,
  placeOrder,
} from './orders.js';
import { build, formatMoney, formatTotal, press, showProblem } from './page.js';

/**
 * @typedef {import('./orders.js').Item} Item
 * @typedef {{ item: Item, quantity: number, row: HTMLElement, count: HTMLElement, price: HTMLElement, add: HTMLElement }} Entry
 */

/**
 * The parts that differ on each page with a cart. `isPaying` is true while the payment window is open.
 * @typedef {object} CartPage
 * @property {HTMLButtonElement} payButton
 * @property {() => boolean} isPaying
 * @property {(reference: string) => void} showResult
 * @property {(reference: string) => unknown} continuePayment
 */

const MOST_OF_ONE = 99;

const cart = find('cart');
const lines = find('lines');
const empty = find('empty');
const total = find('total');
const form = /** @type {HTMLFormElement} */ (find('order'));
const email = /** @type {HTMLInputElement} */ (find('email'));
const goods = find('goods');
const bar = find('unfinished');
const barWords = find('unfinished-words');
const continuing = /** @type {HTMLButtonElement} */ (find('continue'));
const second = find('second-order');

/** @type {CartPage} */
let page;
/** @type {Entry[]} */
let entries = [];
/** @type {Promise<void>} The goods are shown; a press before that waits for it. */
let ready;
/** @type {Promise<unknown>} The last look for an unfinished payment. A press waits for it, too. */
let looking;
/** @type {Promise<boolean> | undefined} */
let look;
let isSecondOrder = false;
let placed = '';

/**
 * Fills the page with one item in the cart, and looks for an unfinished payment: now, and whenever
 * another tab may have begun or finished one.
 * @param {CartPage} thisPage
 */
export function startCart(thisPage) {
  page = thisPage;
  ready = showGoods();
  ready.catch((error) => showProblem(page.payButton, error.message));
  looking = findUnfinished().catch(() => {});
  second.addEventListener('click', () => {
    bar.hidden = true;
    isSecondOrder = true;
    forgetOrder();
    page.payButton.click();
  });
  document.addEventListener('visibilitychange', lookAgain);
  addEventListener('pageshow', ({ persisted }) => persisted && lookAgain());
  addEventListener('storage', lookAgain);
}

/**
 * Places the order in the cart, or finds the one that this tab placed of this very cart, and
 * returns the options for `getPaid`. Returns undefined if something is missing, or if a payment is
 * unfinished: the page then shows that one, since the customer could pay for both. Throws
 * `ApiError`.
 */
export async function takeOrder() {
  ready = ready.catch(showGoods); // goods that did not arrive are asked for again
  await Promise.all([ready, looking]);
  if (cart.hidden || !canPay()) return undefined;
  // another tab may have begun a payment since this page last looked
  if (!isSecondOrder && (await findUnfinished(keptOrder() && placed))) {
    askAboutUnfinished();
    return undefined;
  }
  isSecondOrder = false;
  const options = await placeOrder({
    items: entries
      .filter(({ quantity }) => quantity)
      .map(({ item, quantity }) => ({ sku: item.sku, quantity })),
    // every field of the form that has a name, without those left empty
    customer: Object.fromEntries([...new FormData(form)].filter(([, value]) => value)),
  });
  placed = options.reference;
  return options;
}

/** Returns whether a press of Pay may go on, as far as this page knows, and says why not. */
export function canPay() {
  if (askAboutUnfinished()) return false;
  const isEmpty = entries.length > 0 && !entries.some(({ quantity }) => quantity);
  if (isEmpty) showProblem(form, 'Your order is empty. Add something from the market first.');
  return !isEmpty && !showWrongField();
}

/** Focuses the first field that is missing or malformed, says why, and returns whether there is one. */
function showWrongField() {
  const fields = /** @type {HTMLInputElement[]} */ ([
    ...form.querySelectorAll('input, select, textarea'),
  ]);
  const wrong = fields.find((field) => !field.checkValidity());
  for (const field of fields) field.ariaInvalid = field === wrong ? 'true' : null;
  if (wrong === email)
    showProblem(form, 'Enter an e-mail address, so that the shop can reach you.');
  else if (wrong) showProblem(form, wrong.validationMessage);
  wrong?.focus();
  return wrong !== undefined;
}

/**
 * The payment window was closed without paying. The next press pays the same order, unless the
 * server knows that it ended. Returns the server's word, or undefined if it has none.
 * @param {string} reference
 */
export async function lookAfterClosing(reference) {
  const answer = await askPayment(reference).catch(() => undefined);
  if (answer && answer.data.status !== 'pending')
    forgetPayments([reference, answer.data.reference]);
  return answer?.data.status;
}

export function showCart() {
  const chosen = entries.filter(({ quantity }) => quantity);
  for (const { item, quantity, row, count, price } of entries) {
    row.hidden = !quantity;
    count.textContent = `${quantity}`;
    price.textContent = formatTotal([{ price: item.price, quantity }], item.currency);
  }
  lines.hidden = chosen.length === 0;
  empty.hidden = !lines.hidden;
  const prices = chosen.map(({ item, quantity }) => ({ price: item.price, quantity }));
  const amount = formatTotal(prices, chosen[0]?.item.currency ?? 'ZMW');
  total.textContent = amount;
  const { payButton } = page;
  if (payButton.ariaBusy !== 'true')
    payButton.textContent = chosen.length ? `Pay ${amount}` : 'Pay';
}

async function showGoods() {
  const catalogue = await fetchCatalogue();
  entries = catalogue.map((item, at) => buildEntry(item, at === 0 ? 1 : 0));
  lines.replaceChildren(...entries.map(({ row }) => row));
  goods.replaceChildren(...entries.map(buildGood));
  showCart();
  showProblem(form, '');
}

/** @param {Item} item @param {number} quantity @returns {Entry} */
function buildEntry(item, quantity) {
  const count = build('span', {});
  const price = build('span', { className: 'price' });
  const steps = build(
    'div',
    { className: 'steps' },
    buildButton('−', `One less of ${item.name}`, () => change(entry, -1)),
    count,
    buildButton('+', `One more of ${item.name}`, () => change(entry, 1)),
  );
  const name = build('span', { className: 'name' }, item.name);
  const line = build('div', { className: 'line' }, name, steps, price);
  const row = build('li', {}, ...buildPicture(item), line);
  const add = buildButton('Add', `Add ${item.name}`, () => change(entry, 1));
  const entry = { item, quantity, row, count, price, add };
  return entry;
}

/** @param {Entry} entry */
function buildGood({ item, add }) {
  return build(
    'li',
    {},
    ...buildPicture(item),
    build('strong', { className: 'name' }, item.name),
    build('span', { className: 'quiet' }, item.description),
    build('span', { className: 'price' }, formatMoney(item.price, item.currency)),
    add,
  );
}

/** @param {Item} item */
function buildPicture({ picture }) {
  return picture ? [build('img', { src: picture, alt: '', className: 'picture' })] : [];
}

/** @param {string} label @param {string} ariaLabel @param {() => void} onclick */
function buildButton(label, ariaLabel, onclick) {
  return build('button', { type: 'button', className: 'small', ariaLabel, onclick }, label);
}

/** @param {Entry} entry @param {number} by */
function change(entry, by) {
  entry.quantity = Math.min(MOST_OF_ONE, Math.max(0, entry.quantity + by));
  showCart();
  showProblem(form, '');
  if (!entry.quantity) entry.add.focus(); // the button that was pressed has gone with its row
}

function lookAgain() {
  if (document.visibilityState === 'visible' && !cart.hidden && !page.isPaying())
    looking = findUnfinished().catch(() => {});
}

/**
 * Looks for an unfinished payment, one look at a time, and returns whether there is one. It is
 * shown by the page if it ended, is in review or waits for the customer, and is offered in the bar
 * above the cart otherwise. Throws `ApiError` if the server cannot say.
 * @param {string} [own] The payment of the order this page placed: while it is open, the next press of Pay opens it again, so it is not offered.
 * @returns {Promise<boolean>}
 */
function findUnfinished(own) {
  look ??= lookOnce(own).finally(() => {
    look = undefined;
  });
  return look;
}

/** @param {string | undefined} own @returns {Promise<boolean>} */
async function lookOnce(own) {
  const kept = keptPayment();
  const reference = kept?.reference ?? (await fetchOpenPayment());
  if (!reference) return hideBar();
  if (kept?.shownOn === 'page') return showResult(reference);
  const isOwn = reference === own && !kept?.shownOn;
  const answer = await askPayment(reference).catch((error) => error);
  if (answer instanceof ApiError) {
    if (answer.httpStatus !== 404) return isOwn ? hideBar() : showBar(reference);
    forgetPayments([reference]); // not of this browser any more
    return kept ? lookOnce(own) : hideBar();
  }
  const { status, amount, currency, isWaitingForCustomer, isInReview } = answer.data;
  if (isOwn && status === 'pending' && !isInReview) return hideBar();
  return status !== 'pending' || isInReview || (isWaitingForCustomer && kept?.shownOn !== 'bar')
    ? showResult(reference)
    : showBar(reference, ` of ${formatMoney(amount, currency)}`);
}

/** @param {string} reference */
function showResult(reference) {
  page.showResult(reference);
  return true;
}

/** @param {string} reference @param {string} [ofAmount] */
function showBar(reference, ofAmount = '') {
  barWords.textContent = `You have an unfinished payment${ofAmount}.`;
  continuing.onclick = () => press(continuing, () => page.continuePayment(reference));
  second.hidden = true;
  bar.hidden = false;
  return true;
}

function hideBar() {
  bar.hidden = true;
  return false;
}

/**
 * Returns whether a payment is unfinished, and then asks whether the customer means a second order.
 */
function askAboutUnfinished() {
  if (bar.hidden) return false;
  if (second.hidden) {
    barWords.textContent += ' If you place a second order, you may pay for both.';
    second.hidden = false;
  }
  continuing.focus();
  return true;
}

/** @param {string} id */
function find(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}
