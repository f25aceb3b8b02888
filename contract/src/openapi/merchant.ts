import { COLLECTION_STATUSES } from '../collection.ts';
import { envelope } from '../envelope.ts';
import { CHANNELS } from '../payment-request.ts';
import { referenceSchema } from '../payment-request-schema.ts';
import { FAILED, PAID, PROMPTED } from './examples.ts';
import type { Operation, Rejection } from './operation.ts';

const NO_API_TOKEN: Rejection = {
  errorCode: '09',
  when: 'The secret API token is missing, unknown, a public key instead, or not sent as `Authorization: Bearer <API token>` in one header; the message says which.',
};

const FROM_AND_TO = {
  type: 'string',
  pattern:
    '^\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d))?$',
} as const;

export const MERCHANT_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'verifyCollection',
    method: 'get',
    path: '/access/v2/collections/status/{reference}',
    tag: 'merchant',
    door: 'apiToken',
    summary: 'Verify a payment by its reference',
    description:
      "Returns the payment with your reference. It is paid if the envelope's `status` is true, `data.status` is " +
      '`successful`, and `data.reference`, `data.amount` and `data.currency` match what you stored. A failed payment also returns 200: the ' +
      'call worked. 404 means that no attempt was made yet. A timeout or a 5xx means not known, never failed.',
    parameters: [
      {
        name: 'reference',
        in: 'path',
        description: 'The exact reference you passed to the popup.',
        schema: referenceSchema,
        example: PAID.reference,
      },
    ],
    responses: [
      {
        httpStatus: 200,
        description: 'The current state of the payment.',
        component: 'CollectionAnswer',
        examples: {
          successful: { summary: 'Paid', value: envelope(PAID) },
          'pay-offline': {
            summary: 'The customer has a prompt: poll again',
            value: envelope(PROMPTED),
          },
          failed: { summary: 'Failed', value: envelope(FAILED) },
        },
      },
    ],
    rejections: [
      { errorCode: '01', when: 'The reference contains a character that is not allowed.' },
      NO_API_TOKEN,
      {
        errorCode: '11',
        when: 'No attempt was made with this reference, or not at this merchant. Treat the payment as not known yet.',
      },
    ],
  },
  {
    operationId: 'getCollection',
    method: 'get',
    path: '/access/v2/collections/{id}',
    tag: 'merchant',
    door: 'apiToken',
    summary: 'Get a payment by its id',
    description: 'The same as by reference, if you stored the id.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        description: 'The `id` of a collection.',
        schema: { type: 'string' },
        example: PAID.id,
      },
    ],
    responses: [
      {
        httpStatus: 200,
        description: 'The current state of the payment.',
        component: 'CollectionAnswer',
        examples: { successful: { summary: 'Paid', value: envelope(PAID) } },
      },
    ],
    rejections: [
      NO_API_TOKEN,
      { errorCode: '11', when: 'This merchant has no collection with this id.' },
    ],
  },
  {
    operationId: 'listCollections',
    method: 'get',
    path: '/access/v2/collections',
    tag: 'merchant',
    door: 'apiToken',
    summary: 'List payments, newest first',
    description:
      'At most 100 per page. Beyond the last page, `data` is empty and `meta` still correct.',
    parameters: [
      {
        name: 'page',
        in: 'query',
        description: 'The page, starting at 1.',
        schema: { type: 'integer', minimum: 1, maximum: 999_999_999_999_999, default: 1 },
        example: 1,
      },
      {
        name: 'status',
        in: 'query',
        description: 'Only payments with this status.',
        schema: { type: 'string', enum: [...COLLECTION_STATUSES] },
        example: 'successful',
      },
      {
        name: 'type',
        in: 'query',
        description: 'Only payments by this channel.',
        schema: { type: 'string', enum: [...CHANNELS] },
        example: 'mobile-money',
      },
      {
        name: 'from',
        in: 'query',
        description:
          'Only payments initiated then or later: an ISO 8601 day or time with its offset. A `+` must be sent as `%2B`.',
        schema: FROM_AND_TO,
        example: '2026-03-01',
      },
      {
        name: 'to',
        in: 'query',
        description: 'Only payments initiated before then.',
        schema: FROM_AND_TO,
        example: '2026-04-01T00:00:00Z',
      },
    ],
    responses: [
      {
        httpStatus: 200,
        description: 'One page.',
        component: 'CollectionListAnswer',
        examples: {
          page: {
            summary: 'Two payments',
            value: envelope(
              [
                { ...FAILED, id: '1f0e6a5b-6f9c-4a8e-9e0a-0d6a2f1c4b77', reference: 'order-1002' },
                PAID,
              ],
              '',
              { total: 2, perPage: 100, currentPage: 1, pageCount: 1 },
            ),
          },
          beyond: {
            summary: 'Beyond the last page',
            value: envelope([], '', { total: 2, perPage: 100, currentPage: 9, pageCount: 1 }),
          },
        },
      },
    ],
    rejections: [
      {
        errorCode: '01',
        when: 'A parameter is invalid: `data.problems` lists each. Also returned if `from` is after `to`.',
        problems: [
          { path: 'page', code: 'invalid', message: 'page must be a whole number above 0.' },
        ],
      },
      NO_API_TOKEN,
    ],
  },
];
