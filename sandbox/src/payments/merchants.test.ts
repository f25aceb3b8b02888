import { expect, test } from 'vitest';

import { pay, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox({ webhookUrl: 'http://localhost:9/webhooks/service-pay' });
const client = new TestClient(() => sandbox);

test('the control API changes the given settings of a merchant, keeps the others and never shows the token', async () => {
  const response = await client.control('PUT', '/merchants/pub_sandbox_demo', {
    name: 'Tea House',
    bearer: 'customer',
  });

  expect(response.json.data).toMatchObject({
    name: 'Tea House',
    bearer: 'customer',
    defaultCurrency: 'ZMW',
    webhookUrl: 'http://localhost:9/webhooks/service-pay',
  });
  expect(response.text).not.toContain('sec_sandbox_demo');
});

test("a session names the merchant's logo and card brands, and each network's dial code", async () => {
  const logo = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E';
  await client.control('PUT', '/merchants/pub_sandbox_demo', { logo, cardBrands: ['visa'] });

  const { session } = await client.visit('logo');

  expect(session.merchant).toEqual({ logo, cardBrands: ['visa'] });
  expect(session.networks[0]).toMatchObject({ operator: 'mtn', dialCode: '*000#' });
  expect((await client.visit('plain', { key: 'pub_sandbox_other' })).session.merchant).toEqual({
    cardBrands: ['visa', 'mastercard'],
  });
});

test('the session and the page name a network with trouble, until it is set again', async () => {
  const notices = async () => {
    const { session } = await client.visit('trouble', { key: 'pub_sandbox_other' });
    return session.networks.flatMap(({ operator, notice }) => (notice ? [[operator, notice]] : []));
  };
  await client.control('PUT', '/merchants/pub_sandbox_other', { networkNotices: { mtn: 'slow' } });
  expect(await notices()).toEqual([['mtn', 'slow']]);

  await client.control('PUT', '/merchants/pub_sandbox_other', { networkNotices: {} });
  expect(await notices()).toEqual([]);
});

test('a new merchant requires a token of its own', async () => {
  expect(await client.control('PUT', '/merchants/pub_new', { name: 'New' })).toMatchObject(
    rejected(400, '01'),
  );
  expect(
    await client.control('PUT', '/merchants/pub_new', { apiToken: 'sec_sandbox_demo' }),
  ).toMatchObject(rejected(400, '01'));
  expect(
    (await client.control('PUT', '/merchants/pub_new', { apiToken: 'sec_of_the_new' })).status,
  ).toBe(200);

  expect((await client.merchant('/collections', 'sec_of_the_new')).status).toBe(200);
  expect((await client.openSession('new', { key: 'pub_new' })).status).toBe(201);
});

test.each([
  { webhookUrl: '' },
  { webhookUrl: 'file:///etc/passwd' },
  { webhookUrl: 'http://user:pw@localhost/' },
  { webhookUrl: 'http://169.254.169.254/latest' },
  { webhookUrl: 'https://shop.example/hook' },
  { allowedOrigins: ['https://shop.example/path'] },
  { allowedOrigins: ['https://shop.example; script-src *'] },
  { allowedOrigins: ['https://shop.example;sandbox'] },
  { allowedOrigins: ['https://*.shop.example'] },
  { allowedOrigins: ['null'] },
  { channels: [] },
  { logo: 'https://shop.example/logo.png' },
  { logo: 'data:text/html,<script>alert(1)</script>' },
  { logo: `data:image/png;base64,${'A'.repeat(8 * 1024)}` },
  { cardBrands: [] },
  { cardBrands: ['diamond'] },
  { networkNotices: { mtn: 'tired' } },
  { networkNotices: { vodafone: 'slow' } },
  { bearer: 'bank' },
  { events: ['collection.lost'] },
  { defaultCurrency: 'zmw' },
  { name: '' },
  { apiToken: 'two words' },
])('the settings %j of a merchant are rejected with 400·01 (T57)', async (settings) => {
  expect(await client.control('PUT', '/merchants/pub_sandbox_demo', settings)).toMatchObject(
    rejected(400, '01'),
  );
});

test('a rejection names the first twenty of a thousand problems', async () => {
  const response = await client.control('PUT', '/merchants/pub_sandbox_demo', {
    events: Array(1_000).fill('none'),
  });

  expect(response.json.message).toMatch(
    /^events\.0 .* events\.19 .*There are 980 more problems\.$/,
  );
});

test('a secret is rejected as a public key', async () => {
  expect(
    await client.control('PUT', '/merchants/sec_oops', { apiToken: 'sec_of_the_new' }),
  ).toMatchObject(rejected(400, '01'));
});

test('a reset restores the merchants as at start, webhook URL included', async () => {
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    apiToken: 'sec_renewed_token',
    webhookUrl: null,
  });
  await sandbox.control.putMerchant('pub_new', { apiToken: 'sec_of_the_new' });

  await sandbox.control.reset();

  expect((await client.merchant('/collections')).status).toBe(200);
  expect((await client.merchant('/collections', 'sec_of_the_new')).status).toBe(401);
  expect((await sandbox.control.putMerchant('pub_sandbox_demo', {})).webhookUrl).toBe(
    'http://localhost:9/webhooks/service-pay',
  );
});

test('a reset restarts every count and keeps the payout account', async () => {
  const run = async () => {
    await sandbox.control.setClock({ mode: 'virtual', now: '2090-01-01T00:00:00.000Z' });
    await client.attempt(await client.visit('again'), pay.phone('0971111111', 'airtel'));
    await sandbox.control.advance(5);
    const { serviceReference, settlement, mobileMoneyDetails } = await client.collection('again');
    return {
      serviceReference,
      accountId: settlement.accountId,
      operatorTransactionId: mobileMoneyDetails.operatorTransactionId,
    };
  };

  const first = await run();
  await sandbox.control.reset();

  expect(await run()).toEqual(first);
});
