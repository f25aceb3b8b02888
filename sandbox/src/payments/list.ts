import type { Collection } from '@service-pay/contract/collection';

import { insertSorted } from '../time/insert-sorted.ts';

/** A filter for collections (D39). Times are milliseconds; `from` is inclusive, `to` is not. */
export interface CollectionFilter {
  readonly merchant?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /**
   * Part of a reference, an id, a service reference, a phone or a card's last four digits, in any
   * case.
   */
  readonly search?: string | undefined;
}

export interface Page {
  readonly start: number;
  readonly count: number;
}

export interface Listed {
  readonly merchant: string;
  readonly collection: Collection;
}

interface Entry extends Listed {
  readonly initiatedAt: number;
}

export class CollectionList {
  #entries: Entry[] = [];

  add({ merchant, collection }: Listed): void {
    const entry = { merchant, collection, initiatedAt: Date.parse(collection.initiatedAt) };
    insertSorted(this.#entries, entry, (one, other) => one.initiatedAt - other.initiatedAt);
  }

  delete(collection: Collection): void {
    const at = this.#entries.findIndex((entry) => entry.collection === collection);
    if (at >= 0) this.#entries.splice(at, 1);
  }

  /**
   * Returns `count` matching collections from the `start`th on, newest first (D39), and their
   * total.
   */
  find(
    { merchant, status, type, from = -Infinity, to = Infinity, search }: CollectionFilter,
    { start, count }: Page,
  ): { total: number; found: Listed[] } {
    const part = search?.toLowerCase();
    const matching = this.#entries.filter(
      (entry) =>
        (merchant === undefined || entry.merchant === merchant) &&
        (status === undefined || entry.collection.status === status) &&
        (type === undefined || entry.collection.type === type) &&
        entry.initiatedAt >= from &&
        entry.initiatedAt < to &&
        (part === undefined || isFoundBy(part, entry.collection)),
    );
    const found = matching.reverse().slice(start, start + count);
    return { total: matching.length, found };
  }

  clear(): void {
    this.#entries = [];
  }
}

function isFoundBy(
  part: string,
  { reference, id, serviceReference, mobileMoneyDetails, cardDetails }: Collection,
): boolean {
  return [reference, id, serviceReference, mobileMoneyDetails?.phone, cardDetails?.last4].some(
    (text) => text?.toLowerCase().includes(part),
  );
}
