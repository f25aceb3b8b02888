// What the page shows stands in its address, so that it can be shared and Back works:
// /dashboard?search=…&page=2#/merchant/reference

/**
 * @typedef {{ search: string, status: string, type: string, merchant: string, page: number }} Filters
 * @typedef {{ merchant: string, reference: string }} Chosen
 */

const NAMES = /** @type {const} */ (['search', 'status', 'type', 'merchant']);

/** @returns {Filters} */
export function readFilters() {
  const query = new URLSearchParams(location.search);
  const page = Number(query.get('page') ?? '1');
  const [search, status, type, merchant] = NAMES.map((name) => query.get(name) ?? '');
  return {
    search: (search ?? '').slice(0, 128),
    status: status ?? '',
    type: type ?? '',
    merchant: merchant ?? '',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** @returns {Chosen | undefined} */
export function readChosen() {
  const [, merchant, reference] = /^#\/([^/]+)\/([^/]+)$/.exec(location.hash) ?? [];
  try {
    return merchant && reference
      ? { merchant: decodeURIComponent(merchant), reference: decodeURIComponent(reference) }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes filters into the address. `replace` leaves no step for Back: each letter typed is none.
 * @param {Filters} filters
 * @param {{ replace: boolean }} how
 */
export function writeFilters(filters, { replace }) {
  const query = queryOf(filters);
  const address = `${location.pathname}${query && `?${query}`}${location.hash}`;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
}

/**
 * Filters as a query: of this page and of the control API alike.
 * @param {Filters} filters
 */
export function queryOf(filters) {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name]) query.set(name, filters[name]);
  if (filters.page > 1) query.set('page', `${filters.page}`);
  return query.toString();
}

/**
 * Where the story of a collection is.
 * @param {Chosen} chosen
 */
export function hashOf({ merchant, reference }) {
  return `#/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`;
}
