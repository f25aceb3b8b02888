import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { buildLog } from '@service-pay/server/observe/log';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readCatalogue } from './catalogue.ts';
import { parseConfig } from './config.ts';
import { type Shop, startShop } from './server.ts';

// These tests hold for every shop, whatever it sells and however it hands that over. Keep them, and
// add your own below.

const API_TOKEN = 'sec_sandbox_demo';
const [ITEM] = await readCatalogue();
/** The longest wait on a busy machine; on an idle one it is a moment. */
const PATIENT = { timeout: 20_000 };

const folder = mkdtempSync(join(tmpdir(), 'shop-'));
let sandbox: Sandbox;
let shop: Shop;
/** References of the orders that were handed over, each as often as that happened. */
const handedOver: string[] = [];

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
  const log = buildLog({ ...config, logLevel: 'silent' });
  const fulfil = async ({ reference }: { reference: string }) => {
    handedOver.push(reference);
  };
  shop = await startShop(config, { fulfil, log });
  const webhookUrl = `${shop.url}/webhooks/service-pay`;
  await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl });
});
beforeEach(() => {
  handedOver.length = 0;
});
afterAll(async () => {
  await shop.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

test('an order that is paid is handed over once, told of by page and webhook', async () => {
  const browser = new Browser();
  const { reference, amount } = await browser.order();
  await sandbox.control.putCollection({ reference, amount });

  const verified = await browser.post(`/api/payments/${reference}/verify`);

  expect(verified.json.data).toMatchObject({ reference, status: 'successful', amount });
  await vi.waitFor(() => expect(handedOver).toEqual([reference]), PATIENT);
  expect(await sendWebhook(reference)).toBe(200);
  expect(await sendWebhook(reference)).toBe(200);
  await browser.post(`/api/payments/${reference}/verify`);
  expect(handedOver).toEqual([reference]);
});

test('a webhook is enough where the page never comes back', async () => {
  const { reference, amount } = await new Browser().order();
  await sandbox.control.putCollection({ reference, amount });

  expect(await sendWebhook(reference)).toBe(200);

  await vi.waitFor(() => expect(handedOver).toEqual([reference]), PATIENT);
});

test('a webhook with a wrong signature is refused, and changes nothing', async () => {
  const browser = new Browser();
  const { reference } = await browser.order();

  expect(await sendWebhook(reference, 'sec_of_somebody_else')).toBe(401);

  const { json } = await browser.post(`/api/payments/${reference}/verify`);
  expect(json.data.status).toBe('pending');
  expect(handedOver).toEqual([]);
});

test('a payment of another amount is for a person to look at', async () => {
  const browser = new Browser();
  const { reference } = await browser.order();
  await sandbox.control.putCollection({ reference, amount: '1.00' });

  const { json } = await browser.post(`/api/payments/${reference}/verify`);

  expect(json.data).toMatchObject({ status: 'pending', isInReview: true });
  expect(handedOver).toEqual([]);
});

test('another browser learns nothing of an order', async () => {
  const { reference } = await new Browser().order();
  const stranger = new Browser();

  const ofAnother = await stranger.post(`/api/payments/${reference}/verify`);
  const ofNobody = await stranger.post('/api/payments/no-such-order/verify');

  expect(ofAnother.status).toBe(404);
  expect(ofAnother.json).toEqual(ofNobody.json);
});

test('an order whose payment failed can be paid again, and is handed over once', async () => {
  const browser = new Browser();
  const { reference, amount } = await browser.order();
  await sandbox.control.putCollection({ reference, amount, status: 'failed' });

  const again = await browser.post(`/api/payments/${reference}/retry`);
  const second = again.json.data.reference as string;
  await sandbox.control.putCollection({ reference: second, amount });
  const verified = await browser.post(`/api/payments/${reference}/verify`);
  const refused = await browser.post(`/api/payments/${reference}/retry`);

  expect(again.status).toBe(201);
  expect(verified.json.data).toMatchObject({ reference: second, status: 'successful' });
  expect(refused).toMatchObject({ status: 400, json: { errorCode: '04' } });
  await vi.waitFor(() => expect(handedOver).toEqual([second]), PATIENT);
});

/** A browser as far as the shop sees one: it keeps its cookie. */
class Browser {
  #cookie = '';

  /** Orders the first item of the catalogue. */
  async order(): Promise<{ reference: string; amount: string }> {
    const items = [{ sku: ITEM!.sku, quantity: 1 }];
    const { json } = await this.post('/api/orders', {
      items,
      customer: { email: 'a@example.com' },
    });
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

/** Tells the shop of a payment as the service does, and gives the status it is answered with. */
async function sendWebhook(reference: string, token = API_TOKEN): Promise<number> {
  const body = JSON.stringify({ event: 'collection.successful', data: { reference } });
  const key = createHash('sha256').update(token).digest('hex');
  const signature = createHmac('sha512', key).update(body).digest('hex');
  const response = await fetch(`${shop.url}/webhooks/service-pay`, {
    method: 'POST',
    headers: { 'x-servicepay-signature': signature },
    body,
  });
  return response.status;
}
