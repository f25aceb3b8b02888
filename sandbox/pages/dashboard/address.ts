// The page's address holds its state, so that links and Back work:
// /dashboard?search=…&page=2#/merchant/reference

interface Filters {
  search: string;
  status: string;
  type: string;
  merchant: string;
  page: number;
}
export interface Chosen {
  merchant: string;
  reference: string;
}

const NAMES = ['search', 'status', 'type', 'merchant'] as const;

export function readFilters(): Filters {
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

export function readChosen(): Chosen | undefined {
  const [, merchant, reference] = /^#\/([^/]+)\/([^/]+)$/.exec(location.hash) ?? [];
  try {
    return merchant && reference
      ? { merchant: decodeURIComponent(merchant), reference: decodeURIComponent(reference) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** `replace` adds no entry to the browser history, as for each letter typed. */
export function writeFilters(filters: Filters, { replace }: { replace: boolean }) {
  const query = queryOf(filters);
  const address = `${location.pathname}${query && `?${query}`}${location.hash}`;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
}

/** The query string of this page and of the control API. */
export function queryOf(filters: Filters) {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name]) query.set(name, filters[name]);
  if (filters.page > 1) query.set('page', `${filters.page}`);
  return query.toString();
}

export function hashOf({ merchant, reference }: Chosen) {
  return `#/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`;
}
