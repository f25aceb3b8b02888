// The list of collections, one page at a time.

import { curlButton, describeFailure, say } from '../parts/actions.js';
import { FocusKeeper, find, PageElement } from '../parts/elements.js';
import { count, money, nameStatus, nameType } from '../parts/formats.js';
import { html, nothing, render, repeat } from '../parts/lit.js';
import { Refresher } from '../parts/refresher.js';
import { ask, CallError } from '../parts/sandbox-client.js';
import { ago } from '../parts/times.js';
import { hashOf, queryOf, readChosen, readFilters, writeFilters } from './address.js';

/**
 * @import { Meta } from '@service-pay/contract/envelope'
 * @import { CollectionRow } from '../../src/control/types.ts'
 */

const TYPING_MS = 150;

const filters = /** @type {HTMLFormElement} */ (find('filters'));

class CollectionList extends PageElement {
  /** @type {CollectionRow[]} */
  rows = [];
  /** @type {Meta | undefined} */
  meta;
  isBusy = false;
  blank = { heading: 'Loading the collections.', words: '' };
  /** The row in the tab order. */
  #current = '';

  constructor() {
    super();
    new FocusKeeper(this, 'ol');
  }

  /** @param {Partial<Pick<CollectionList, 'rows' | 'meta' | 'isBusy' | 'blank'>>} shown */
  show(shown) {
    Object.assign(this, shown);
    this.requestUpdate();
  }

  focusCurrent() {
    const link = /** @type {HTMLElement | null} */ (this.querySelector('a[tabindex="0"]'));
    link?.focus();
    return link !== null;
  }

  /** @override */
  render() {
    const chosen = readChosen();
    const hash = chosen ? hashOf(chosen) : '';
    const hashes = this.rows.map(hashOf);
    if (!hashes.includes(this.#current))
      this.#current = hashes.includes(hash) ? hash : (hashes[0] ?? '');
    const { heading, words } = this.blank;
    return html`<ol
        id="list"
        aria-label="Collections, newest first"
        tabindex="-1"
        aria-busy=${this.isBusy}
        @keydown=${this.#moveByKey}
        @focusin=${this.#onFocus}
        @click=${followRow}
      >
        ${repeat(this.rows, hashOf, (row) => rowItem(row, hash, this.#current))}
      </ol>
      <div class="blank" ?hidden=${!heading}><p>${heading}</p><p class="quiet">${words}</p></div>
      ${this.meta ? this.#pages(this.meta) : nothing}`;
  }

  /** @param {Meta} meta */
  #pages({ total, perPage, currentPage, pageCount }) {
    const first = (currentPage - 1) * perPage + 1;
    const range = this.rows.length
      ? `${count(first)}–${count(first + this.rows.length - 1)} of ${count(total)}`
      : `of ${count(total)}`;
    return html`<nav
      id="pages"
      aria-label="Pages of collections"
      ?hidden=${total <= perPage && currentPage === 1}
      ><button type="button" ?disabled=${currentPage <= 1} @click=${() => changePage(-1)}>Newer</button
      ><span id="range">${range}</span
      ><button type="button" ?disabled=${currentPage >= pageCount} @click=${() => changePage(1)}
        >Older</button
      ></nav
    >`;
  }

  /**
   * Arrows, Home and End move between rows; Tab leaves the list.
   * @param {KeyboardEvent} event
   */
  #moveByKey = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const links = [...this.querySelectorAll('a')];
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    links[to]?.focus();
  };

  /** @param {FocusEvent} event */
  #onFocus = ({ target }) => {
    const link = /** @type {HTMLElement} */ (target).closest('a');
    if (!link || link.hash === this.#current) return;
    this.#current = link.hash;
    this.requestUpdate();
  };
}

customElements.define('collection-list', CollectionList);
const list = /** @type {CollectionList} */ (document.querySelector('collection-list'));

/** True if a person waits for the answer, so that its count is announced. */
let isAsked = false;
/**
 * The query of the list on screen.
 * @type {string | undefined}
 */
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
    // The page already says that it shows the last known state.
    if (shown === query && error instanceof CallError && error.httpStatus === 0) return;
    shown = undefined;
    const blank = { heading: 'Could not load the collections.', words: describeFailure(error) };
    list.show({ rows: [], meta: undefined, blank });
  } finally {
    list.show({ isBusy: signal.aborted });
  }
});

export function refreshList() {
  refresher.ask();
}

export function startList() {
  fillFilters();
  render(
    curlButton('these collections', () => {
      const query = queryOf(readFilters());
      return { method: 'GET', path: `/collections${query && `?${query}`}` };
    }),
    find('list-curl'),
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
}

/** @param {1 | -1} by */
function changePage(by) {
  const wanted = readFilters();
  writeFilters({ ...wanted, page: Math.max(1, wanted.page + by) }, { replace: false });
  askAloud();
  find('list').scrollTop = 0;
}

/**
 * A row opens its story and moves the focus there.
 * @param {MouseEvent} event
 */
function followRow(event) {
  const isRow = /** @type {HTMLElement} */ (event.target).closest('a');
  if (isRow && !event.ctrlKey && !event.metaKey && !event.shiftKey)
    requestAnimationFrame(() => find('story-title').focus({ preventScroll: true }));
}

export function followAddress() {
  markChosen();
  if (stopTyping()) return applyFilters({ replace: true });
  fillFilters();
  if (queryOf(readFilters()) !== shown) askAloud();
}

export function markChosen() {
  list.requestUpdate();
}

export function focusList() {
  if (!list.focusCurrent()) find('collections-title').focus();
}

/** @param {{ publicKey: string, name: string }[]} merchants */
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
  select.replaceChildren(...offers.map(([value, name]) => new Option(name, value)));
  fillField('merchant');
}

/** Returns whether typed letters are not in the address yet. */
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
  list.show({ isBusy: true });
  refresher.restart();
}

function fillFilters() {
  for (const name of /** @type {const} */ (['search', 'status', 'type', 'merchant']))
    fillField(name);
}

/**
 * Adds an option for a value that the select does not offer.
 * @param {'search' | 'status' | 'type' | 'merchant'} name
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
    field.append(new Option(wanted, wanted));
  }
  if (field.value.trim() !== wanted) field.value = wanted;
}

/** @param {CollectionRow[]} rows @param {Meta} meta */
function draw(rows, meta) {
  const { total } = meta;
  list.show({ rows, meta, blank: blankOf(rows.length, total) });
  if (isAsked) say(total === 1 ? '1 collection.' : `${count(total)} collections.`);
  isAsked = false;
}

/** @param {number} shown @param {number} total */
function blankOf(shown, total) {
  const { search, status, type, merchant } = readFilters();
  if (shown) return { heading: '', words: '' };
  if (total) return { heading: 'There is no such page.', words: 'Go back to newer collections.' };
  if (search || status || type || merchant)
    return { heading: 'No collection matches.', words: 'Change the search or the filters.' };
  return {
    heading: 'No collection yet.',
    words:
      'Pay in your shop, or press Customer above. A collection appears with its first attempt.',
  };
}

/** @param {CollectionRow} row @param {string} chosen @param {string} current */
function rowItem(row, chosen, current) {
  const { merchantName, reference, amount, currency, type, status } = row;
  const { initiatedAt, reasonForFailure, instrument } = row;
  const hash = hashOf(row);
  const how = [instrument ?? nameType(type), reasonForFailure, merchantName]
    .filter(Boolean)
    .join(' · ');
  return html`<li
    ><a
      href=${hash}
      tabindex=${hash === current ? 0 : -1}
      aria-current=${hash === chosen ? 'true' : nothing}
      ><span class="row-reference"><bdi>${reference}</bdi></span
      ><span class="row-amount">${money(amount, currency)}</span
      ><span class="row-how"
        ><span class="status" data-status=${status} title=${status}>${nameStatus(status)}</span><bdi>${how}</bdi></span
      ><span class="row-time">${ago(initiatedAt)}</span></a
    ></li
  >`;
}
