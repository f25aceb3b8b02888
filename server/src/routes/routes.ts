import { SHOP_ROUTES, type ShopRoute } from '@service-pay/contract/shop-routes';

import type { Payments } from '../create-payments.ts';
import { envelope } from '../errors.ts';
import { EVENT_STREAM_HEADERS, OpenStreams } from '../events/open-streams.ts';
import type { Payment } from '../payments/payment.ts';
import { parseReference } from '../payments/reference.ts';
import { WEBHOOK_ROUTE } from '../support/own-routes.ts';
import { buildAfterwards, type WaitUntil } from './afterwards.ts';
import { counted } from './counted.ts';
import { assertOwnPages, type OwnPages, rejectForeignPage } from './own-pages.ts';
import { type FindOwner, readOwner } from './owner.ts';
import type { Route, ShopRequest, ShopResponse } from './shop-route.ts';

export interface RoutesOptions<Data, Native> extends OwnPages {
  /**
   * Returns the owner that the request names in a cookie or a session, or a promise of it. Nobody is
   * undefined, null or an empty text.
   */
  findOwner: FindOwner<Native>;
  /** Returns the options for `getPaid`, the response of retry and open. */
  checkoutOptions(payment: Payment<Data>): object;
}

/** Shared by all of a process, because a framework may build the routes for each request. */
const streams = new OpenStreams();

/** `POST /webhooks/service-pay`. */
export function buildWebhookRoute<Data>(
  payments: Payments<Data>,
  waitUntil?: WaitUntil,
): Route<unknown> {
  const workAfterwards = buildAfterwards(payments, waitUntil);
  const route: Route<unknown> = {
    name: 'webhook',
    ...WEBHOOK_ROUTE,
    async respond({ headers, readBody }) {
      const response = await payments.receiveWebhook({ headers, rawBody: readBody });
      if (response.status === 200) workAfterwards();
      return response;
    },
  };
  return counted(route, payments.counters);
}

/**
 * The routes that a shop's page calls, below `/api` (`contract/src/shop-api.ts`): the owner's newest
 * open payment, and verify, retry and the events of a payment, for the whole order it belongs to.
 */
export function buildPaymentRoutes<Data, Native>(
  payments: Payments<Data>,
  { findOwner, checkoutOptions, ...ownPages }: RoutesOptions<Data, Native>,
  waitUntil?: WaitUntil,
): Route<Native>[] {
  assertOwnPages(ownPages);
  const workAfterwards = buildAfterwards(payments, waitUntil);
  const ownerOf = ({ native }: ShopRequest<Native>) => readOwner(findOwner, native);

  return [
    route('open', async (request) => {
      const owner = await ownerOf(request);
      const open = owner === undefined ? undefined : await payments.findOpen({ owner });
      return json(200, envelope(open ? checkoutOptions(open) : null));
    }),
    route('verify', async (request) => {
      const whose = { owner: await ownerOf(request) };
      const { shown, message, hasMoved } = await payments.confirm(referenceOf(request), whose);
      if (hasMoved) workAfterwards();
      return json(200, envelope(shown, message));
    }),
    route('retry', async (request) => {
      const whose = { owner: await ownerOf(request) };
      const { payment, isNew } = await payments.retry(referenceOf(request), whose);
      return json(isNew ? 201 : 200, envelope(checkoutOptions(payment)));
    }),
    route('events', async (request) => {
      const { signal, address } = request;
      const owner = await ownerOf(request);
      const begin = () => payments.events(referenceOf(request), { owner, signal });
      const body = await streams.hold(address, signal, begin);
      return { status: 200, headers: EVENT_STREAM_HEADERS, body };
    }),
  ];

  function route(
    name: Exclude<ShopRoute, 'place'>,
    respond: (request: ShopRequest<Native>) => Promise<ShopResponse>,
  ): Route<Native> {
    const { method, path } = SHOP_ROUTES[name];
    const checked: Route<Native> = {
      name,
      method,
      path: `/api${path}`,
      async respond(request) {
        if (method === 'POST') rejectForeignPage(request.headers, ownPages);
        return respond(request);
      },
    };
    return counted(checked, payments.counters);
  }
}

function referenceOf({ reference }: ShopRequest<unknown>): string {
  return parseReference(reference);
}

function json(status: number, body: object): ShopResponse {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  return { status, headers, body: JSON.stringify(body) };
}
