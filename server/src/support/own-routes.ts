import { SHOP_ROUTES } from '@service-pay/contract/shop-routes';

export const WEBHOOK_ROUTE = { method: 'POST', path: '/webhooks/service-pay' } as const;

const { place: _ofTheShop, ...paymentRoutes } = SHOP_ROUTES;

/** Method and path of each route that this package serves. */
export const OWN_ROUTES = [
  WEBHOOK_ROUTE,
  ...Object.values(paymentRoutes).map(({ method, path }) => ({ method, path: `/api${path}` })),
];
