/**
 * The routes between a shop's page and its server, below a base such as `/api`. Light to import:
 * the schemas of their data are in `shop-api.ts`.
 */
export const SHOP_ROUTES = {
  place: { method: 'POST', path: '/orders' },
  open: { method: 'GET', path: '/orders/open' },
  verify: { method: 'POST', path: '/payments/:reference/verify' },
  retry: { method: 'POST', path: '/payments/:reference/retry' },
  events: { method: 'GET', path: '/payments/:reference/events' },
} as const;

export type ShopRoute = keyof typeof SHOP_ROUTES;

/** The states of a payment as pages see it (D57). */
export const SHOWN_STATUSES = ['successful', 'failed', 'pending'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** Returns the path of a route for one payment, with its reference encoded. */
export function pathOf(route: ShopRoute, reference = ''): string {
  return SHOP_ROUTES[route].path.replace(':reference', () => encodeURIComponent(reference));
}
