// @ts-check
// What is in the cart, and the order made from it. Prices shown here are the server's; it prices
// the order again by itself.

import { askPayment, callApi } from './api.js';
import { forgetPayments, keepPayment, keyFor } from './kept-order.js';
import { formatMoney, multiply, sum } from './money.js';

/**
 * @typedef {{ sku: string, name: string, description: string, price: string, currency: string }} Item
 */

const lines = element('lines');
const goods = element('goods');
const total = element('total');
const email = /** @type {HTMLInputElement} */ (element('email'));
const problem = element('problem');

/** @type {Map<string, Item>} */
const catalogue = new Map();
/** @type {Map<string, number>} */
const quantities = new Map();

/**
 * Fills the page from the catalogue, with one item in the cart, and keeps `button` naming the
 * amount.
 * @param {HTMLElement} button
 */
export async function showCart(button) {
  try {
    for (const item of /** @type {Item[]} */ (await callApi('GET', '/api/catalogue')))
      catalogue.set(item.sku, item);
  } catch (error) {
    return showProblem(/** @type {Error} */ (error).message);
  }
  const [first] = catalogue.keys();
  if (first) quantities.set(first, 1);
  goods.replaceChildren(
    ...[...catalogue.values()].map((item) => showGood(item, () => change(item.sku, 1))),
  );
  change(first ?? '', 0);

  /** @param {string} sku @param {number} by */
  function change(sku, by) {
    quantities.set(sku, Math.min(99, Math.max(0, (quantities.get(sku) ?? 0) + by)));
    const chosen = [...catalogue.values()].filter((item) => quantities.get(item.sku));
    const shown = chosen.map((item) => showLine(item, quantities.get(item.sku) ?? 0, change));
    lines.replaceChildren(
      ...(shown.length
        ? shown
        : [text('li', 'Nothing yet. Add something from the market.', 'quiet')]),
    );
    const amount = formatMoney(
      sum(chosen.map((item) => multiply(item.price, quantities.get(item.sku) ?? 0))),
      chosen[0]?.currency ?? 'ZMW',
    );
    total.textContent = amount;
    button.textContent = chosen.length ? `Pay ${amount}` : 'Pay';
    showProblem('');
  }
}

/**
 * Makes the order, or finds the one this tab already made of this very cart, so that a customer who
 * comes back pays the same one. Gives the options for `getPaid`. Throws an error whose message can
 * be shown.
 */
export async function placeOrder() {
  showProblem('');
  const items = [...quantities]
    .filter(([, quantity]) => quantity)
    .map(([sku, quantity]) => ({ sku, quantity }));
  if (!items.length) throw new Error('Your order is empty. Add something from the market first.');
  const isEmail = email.value !== '' && email.checkValidity();
  email.ariaInvalid = String(!isEmail);
  if (!isEmail) {
    email.focus();
    throw new Error('Enter an e-mail address, so that the shop can reach you.');
  }
  const body = JSON.stringify({ items, customer: { email: email.value } });
  const options = await callApi('POST', '/api/orders', body, { 'Idempotency-Key': keyFor(body) });
  keepPayment(options.reference);
  return options;
}

/**
 * The window was closed without paying: the next press pays the same order, unless the server knows
 * that it came to an end. Gives the server's word, or undefined where it has none.
 * @param {string} reference
 */
export async function lookAfterClosing(reference) {
  const answer = await askPayment(reference).catch(() => undefined);
  if (answer && answer.data.status !== 'pending')
    forgetPayments([reference, answer.data.reference]);
  return answer?.data.status;
}

/** @param {string} message Empty hides it. */
export function showProblem(message) {
  problem.textContent = message;
  problem.hidden = !message;
}

/** @param {Item} item @param {() => void} add */
function showGood(item, add) {
  const row = document.createElement('li');
  const words = document.createElement('div');
  words.append(
    text('strong', item.name),
    text('span', item.description),
    text('span', formatMoney(item.price, item.currency), 'price'),
  );
  row.append(words, press('Add', `Add ${item.name}`, add));
  return row;
}

/** @param {Item} item @param {number} quantity @param {(sku: string, by: number) => void} change */
function showLine(item, quantity, change) {
  const row = document.createElement('li');
  const steps = document.createElement('div');
  steps.className = 'steps';
  steps.append(
    press('−', `One less of ${item.name}`, () => change(item.sku, -1)),
    text('span', `${quantity}`),
    press('+', `One more of ${item.name}`, () => change(item.sku, 1)),
  );
  row.append(
    text('span', item.name, 'name'),
    text('span', formatMoney(multiply(item.price, quantity), item.currency), 'price'),
    steps,
  );
  return row;
}

/** @param {string} label @param {string} name @param {() => void} act */
function press(label, name, act) {
  const button = text('button', label, 'small');
  button.setAttribute('type', 'button');
  button.setAttribute('aria-label', name);
  button.addEventListener('click', act);
  return button;
}

/** @param {string} tag @param {string} content @param {string} [className] */
function text(tag, content, className = '') {
  const node = document.createElement(tag);
  node.textContent = content;
  if (className) node.className = className;
  return node;
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}
