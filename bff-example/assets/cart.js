// @ts-check
// The goods and the cart. Prices shown here are the server's; it prices each order again by itself.

import { build, callShop, find, formatMoney, formatTotal, showProblem } from './page.js';

/**
 * @typedef {{ sku: string, name: string, description: string, price: string, currency: string, picture?: string }} Item
 * @typedef {{ item: Item, quantity: number, row: HTMLElement, count: HTMLElement, price: HTMLElement, add: HTMLElement }} Entry
 */

const MOST_OF_ONE = 99;

const lines = find('lines');
const form = /** @type {HTMLFormElement} */ (find('order'));

/** The key under which this tab stores what its customer has typed. */
const TYPED = 'shop-typed';

/** @type {Entry[]} */
let entries = [];
/** @type {(total: string) => void} */
let onChange;

/**
 * Fills the page with the goods, and the cart with the first of them. Reports the cart's total, which
 * is empty for an empty cart, after each change.
 * @param {(total: string) => void} report
 */
export async function startCart(report) {
  onChange = report;
  keepTyped();
  /** @type {Item[]} */
  const catalogue = await callShop('/api/catalogue');
  entries = catalogue.map((item, at) => buildEntry(item, at === 0 ? 1 : 0));
  lines.replaceChildren(...entries.map(({ row }) => row));
  find('goods').replaceChildren(...entries.map(buildGood));
  showCart();
  showProblem(form, '');
}

/** Returns what `POST /api/orders` takes: the goods, and each field of the form that is filled in. */
export function readOrder() {
  return {
    items: entries
      .filter(({ quantity }) => quantity)
      .map(({ item, quantity }) => ({ sku: item.sku, quantity })),
    customer: Object.fromEntries([...new FormData(form)].filter(([, value]) => value)),
  };
}

/** Fills the form with what was typed and chosen before a reload. A browser may forbid storage. */
function keepTyped() {
  try {
    for (const [name, text] of Object.entries(JSON.parse(sessionStorage.getItem(TYPED) ?? '{}'))) {
      const field = form.elements.namedItem(name);
      if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = true;
      else if (field && typeof text === 'string') Object.assign(field, { value: text });
    }
    form.oninput = () => {
      sessionStorage.setItem(TYPED, JSON.stringify(Object.fromEntries(new FormData(form))));
    };
  } catch {
    // Then a reload starts with empty fields.
  }
}

/** Returns whether the cart can be ordered, and says what is missing. */
export function checkOrder() {
  const isEmpty = !entries.some(({ quantity }) => quantity);
  const fields = /** @type {HTMLInputElement[]} */ ([...form.elements]);
  // Contacts and chats copy marks along that nobody sees, and that browsers reject.
  const email = /** @type {HTMLInputElement} */ (find('email'));
  email.value = email.value.replace(/\p{Cf}/gu, '');
  const wrong = isEmpty ? undefined : fields.find((field) => !field.checkValidity());
  for (const field of fields) field.ariaInvalid = field === wrong ? 'true' : null;
  let problem = wrong?.validationMessage ?? '';
  if (wrong?.id === 'email') problem = 'Enter an e-mail address, so that the shop can reach you.';
  if (isEmpty) problem = 'Your order is empty. Add something from the market first.';
  showProblem(form, problem);
  wrong?.focus();
  return !problem;
}

function showCart() {
  for (const { item, quantity, row, count, price } of entries) {
    row.hidden = !quantity;
    count.textContent = `${quantity}`;
    price.textContent = formatTotal([{ price: item.price, quantity }], item.currency);
  }
  const chosen = entries.filter(({ quantity }) => quantity);
  lines.hidden = chosen.length === 0;
  find('empty').hidden = !lines.hidden;
  const prices = chosen.map(({ item, quantity }) => ({ price: item.price, quantity }));
  const first = chosen[0] ?? entries[0];
  const total = first ? formatTotal(prices, first.item.currency) : '';
  find('total').textContent = total;
  onChange(chosen.length ? total : '');
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
