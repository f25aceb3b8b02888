import { toJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, test } from 'vitest';

import * as checkoutApi from './checkout-api.ts';
import * as collection from './collection.ts';
import { errorEnvelopeSchema, metaSchema } from './envelope.ts';
import { paymentRequestSchema } from './payment-request-schema.ts';
import { webhookEventSchema } from './webhook.ts';

const SCHEMAS = {
  paymentRequest: paymentRequestSchema,
  session: checkoutApi.sessionSchema,
  sessionGrant: checkoutApi.sessionGrantSchema,
  createAttempt: checkoutApi.createAttemptSchema,
  oneTimeCode: checkoutApi.oneTimeCodeSchema,
  collection: collection.collectionSchema,
  errorEnvelope: errorEnvelopeSchema,
  meta: metaSchema,
  webhookEvent: webhookEventSchema,
};

describe('a schema of the wire', () => {
  test.each(Object.entries(SCHEMAS))('can be written down for other languages: %s', (_name, schema) => {
    expect(toJsonSchema(schema)).toHaveProperty('$schema');
  });

  test('writes down the rule of an amount', () => {
    expect(toJsonSchema(paymentRequestSchema)).toMatchObject({
      properties: { amount: { type: 'string', pattern: expect.stringContaining('[0-9]') } },
      required: ['key', 'email', 'reference', 'amount'],
    });
  });
});
