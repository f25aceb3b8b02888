import type { Collection } from '@service-pay/contract/collection';

/**
 * Which collections a list is of (D39). Times are milliseconds; `from` is inclusive, `to` is not.
 */
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

/**
 * What lists of collections are chosen by: it stands beside each, so that none is read that is not
 * shown.
 */
export interface Listed {
  readonly merchant: string;
  readonly reference: string;
  initiatedAt: number;
  status: string;
  type: string;
  /**
   * What is searched besides the reference: id, service reference, phone, a card's last digits; a
   * line each, in lower case.
   */
  marks: string;
}

/** Notes what a collection is chosen by as it is now. */
export function mark(
  listed: Listed,
  { id, status, type, serviceReference, mobileMoneyDetails, cardDetails }: Collection,
): void {
  const marks = [id, serviceReference, mobileMoneyDetails?.phone ?? '', cardDetails?.last4 ?? '']
    .join('\n')
    .toLowerCase();
  const now = { status, type, marks };
  // An equal text is not put in the place of the one that is there, which is the one that others
  // keep, too.
  for (const member of ['status', 'type', 'marks'] as const)
    if (listed[member] !== now[member]) listed[member] = now[member];
}

/** Collections in order of `initiatedAt`, in whatever order they come. */
export class CollectionList<Entry extends Listed> {
  #entries: Entry[] = [];
  #isInOrder = true;

  /** Takes a collection into the list. */
  add(entry: Entry, collection: Collection): void {
    entry.initiatedAt = Date.parse(collection.initiatedAt);
    mark(entry, collection);
    this.#isInOrder &&= entry.initiatedAt >= (this.#entries.at(-1)?.initiatedAt ?? -Infinity);
    this.#entries.push(entry);
  }

  /**
   * `count` of those that pass the filter, from the `start`th on, newest first (D39); and how many
   * there are.
   */
  find(
    { merchant, status, type, from = -Infinity, to = Infinity, search }: CollectionFilter,
    start: number,
    count: number,
  ): { total: number; found: Entry[] } {
    if (!this.#isInOrder) this.#entries.sort((one, other) => one.initiatedAt - other.initiatedAt);
    this.#isInOrder = true;
    const matches = search === undefined ? () => true : matcherOf(search);
    const found: Entry[] = [];
    let total = 0;
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at]!;
      if (merchant !== undefined && entry.merchant !== merchant) continue;
      if (status !== undefined && entry.status !== status) continue;
      if (type !== undefined && entry.type !== type) continue;
      if (entry.initiatedAt < from || entry.initiatedAt >= to || !matches(entry)) continue;
      if (total >= start && total < start + count) found.push(entry);
      total++;
    }
    return { total, found };
  }

  /** Every one; `add` in this order makes the same list. */
  all(): readonly Entry[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
    this.#isInOrder = true;
  }
}

/** Finds a part, in any case, of a reference or of what stands beside it. */
function matcherOf(search: string): (listed: Listed) => boolean {
  const part = search.toLowerCase();
  const canBeMark = !part.includes('\n');
  return ({ reference, marks }) =>
    (canBeMark && marks.includes(part)) || reference.toLowerCase().includes(part);
}
