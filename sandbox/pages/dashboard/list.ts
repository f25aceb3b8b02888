// The list of collections, one page at a time.

import type { Meta } from '@service-pay/contract/envelope';
import type { CollectionRow } from '../../src/control/outputs.ts';
import { curlButton, describeFailure } from '../parts/actions.ts';
import { FocusKeeper, fieldOf, find, PageElement } from '../parts/elements.ts';
import { count, money, nameStatus, nameType } from '../parts/formats.ts';
import { html, nothing, render, repeat } from '../parts/lit.ts';
import { say } from '../parts/notice.ts';
import { Refresher } from '../parts/refresher.ts';
import { CallError, send } from '../parts/sandbox-client.ts';
import { ago } from '../parts/times.ts';
import { hashOf, queryOf, readChosen, readFilters, writeFilters } from './address.ts';

const TYPING_MS = 150;

const filters = find<HTMLFormElement>('filters');

class CollectionList extends PageElement {
  rows: CollectionRow[] = [];
  meta: Meta | undefined;
  isBusy = false;
  blank = { heading: 'Loading the collections.', words: '' };
  /** The row in the tab order. */
  #current = '';

  constructor() {
    super();
    new FocusKeeper(this, 'ol');
  }

  show(shown: Partial<Pick<CollectionList, 'rows' | 'meta' | 'isBusy' | 'blank'>>) {
    Object.assign(this, shown);
    this.requestUpdate();
  }

  focusCurrent() {
    const link = this.querySelector<HTMLElement>('a[tabindex="0"]');
    link?.focus();
    return link !== null;
  }

  override render() {
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

  #pages({ total, perPage, currentPage, pageCount }: Meta) {
    const first = (currentPage - 1) * perPage + 1;
    const range = this.rows.length
      ? `${count(first)}–${count(first + this.rows.length - 1)} of ${count(total)}`
      : `of ${count(total)}`;
    return html`<nav
      id="pages"
      aria-label="Pages of collections"
      ?hidden=${total <= perPage && currentPage === 1}
      >${pageButton('Newer', -1, currentPage > 1)}<span id="range">${range}</span
      >${pageButton('Older', 1, currentPage < pageCount)}</nav
    >`;
  }

  /** Arrows, Home and End move between rows; Tab leaves the list. */
  #moveByKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const links = [...this.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    links[to]?.focus();
  };

  #onFocus = ({ target }: FocusEvent) => {
    const link = (target as HTMLElement).closest('a');
    if (!link || link.hash === this.#current) return;
    this.#current = link.hash;
    this.requestUpdate();
  };
}

customElements.define('collection-list', CollectionList);
const list = document.querySelector<CollectionList>('collection-list')!;

/** True if a person waits for the list, so that its count is announced. */
let isWaitedFor = false;
/** The query of the list on screen. */
let shown: string | undefined;
let typing: ReturnType<typeof setTimeout> | undefined;

const refresher = new Refresher(async (signal) => {
  const wanted = readFilters();
  const query = queryOf(wanted);
  try {
    const { data, meta } = await send<CollectionRow[]>(
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
  refresher.request();
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
    const isTyped = (event.target as HTMLElement).tagName === 'INPUT';
    if (isTyped) typing = setTimeout(() => applyFilters({ replace: true }), TYPING_MS);
    else applyFilters({ replace: false });
  });
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    stopTyping();
    applyFilters({ replace: true });
  });
}

/** Stays focusable where there is no further page, since it may just have been pressed. */
function pageButton(label: string, by: 1 | -1, hasMore: boolean) {
  return html`<button
    type="button"
    aria-disabled=${!hasMore}
    @click=${() => hasMore && changePage(by)}
    >${label}</button
  >`;
}

function changePage(by: 1 | -1) {
  const wanted = readFilters();
  writeFilters({ ...wanted, page: Math.max(1, wanted.page + by) }, { replace: false });
  refreshAloud();
  find('list').scrollTop = 0;
}

/** A row opens its story and moves the focus there. */
function followRow(event: MouseEvent) {
  const isRow = (event.target as HTMLElement).closest('a');
  if (isRow && !event.ctrlKey && !event.metaKey && !event.shiftKey)
    requestAnimationFrame(() => find('story-title').focus({ preventScroll: true }));
}

export function followAddress() {
  markChosen();
  if (stopTyping()) return applyFilters({ replace: true });
  fillFilters();
  if (queryOf(readFilters()) !== shown) refreshAloud();
}

export function markChosen() {
  list.requestUpdate();
}

export function focusList() {
  if (!list.focusCurrent()) find('collections-title').focus();
}

export function offerMerchants(merchants: { publicKey: string; name: string }[]) {
  const select = fieldOf<HTMLSelectElement>(filters, 'merchant');
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

function applyFilters(how: { replace: boolean }) {
  typing = undefined;
  const data = new FormData(filters);
  const read = (name: string) => `${data.get(name) ?? ''}`;
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
  refreshAloud();
}

function refreshAloud() {
  isWaitedFor = true;
  list.show({ isBusy: true });
  refresher.restart();
}

function fillFilters() {
  for (const name of ['search', 'status', 'type', 'merchant'] as const) fillField(name);
}

/** Adds an option for a value that the select does not offer. */
function fillField(name: 'search' | 'status' | 'type' | 'merchant') {
  const wanted = readFilters()[name];
  const field = fieldOf<HTMLInputElement | HTMLSelectElement>(filters, name);
  if (
    field instanceof HTMLSelectElement &&
    ![...field.options].some(({ value }) => value === wanted)
  ) {
    field.append(new Option(wanted, wanted));
  }
  if (field.value.trim() !== wanted) field.value = wanted;
}

function draw(rows: CollectionRow[], meta: Meta) {
  const { total } = meta;
  list.show({ rows, meta, blank: blankOf(rows.length, total) });
  if (isWaitedFor) say(total === 1 ? '1 collection.' : `${count(total)} collections.`);
  isWaitedFor = false;
}

function blankOf(shown: number, total: number) {
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

function rowItem(row: CollectionRow, chosen: string, current: string) {
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
