import {
  ACKNOWLEDGING_STATUSES,
  EVENTS,
  type EventName,
  SIGNATURE_HEADER,
  SIGNATURE_PATTERN,
  WEBHOOK_RETRY,
} from '../webhook.ts';
import { FAILED, PAID } from './examples.ts';

const WORDS: Record<EventName, { summary: string; data: object }> = {
  'collection.successful': { summary: 'A payment has succeeded', data: PAID },
  'collection.failed': {
    summary: 'A payment failed; sent only if enabled',
    data: FAILED,
  },
  'collection.settled': {
    summary: 'A payment was paid out; sent only if enabled',
    data: PAID,
  },
};

const DESCRIPTION =
  `Sent to the merchant's webhook URL. Check the signature over the raw bytes, before you parse: lower-case hex HMAC-SHA512 of the body, keyed with the ` +
  `lower-case hex SHA-256 of your API token. Store it, return 200 within ${WEBHOOK_RETRY.respondWithinMs / 1000} s, then verify: use nothing but ` +
  'the reference. It may arrive twice, late, out of order, or never.';

export function buildWebhooks(): Record<string, unknown> {
  return Object.fromEntries(EVENTS.map((event) => [event, { post: buildWebhook(event) }]));
}

function buildWebhook(event: EventName): object {
  const { summary, data } = WORDS[event];
  const acknowledged = { description: 'Acknowledged: not sent again.' };
  return {
    operationId: `on${event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['merchant'],
    summary,
    description: DESCRIPTION,
    security: [],
    parameters: [
      {
        name: SIGNATURE_HEADER,
        in: 'header',
        required: true,
        description:
          'Proves the sender: compare it in constant time. While you rotate the token, also accept the previous one.',
        schema: { type: 'string', pattern: SIGNATURE_PATTERN.source },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/WebhookEvent' },
          examples: { [event]: { summary, value: { event, data } } },
        },
      },
    },
    responses: {
      ...Object.fromEntries(ACKNOWLEDGING_STATUSES.map((httpStatus) => [httpStatus, acknowledged])),
      default: {
        description: `Anything else, including a redirect: retried every ${WEBHOOK_RETRY.everyMs / 60_000} minutes for ${WEBHOOK_RETRY.forMs / 3_600_000} hours.`,
      },
    },
  };
}
