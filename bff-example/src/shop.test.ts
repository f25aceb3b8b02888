import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { signWebhook } from '@service-pay/server';
import { buildLog } from '@service-pay/server/log';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readCatalogue } from './catalogue.ts';
import { parseConfig } from './config.ts';
import { orderFields } from './order-fields.ts';
import type { Cart } from './orders.ts';
import { type Shop, startShop } from './server.ts';

// These tests hold for every shop, whatever it sells, asks its customers and does in `fulfil`. Keep them, and add
// your own below.

const API_TOKEN = 'sec_sandbox_demo';
const [ITEM] = await readCatalogue();
const CUSTOMER = fillIn();
const PATIENT = { timeout: 20_000 };

interface Fulfilled {
  reference: string;
  data: Cart;
}

const folder = mkdtempSync(join(tmpdir(), 'shop-'));
let sandbox: Sandbox;
let shop: Shop;
const fulfilled: Fulfilled[] = [];
const references = () => fulfilled.map(({ reference }) => reference);

beforeAll(async () => {
  sandbox = await startSandbox();
  const config = parseConfig({
    PORT: '0',
    DATABASE_URL: `file:${join(folder, 'shop.db')}`,
    SERVICE_PAY_API_URL: sandbox.url,
    SERVICE_PAY_SCRIPT_URL: `${sandbox.url}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: API_TOKEN,
    SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
  });
  const log = buildLog({ ...config, logLevel: 'error' });
  const fulfil = async (order: Fulfilled) => void fulfilled.push(order);
  shop = await startShop(config, { fulfil, log });
  const webhookUrl = `${shop.url}/webhooks/service-pay`;
  await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl });
});
beforeEach(() => {
  fulfilled.length = 0;
});
afterAll(async () => {
  await shop.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

test('an order is paid, confirmed by page and webhook, and fulfilled once', async () => {
  const browser = new Browser();
  const { reference, amount, currency } = await browser.order();
  await sandbox.control.putCollection({ reference, amount, currency, notify: true });

  const verified = await browser.post(`/api/payments/${reference}/verify`);

  expect(verified.json.data).toMatchObject({ reference, status: 'successful', amount });
  await vi.waitFor(() => expect(references()).toEqual([reference]), PATIENT);
  expect(await postWebhook(reference)).toBe(200);
  expect(await postWebhook(reference)).toBe(200);
  await browser.post(`/api/payments/${reference}/verify`);
  expect(references()).toEqual([reference]);
});

test('the webhook is enough to fulfil an order if the page never comes back', async () => {
  const { reference, amount, currency } = await new Browser().order();

  await sandbox.control.putCollection({ reference, amount, currency, notify: true });

  await vi.waitFor(() => expect(references()).toEqual([reference]), PATIENT);
});

test('fulfil gets the fields of the order, and the popup only the options it accepts', async () => {
  const { reference, amount, currency, ...options } = await new Browser().order();
  await sandbox.control.putCollection({ reference, amount, currency, notify: true });

  await vi.waitFor(() => expect(fulfilled[0]?.data.customer).toEqual(CUSTOMER), PATIENT);
  expect(['key', 'email', 'label', 'customer']).toEqual(
    expect.arrayContaining(Object.keys(options)),
  );
  expect(['firstName', 'lastName', 'phone']).toEqual(
    expect.arrayContaining(Object.keys(options.customer ?? {})),
  );
});

test('a field that the order does not have is rejected by its name', async () => {
  const { status, json } = await new Browser().post('/api/orders', {
    items: [{ sku: ITEM!.sku, quantity: 1 }],
    customer: { ...CUSTOMER, notAField: 'something' },
  });

  expect(status).toBe(400);
  expect(json.data.problems).toMatchObject([{ path: 'customer.notAField' }]);
});

test('a webhook with a wrong signature is rejected and changes nothing', async () => {
  const browser = new Browser();
  const { reference } = await browser.order();

  expect(await postWebhook(reference, 'sec_of_somebody_else')).toBe(401);

  const { json } = await browser.post(`/api/payments/${reference}/verify`);
  expect(json.data.status).toBe('pending');
  expect(references()).toEqual([]);
});

test('a payment of another amount waits for a person', async () => {
  const browser = new Browser();
  const { reference, amount, currency } = await browser.order();
  await sandbox.control.putCollection({ reference, amount: `1${amount}`, currency });

  const { json } = await browser.post(`/api/payments/${reference}/verify`);

  expect(json.data).toMatchObject({ status: 'pending', isInReview: true });
  expect(references()).toEqual([]);
});

test('another browser learns nothing of an order', async () => {
  const { reference } = await new Browser().order();
  const stranger = new Browser();

  const ofAnother = await stranger.post(`/api/payments/${reference}/verify`);
  const ofNobody = await stranger.post('/api/payments/no-such-order/verify');

  expect(ofAnother.status).toBe(404);
  expect(ofAnother.json).toEqual(ofNobody.json);
});

test('an order whose payment failed can be paid again, and is fulfilled once', async () => {
  const browser = new Browser();
  const { reference, amount, currency } = await browser.order();
  await sandbox.control.putCollection({ reference, amount, currency, status: 'failed' });

  const again = await browser.post(`/api/payments/${reference}/retry`);
  const second = again.json.data.reference as string;
  await sandbox.control.putCollection({ reference: second, amount, currency });
  const verified = await browser.post(`/api/payments/${reference}/verify`);
  const rejected = await browser.post(`/api/payments/${reference}/retry`);

  expect(again.status).toBe(201);
  expect(verified.json.data).toMatchObject({ reference: second, status: 'successful' });
  expect(rejected).toMatchObject({ status: 400, json: { errorCode: '04' } });
  await vi.waitFor(() => expect(references()).toEqual([second]), PATIENT);
});

class Browser {
  #cookie = '';

  async order(): Promise<{
    reference: string;
    amount: string;
    currency: string;
    customer?: object;
  }> {
    const items = [{ sku: ITEM!.sku, quantity: 1 }];
    const { status, json } = await this.post('/api/orders', { items, customer: CUSTOMER });
    expect(status, json.message).toBe(201);
    return json.data;
  }

  async post(path: string, body?: object): Promise<{ status: number; json: any }> {
    const response = await fetch(shop.url + path, {
      method: 'POST',
      headers: { cookie: this.#cookie, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    this.#cookie ||= response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    return { status: response.status, json: await response.json() };
  }
}

/**
 * Fills in each field that `order-fields.ts` requires, with the first of these that it accepts. Add
 * what a field of yours accepts if it is none of them.
 */
function fillIn(): object {
  const values = ['mary@example.com', '0961111111', 'Lusaka', '10101', '2030-01-31', 1, true];
  const required = Object.entries(orderFields.entries).filter(
    ([, field]) => !v.is(field, undefined),
  );
  return Object.fromEntries(
    required.map(([name, field]) => {
      const found = values.find((value) => v.is(field, value));
      if (found === undefined) throw new Error(`Add to values a value that ${name} accepts.`);
      return [name, found];
    }),
  );
}

async function postWebhook(reference: string, token = API_TOKEN): Promise<number> {
  const body = JSON.stringify({ event: 'collection.successful', data: { reference } });
  const response = await fetch(`${shop.url}/webhooks/service-pay`, {
    method: 'POST',
    headers: { 'x-servicepay-signature': signWebhook(body, token) },
    body,
  });
  return response.status;
}
