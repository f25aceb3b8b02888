import { isDatabaseFailure } from '@service-pay/server/database/open';
import type { PaymentState } from '@service-pay/server/database/schema';
import type { PaymentFeed } from '@service-pay/server/events/bus';
import { EventStreams } from '@service-pay/server/events/server-sent-events';
import { envelope } from '@service-pay/server/express/errors';
import { parseReference } from '@service-pay/server/express/request-guards';
import type { Log } from '@service-pay/server/observe/log';
import type { Confirm } from '@service-pay/server/payments/confirm';
import {
  findDecisive,
  type Payment,
  type ShownPayment,
} from '@service-pay/server/payments/payment';
import type { ServiceAnswers } from '@service-pay/server/payments/service-answers';
import type { ShopStore } from '@service-pay/server/payments/store';
import type { InTime } from '@service-pay/server/payments/verify-deadline';
import { ServiceCallError } from '@service-pay/server/service/client';
import type { Clock } from '@service-pay/server/support/clock';
import { type RequestHandler, Router } from 'express';
import type { BrowserCookie } from './browser-cookie.ts';
import { findOwnPayment } from './order-routes.ts';

export interface PaymentRoutesDeps {
  store: ShopStore;
  confirm: Confirm;
  /** The same for who waits, or tells that it is not known yet. */
  inTime: InTime;
  answers: ServiceAnswers;
  feed: PaymentFeed;
  cookie: BrowserCookie;
  /** What each request passes first: it may ask too often. */
  limit: RequestHandler;
  clock: Clock;
  log: Log;
}

/** What each state is to the page (D57), and what its message says. */
const SHOWN = {
  'awaiting-payment': { status: 'pending', message: 'The payment is not confirmed yet.' },
  paid: { status: 'successful', message: 'The order is paid.' },
  failed: {
    status: 'failed',
    message: 'The payment did not go through. You can pay again for the same order.',
  },
  expired: {
    status: 'failed',
    message: 'Nobody paid in time. You can pay again for the same order.',
  },
  'needs-review': {
    status: 'pending',
    message: 'The payment arrived and the shop is looking at it.',
  },
  refused: {
    status: 'failed',
    message:
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
  },
} as const satisfies Record<
  PaymentState,
  { status: 'successful' | 'failed' | 'pending'; message: string }
>;

/** Members that a page gets for two states besides their status. */
const MORE: Partial<Record<PaymentState, Pick<ShownPayment, 'asksFirst' | 'isInReview'>>> = {
  refused: { asksFirst: true },
  'needs-review': { isInReview: true },
};

const WAITING_FOR_CUSTOMER =
  'The payment is waiting for you: approve it on your phone, or finish confirming it with your bank.';

/**
 * Verify and event stream of a payment, for the browser that ordered. Both answer for the whole
 * order, whichever of its payments is named.
 */
export function buildPaymentRoutes({
  store,
  confirm,
  inTime,
  answers,
  feed,
  cookie,
  limit,
  clock,
  log,
}: PaymentRoutesDeps): {
  router: Router;
  streams: EventStreams;
} {
  const router = Router({ caseSensitive: true, strict: true });
  const streams = new EventStreams(clock);

  /**
   * Confirms now (specification 4.2, rule 3). Fails with `order_not_found` (404, code 11), also for
   * another browser's order (D56), and with `not_known_yet` (503, code 10) where the service cannot
   * be asked (D52).
   */
  router.post('/api/payments/:reference/verify', limit, async (req, res) => {
    const own = await findOwnPayment(store, cookie.find(req), parseReference(req.params.reference));
    const payment = await inTime(() => confirmOrder(own));
    const shown = showPayment(payment);
    res.json(
      envelope(
        shown,
        shown.isWaitingForCustomer ? WAITING_FOR_CUSTOMER : SHOWN[payment.state].message,
      ),
    );
  });

  /**
   * Events named `payment` with data as of verify: one at once, one at each change; ends with the
   * payment, or after 30 minutes.
   */
  router.get('/api/payments/:reference/events', limit, async (req, res) => {
    const owner = cookie.find(req);
    const own = await findOwnPayment(store, owner, parseReference(req.params.reference));
    if (req.method === 'HEAD') return void res.type('text/event-stream').end();
    const payments = await store.findPaymentsOfOrder(own.orderId);
    streams.open(req, res, own.owner, {
      read: async () => showPayment(decisiveOf(await store.findPaymentsOfOrder(own.orderId))),
      watch: (listener) => {
        const stops = payments.map(({ reference }) => feed.watch(reference, listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
    });
    const { reference } = decisiveOf(payments);
    confirm(reference, 'look').catch((error: unknown) => {
      if (error instanceof ServiceCallError) return;
      log[isDatabaseFailure(error) ? 'warn' : 'error'](
        { err: error, reference },
        'confirm for an event stream failed',
      );
    });
  });

  return { router, streams };

  /**
   * Asks about the order's newest payment and the one named, and returns the payment that then says
   * how the order stands.
   */
  async function confirmOrder(own: Payment): Promise<Payment> {
    if (own.state === 'paid') return own;
    const { reference } = (await store.findPaymentsOfOrder(own.orderId)).at(-1) ?? own;
    const asked = [confirm(reference, 'success')];
    // An earlier payment may be paid late. When it cannot be asked about, the newest one still
    // answers for the order.
    if (own.reference !== reference)
      asked.push(confirm(own.reference, 'look', own).catch(() => undefined));
    await Promise.all(asked);
    return decisiveOf(await store.findPaymentsOfOrder(own.orderId));
  }

  function showPayment({ reference, state, amount, currency }: Payment): ShownPayment {
    const { status } = SHOWN[state];
    const isWaitingForCustomer =
      state === 'awaiting-payment' && answers.isWaitingForCustomer(reference);
    return { reference, status, amount, currency, isWaitingForCustomer, ...MORE[state] };
  }
}

function decisiveOf(payments: readonly Payment[]): Payment {
  const payment = findDecisive(payments);
  if (!payment) throw new Error('The order has no payments.');
  return payment;
}
