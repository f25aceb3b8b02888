import * as v from 'valibot';

import { ERROR_CODES, type ErrorCode, envelope } from '../envelope.ts';
import { REQUEST_RULES } from '../payment-request.ts';
import { referenceSchema } from '../payment-request-schema.ts';
import {
  type Payable,
  payableSchema,
  SHOP_CONTRACT,
  SHOP_ROUTES,
  type ShopPayment,
  type ShopRoute,
  shopPaymentSchema,
} from '../shop-api.ts';
import { SHOWN_STATUSES } from '../shop-routes.ts';
import { type Component, component, responseOf } from './components.ts';
import type { Operation, OperationResponse, Rejection } from './operation.ts';

const PAYABLE: Payable = {
  key: 'pub_sandbox_demo',
  email: 'mary.banda@example.com',
  reference: 'shop-mhw3k2q0X9pV7aT1bC5dE2fG',
  amount: '92.50',
  currency: 'ZMW',
  label: 'Kabwata Market',
};

const PENDING: ShopPayment = {
  reference: PAYABLE.reference,
  status: 'pending',
  amount: '92.50',
  currency: 'ZMW',
  isWaitingForCustomer: true,
};

const PAID: ShopPayment = {
  ...PENDING,
  status: 'successful',
  isWaitingForCustomer: false,
  paidAt: '2026-03-12T07:06:15.412Z',
  paidWith: { channel: 'card', label: 'Visa •• 4242' },
};

const FAILED: ShopPayment = { ...PENDING, status: 'failed', isWaitingForCustomer: false };

const REJECTIONS: Record<ErrorCode, string> = {
  ...(Object.fromEntries(
    Object.entries(ERROR_CODES).map(([code, { meaning }]) => [code, meaning]),
  ) as Record<ErrorCode, string>),
  '01': 'The reference or the body cannot be read.',
  '04': 'Another order was placed under this key.',
  '11': 'This browser placed no order with that reference. The same response as for one that does not exist.',
};

const CLOSED = 'The order is paid or in review, or was tried too often.';

/** Makes an operation of a route of the contract, with the failures listed there. */
function operation(
  route: ShopRoute,
  words: Pick<Operation, 'operationId' | 'summary' | 'description'> &
    Partial<Pick<Operation, 'parameters'>>,
  responses: readonly OperationResponse[],
  says: Partial<Record<ErrorCode, string>> = {},
): Operation {
  const { method, path } = SHOP_ROUTES[route];
  const shared: readonly number[] = [429, 500, 503];
  const rejections = Object.entries(SHOP_CONTRACT[route].failures).flatMap(([status, codes]) =>
    shared.includes(Number(status)) || codes.includes('13')
      ? []
      : codes.map(
          (errorCode): Rejection => ({
            errorCode,
            httpStatus: Number(status),
            when: says[errorCode] ?? REJECTIONS[errorCode],
          }),
        ),
  );
  return {
    method: method === 'GET' ? 'get' : 'post',
    path: `/api${path.replace(':reference', '{reference}')}`,
    tag: 'shop',
    door: 'browser',
    ...(path.includes(':reference') && { parameters: [REFERENCE] }),
    ...words,
    responses,
    rejections,
  };
}

const REFERENCE = {
  name: 'reference',
  in: 'path',
  description: 'The reference of any payment of the order.',
  schema: referenceSchema,
  example: PAYABLE.reference,
} as const;

const STATES = {
  successful: { summary: 'Paid', value: envelope(PAID) },
  pending: { summary: 'The customer has a prompt', value: envelope(PENDING) },
  failed: { summary: 'Failed: it can be tried again', value: envelope(FAILED) },
};

const payable = (httpStatus: number, description: string): OperationResponse => ({
  httpStatus,
  description,
  component: 'PayableAnswer',
  examples: { payable: { summary: 'The options of getPaid', value: envelope(PAYABLE) } },
});

/**
 * The routes between a shop's page and its server, as OpenAPI operations. Not part of the payment
 * service, so not part of `OPERATIONS`.
 */
export const SHOP_OPERATIONS: readonly Operation[] = [
  operation(
    'place',
    {
      operationId: 'placeOrder',
      summary: 'Place an order',
      description:
        'You write this route, and its body is yours. Your server decides the price. The same `Idempotency-Key` of the same browser returns the same order.',
      parameters: [
        {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'Names the order: 1 to 255 visible characters.',
          schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
          example: 'k3v9q1',
        },
      ],
    },
    [payable(201, 'The order, new or of an earlier call with this key.')],
  ),
  operation(
    'open',
    {
      operationId: 'findOpenPayment',
      summary: "Find this browser's unfinished payment",
      description:
        'Returns the newest payment that can still be paid, or null: for a reload, a second tab or an old link.',
    },
    [
      {
        httpStatus: 200,
        description: 'The payment, or null.',
        component: 'OpenPaymentAnswer',
        examples: {
          open: { summary: 'One is open', value: envelope(PAYABLE) },
          none: { summary: 'None is open', value: envelope(null) },
        },
      },
    ],
  ),
  operation(
    'verify',
    {
      operationId: 'verifyPayment',
      summary: 'Verify a payment now',
      description:
        "Verifies the payment and returns the order's state. A payment is `successful` only if the service says so for this reference, amount and currency. " +
        '503 if the service cannot be reached: the result is not known yet, never failed.',
    },
    [
      {
        httpStatus: 200,
        description: 'The state of the order.',
        component: 'ShopPaymentAnswer',
        examples: STATES,
      },
    ],
  ),
  operation(
    'retry',
    {
      operationId: 'retryPayment',
      summary: 'Pay for the same order again',
      description:
        'Verifies each payment of the order first. Returns the open payment of the order, however old it is, or a new one if the service reports each earlier one as failed.',
    },
    [payable(200, 'The open payment.'), payable(201, 'A new payment of the same order.')],
    { '04': CLOSED },
  ),
  operation(
    'events',
    {
      operationId: 'followPayment',
      summary: 'Follow a payment',
      description:
        'Server-sent events named `payment`, each with the `data` of verify. Optional: 404 or 204 says that there are none, and the page library polls.',
    },
    [
      {
        httpStatus: 200,
        description: 'A stream that ends with the payment, or after 30 minutes.',
        component: 'EventStream',
        examples: {
          stream: {
            summary: 'One event',
            value: `event: payment\ndata: ${JSON.stringify(PAID)}\n\n`,
          },
        },
        mediaType: 'text/event-stream',
      },
    ],
  ),
];

/** The schemas that `SHOP_OPERATIONS` name. */
export const SHOP_COMPONENTS: Readonly<Record<string, Component>> = {
  Payable: component(payableSchema, 'Options of `getPaid`, without callbacks.', {
    key: 'The public key of the merchant.',
    email: { says: 'E-mail address of the customer.', pattern: REQUEST_RULES.email.pattern },
    reference: 'The reference of this payment.',
    amount: 'Decimal text in major units, such as `"92.50"`.',
    currency: 'Three capital letters (ISO 4217).',
    label: 'Text shown in the popup, such as the name of the shop.',
    bearer: "Who pays the fee, unless the merchant's dashboard says.",
    channels: 'The payment channels to offer.',
    customer: "The customer's name and phone number.",
    billing: 'The billing address of the card.',
    locale: 'The language of the popup.',
  }),
  ShopPayment: component(shopPaymentSchema, 'The state of an order, as its page sees it.', {
    reference: 'The payment that paid the order, otherwise its newest.',
    status: {
      says: '`pending` also stands for a payment that nobody knows the result of.',
      known: SHOWN_STATUSES,
    },
    amount: 'Decimal text in major units.',
    currency: 'Three capital letters (ISO 4217).',
    isWaitingForCustomer: 'A prompt, a code or a question of the bank waits for the customer.',
    isInReview: 'Money arrived, and a person must decide: it cannot be continued.',
    mustContactShop: 'A person rejected it: the customer contacts the shop before paying again.',
    paidAt: 'When it was paid, in UTC.',
    paidWith: 'How it was paid, for the receipt.',
  }),
  PayableAnswer: responseOf(payableSchema, 'The options of `getPaid`'),
  OpenPaymentAnswer: responseOf(v.nullable(payableSchema), 'The options of `getPaid`, or null'),
  ShopPaymentAnswer: responseOf(shopPaymentSchema, 'The state of an order'),
  EventStream: { schema: v.string(), description: 'Server-sent events.', members: {} },
};
