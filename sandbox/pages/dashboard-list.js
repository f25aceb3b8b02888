// The list of collections, a page at a time as the sandbox gives it.

import { buildCurlButton, say, tellFailure } from './actions.js';
import { hashOf, queryOf, readChosen, readFilters, writeFilters } from './dashboard-address.js';
import { find, make, setText, showItems } from './elements.js';
import { count, money } from './formats.js';
import { Refresher } from './refresher.js';
import { ask, CallError } from './sandbox-client.js';
import { buildAgo } from './times.js';

/**
 * @import { Meta } from '@service-pay/contract/envelope'
 * @import { CollectionRow } from '../src/control/types.ts'
 */

/** After this long without a letter typed, the search is made. */
const TYPING_MS = 150;

const list = find('list');
const blank = find('list-state');
const filters = /** @type {HTMLFormElement} */ (find('filters'));
const pages = find('pages');
const [newer, older] = /** @type {[HTMLButtonElement, HTMLButtonElement]} */ ([
  ...pages.querySelectorAll('button'),
]);

/** True where the next answer is one that a person waits for, and how many there are is said. */
let isAsked = false;
/** What the list that is shown answers. @type {string | undefined} */
let shown;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

const refresher = new Refresher(async (signal) => {
  const wanted = readFilters();
  const query = queryOf(wanted);
  try {
    const { data, meta } = await ask(
      { method: 'GET', path: `/collections${query && `?${query}`}` },
      signal,
    );
    shown = query;
    draw(data, meta);
  } catch (error) {
    if (signal.aborted) return;
    // The page says that the sandbox is gone, and that what is seen is as it was.
    if (shown === query && error instanceof CallError && error.httpStatus === 0) return;
    shown = undefined;
    list.replaceChildren();
    pages.hidden = true;
    showBlank('The collections cannot be shown.', tellFailure(error));
  } finally {
    list.ariaBusy = `${signal.aborted}`;
  }
});

/** Asks for the list again; calls that come together are one. */
export function refreshList() {
  refresher.ask();
}

/** Begins to follow the filters, the keys and the address. */
export function startList() {
  showBlank('Loading the collections.', '');
  fillFilters();
  find('list-curl').append(
    buildCurlButton('these collections', () => {
      const query = queryOf(readFilters());
      return { method: 'GET', path: `/collections${query && `?${query}`}` };
    }),
  );
  filters.addEventListener('input', (event) => {
    stopTyping();
    const isTyped = /** @type {HTMLElement} */ (event.target).tagName === 'INPUT';
    if (isTyped) typing = setTimeout(() => applyFilters({ replace: true }), TYPING_MS);
    else applyFilters({ replace: false });
  });
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    stopTyping();
    applyFilters({ replace: true });
  });
  for (const [button, by] of /** @type {const} */ ([
    [newer, -1],
    [older, 1],
  ])) {
    button.addEventListener('click', () => {
      const wanted = readFilters();
      writeFilters({ ...wanted, page: Math.max(1, wanted.page + by) }, { replace: false });
      askAloud();
      list.scrollTop = 0;
    });
  }
  list.addEventListener('keydown', moveByKey);
  list.addEventListener('focusin', (event) =>
    makeCurrent(/** @type {HTMLElement} */ (event.target).closest('a')),
  );
}

/** The address changed by Back, a link or a hand. */
export function followAddress() {
  markChosen();
  if (stopTyping()) return applyFilters({ replace: true });
  fillFilters();
  if (queryOf(readFilters()) !== shown) askAloud();
}

/** Shows which row's story is open. */
export function markChosen() {
  const chosen = readChosen();
  const hash = chosen ? hashOf(chosen) : '';
  for (const link of links()) {
    if (link.hash === hash) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

/** The row of the open story, or the first. */
export function focusList() {
  const target = links().find((link) => link.tabIndex === 0) ?? find('collections-title');
  target.focus();
}

/**
 * Which merchants there are to filter by.
 * @param {{ publicKey: string, name: string }[]} merchants
 */
export function offerMerchants(merchants) {
  const select = /** @type {HTMLSelectElement} */ (filters.elements.namedItem('merchant'));
  const offers = [
    ['', 'Any merchant'],
    ...merchants.map(({ publicKey, name }) => [publicKey, name]),
  ];
  if (
    JSON.stringify(offers) ===
    JSON.stringify([...select.options].map(({ value, text }) => [value, text]))
  )
    return;
  select.replaceChildren(...offers.map(([value, name]) => make('option', { value }, name)));
  fillField('merchant');
}

/**
 * Gives up waiting for more letters; tells whether any were typed that are not in the address yet.
 */
function stopTyping() {
  const wasTyping = typing !== undefined;
  clearTimeout(typing);
  typing = undefined;
  return wasTyping;
}

/** @param {{ replace: boolean }} how */
function applyFilters(how) {
  typing = undefined;
  const data = new FormData(filters);
  const read = (/** @type {string} */ name) => `${data.get(name) ?? ''}`;
  writeFilters(
    {
      search: read('search').trim(),
      status: read('status'),
      type: read('type'),
      merchant: read('merchant'),
      page: 1,
    },
    how,
  );
  askAloud();
}

function askAloud() {
  isAsked = true;
  list.ariaBusy = 'true';
  refresher.askAnew();
}

/** The fields as the address says. */
function fillFilters() {
  for (const name of /** @type {const} */ (['search', 'status', 'type', 'merchant']))
    fillField(name);
}

/**
 * A value that is not offered is offered from then on. @param {'search' | 'status' | 'type' |
 * 'merchant'} name
 */
function fillField(name) {
  const wanted = readFilters()[name];
  const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (
    filters.elements.namedItem(name)
  );
  if (
    field instanceof HTMLSelectElement &&
    ![...field.options].some(({ value }) => value === wanted)
  ) {
    field.append(make('option', { value: wanted }, wanted));
  }
  if (field.value.trim() !== wanted) field.value = wanted;
}

/** @param {CollectionRow[]} rows @param {Meta} meta */
function draw(rows, { total, perPage, currentPage, pageCount }) {
  showItems(list, rows, { keyOf: hashOf, build: buildRow });
  const wanted = readFilters();
  const isFiltered = Boolean(wanted.search || wanted.status || wanted.type || wanted.merchant);
  if (rows.length) showBlank('', '');
  else if (total) showBlank('This page is beyond the last.', 'Go back to newer collections.');
  else if (isFiltered) showBlank('No collection matches.', 'Change the search or the filters.');
  else
    showBlank(
      'No collection yet.',
      'Pay in your shop, or place one here. A collection appears with its first attempt.',
    );
  pages.hidden = total <= perPage && currentPage === 1;
  newer.disabled = currentPage <= 1;
  older.disabled = currentPage >= pageCount;
  const first = (currentPage - 1) * perPage + 1;
  setText(
    find('range'),
    rows.length
      ? `${count(first)}–${count(first + rows.length - 1)} of ${count(total)}`
      : `of ${count(total)}`,
  );
  if (isAsked) say(total === 1 ? '1 collection.' : `${count(total)} collections.`);
  isAsked = false;
  markChosen();
  if (!links().some((link) => link.tabIndex === 0))
    makeCurrent(links().find((link) => link.ariaCurrent) ?? links()[0] ?? null);
}

/** @param {CollectionRow} row */
function buildRow(row) {
  const {
    merchantName,
    reference,
    amount,
    currency,
    type,
    status,
    initiatedAt,
    reasonForFailure,
    instrument,
  } = row;
  return make(
    'li',
    {},
    make(
      'a',
      { href: hashOf(row), tabindex: -1 },
      make('span', { class: 'row-reference' }, make('bdi', {}, reference)),
      make('span', { class: 'row-amount' }, money(amount, currency)),
      make(
        'span',
        { class: 'row-how' },
        make('span', { class: 'status', 'data-status': status }, status),
        make(
          'bdi',
          {},
          [instrument ?? type, reasonForFailure, merchantName].filter(Boolean).join(' · '),
        ),
      ),
      make('span', { class: 'row-time' }, buildAgo(initiatedAt)),
    ),
  );
}

/** @param {string} heading @param {string} words */
function showBlank(heading, words) {
  blank.hidden = !heading;
  if (blank.textContent === heading + words) return;
  blank.replaceChildren(make('p', {}, heading), make('p', { class: 'quiet' }, words));
}

/**
 * Arrows go from row to row, Home and End to the first and last; Tab leaves the list. @param
 * {KeyboardEvent} event
 */
function moveByKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const all = links();
  const at = all.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  const target = to === undefined ? undefined : all[to];
  if (to === undefined) return;
  event.preventDefault();
  target?.focus();
}

/** The one row that Tab comes to. @param {HTMLAnchorElement | null} current */
function makeCurrent(current) {
  if (!current) return;
  for (const link of links()) link.tabIndex = link === current ? 0 : -1;
}

/** @returns {HTMLAnchorElement[]} */
function links() {
  return [...list.querySelectorAll('a')];
}
