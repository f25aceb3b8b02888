import { expect, test } from 'vitest';

import { rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox({ webhookUrl: 'http://localhost:9/webhooks/service-pay' });
const client = new TestClient(() => sandbox);

test('placing a collection requires only the reference; the other fields have the documented defaults', async () => {
  const response = await client.control('POST', '/collections', { reference: 'placed' });

  expect(response.status).toBe(201);
  expect(response.json.data).toMatchObject({
    reference: 'placed',
    amount: '10.00',
    fee: '0.25',
    currency: 'ZMW',
    status: 'successful',
    type: 'mobile-money',
    bearer: 'merchant',
    source: 'api',
    completedAt: expect.any(String),
    settlementStatus: 'settled',
    settlement: {
      amountSettled: '9.75',
      status: 'settled',
      type: 'instant',
      settledAt: expect.any(String),
    },
    mobileMoneyDetails: {
      country: 'zm',
      phone: '0971111111',
      operator: 'airtel',
      accountName: 'TEST PAYER',
      operatorTransactionId: expect.any(String),
    },
    cardDetails: null,
  });
  expect((await client.merchant('/collections/status/placed')).json.data).toEqual(
    response.json.data,
  );
  expect(await sandbox.control.webhooks()).toEqual([]);
});

test('a placed collection keeps the given fields: card, other states, unknown words, partial details', async () => {
  const card = await sandbox.control.putCollection({
    reference: 'card',
    type: 'card',
    amount: '20.5',
    bearer: 'customer',
  });
  const pending = await sandbox.control.putCollection({ reference: 'pending', status: 'pending' });
  const failed = await sandbox.control.putCollection({
    reference: 'failed',
    status: 'failed',
    reasonForFailure: 'Incorrect Pin',
  });
  const odd = await sandbox.control.putCollection({
    reference: 'odd',
    status: 'refunded',
    mobileMoneyDetails: { operator: 'mtn' },
  });

  expect(card).toMatchObject({
    amount: '20.50',
    mobileMoneyDetails: null,
    cardDetails: { last4: '4242' },
    settlement: { amountSettled: '20.50' },
  });
  expect(pending).toMatchObject({
    completedAt: null,
    fee: null,
    settlement: null,
    settlementStatus: null,
  });
  expect(failed).toMatchObject({
    status: 'failed',
    reasonForFailure: 'Incorrect Pin',
    settlement: null,
  });
  expect(odd).toMatchObject({
    status: 'refunded',
    mobileMoneyDetails: { operator: 'mtn', country: 'zm' },
  });
});

test('placing a collection rejects a used reference or id with 400·04, an invalid one with 400·01 and an unknown merchant with 404·11', async () => {
  const { id } = await sandbox.control.putCollection({ reference: 'taken' });

  expect(await client.control('POST', '/collections', { reference: 'taken' })).toMatchObject(
    rejected(400, '04'),
  );
  expect(await client.control('POST', '/collections', { reference: 'other', id })).toMatchObject(
    rejected(400, '04'),
  );
  expect(await client.control('POST', '/collections', { reference: '..' })).toMatchObject(
    rejected(400, '01'),
  );
  expect(await client.control('POST', '/collections', {})).toMatchObject(rejected(400, '01'));
  expect(
    await client.control('POST', '/collections', { reference: 'other', merchant: 'pub_nobody' }),
  ).toMatchObject(rejected(404, '11'));
  expect(
    (
      await client.control('POST', '/collections', {
        reference: 'taken',
        merchant: 'pub_sandbox_other',
      })
    ).status,
  ).toBe(201);
});

test.each([{ currency: 'QQQ' }, { currency: 'JPY', amount: '10.75' }])(
  'placing a collection rejects %j as the checkout API does: 400·01 (D48)',
  async (placed) => {
    expect(
      await client.control('POST', '/collections', { reference: 'd48', ...placed }),
    ).toMatchObject(rejected(400, '01'));
  },
);

test('a collection is placed with a whole amount in a currency without decimals, with a whole fee (D48)', async () => {
  expect(
    await sandbox.control.putCollection({ reference: 'yen', currency: 'JPY', amount: '1030' }),
  ).toMatchObject({ amount: '1030.00', fee: '26.00', settlement: { amountSettled: '1004.00' } });
});

test('the popup treats a placed success as paid (D18) and anything else as over (D19)', async () => {
  await sandbox.control.putCollection({ reference: 'paid' });
  await sandbox.control.putCollection({ reference: 'failed', status: 'failed' });

  expect((await client.visit('paid')).session).toMatchObject({ status: 'successful' });
  expect(await client.openSession('failed')).toMatchObject(rejected(400, '04'));
});

test.each(['pending', 'otp-required', 'refunded'])(
  'placing a collection rejects notify for a status without an event: %s',
  async (status) => {
    await expect(
      sandbox.control.putCollection({ reference: `not-notified-${status}`, status, notify: true }),
    ).rejects.toMatchObject({
      httpStatus: 400,
      errorCode: '01',
    });

    expect(await sandbox.control.collections({ search: `not-notified-${status}` })).toMatchObject({
      rows: [],
    });
  },
);

test('a collection placed with notify sends its event', async () => {
  await sandbox.control.putCollection({ reference: 'notified', notify: true });

  expect(await sandbox.control.webhooks()).toMatchObject([
    { event: 'collection.successful', reference: 'notified' },
  ]);
});
