import { CHECKOUT_PATHS, sessionGrantSchema } from '@service-pay/contract/checkout-api';
import { envelopeSchema } from '@service-pay/contract/envelope';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { CheckoutService } from './checkout-service.ts';

test('the service for tests responds to a new and to a returning visitor as the API does', () => {
  const body = { key: 'pub_sandbox_demo', email: 'a@b.c', reference: 'order-1', amount: '10.00' };
  const service = new CheckoutService({ now: 0, after: () => {} }, body);
  const open = (token: string | undefined) => {
    const response = service.respond({
      method: 'POST',
      path: CHECKOUT_PATHS.sessions,
      token,
      body,
    });
    const { data } = v.parse(envelopeSchema(sessionGrantSchema), response.content);
    return { status: response.status, ...data };
  };

  const first = open(undefined);
  expect(first).toMatchObject({
    status: 201,
    session: { merchant: { cardBrands: ['visa', 'mastercard'] } },
  });
  expect(open(first.token).status).toBe(200);
  expect(open(undefined).status).toBe(201);
});
