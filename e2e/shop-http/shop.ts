import { request } from 'node:http';
import { type Config, parseConfig } from '@service-pay/bff-example/config';
import { type Shop, type ShopParts, startShop } from '@service-pay/bff-example/server';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { buildLog } from '@service-pay/server/log';
import {
  type ManualClock,
  makeDatabaseUrl,
  readRows,
  signedWebhook,
  type TestHooks,
  TOKEN,
  testHooks,
} from '@service-pay/server/testing';
import { expect, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../lab/patience.ts';
import { writeRows } from '../lab/rows.ts';
import * as testGoods from './goods.ts';

/** Posts a signed webhook, and returns the status of the response. */
export async function postWebhook(
  { url }: { url: string },
  reference: string,
  event = 'collection.successful',
): Promise<number> {
  const { body, headers } = signedWebhook(event, { reference });
  return (await new TestBrowser(url).post('/webhooks/service-pay', body, headers)).status;
}

export interface ReceivedResponse {
  status: number;
  headers: Headers;
  text: string;
  json: any;
}

/** Sends a request as it is written: a client would correct it. */
export function sendRaw(
  url: string,
  path: string,
  options: { method?: string; headers?: string[]; body?: string } = {},
): Promise<ReceivedResponse> {
  const { method = 'GET', headers = [], body } = options;
  return new Promise((resolve, reject) => {
    const { host, hostname, port } = new URL(url);
    const sent = request(
      { hostname, port, path, method, headers: ['Host', host, 'Connection', 'close', ...headers] },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: res.statusCode ?? 0,
            headers: new Headers(res.headers as Record<string, string>),
            text,
            json: parse(text),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

export class TestBrowser {
  readonly #url: string;
  cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<ReceivedResponse> {
    return this.send('GET', path, undefined, headers);
  }

  async post(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ReceivedResponse> {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const content = body === undefined || isText ? body : JSON.stringify(body);
    return this.send('POST', path, content, {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    });
  }

  async send(
    method: string,
    path: string,
    body: string | Uint8Array | undefined,
    headers: Record<string, string>,
  ): Promise<ReceivedResponse> {
    const response = await this.open(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  async open(
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: { ...(this.cookie && { cookie: this.cookie }), ...headers },
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
    });
    const [set] = response.headers.getSetCookie();
    if (set) this.cookie = set.split(';', 1)[0]!;
    return response;
  }

  async order(): Promise<string> {
    const { json } = await this.post('/api/orders', ONE_HONEY);
    return json.data.reference;
  }

  async verify(reference: string): Promise<ReceivedResponse> {
    return this.post(`/api/payments/${reference}/verify`);
  }
}

export const ONE_HONEY = {
  items: [{ sku: 'honey-500', quantity: 1 }],
  customer: { email: 'mary@example.com' },
};

/** What a test replaces of a shop. */
export interface TestParts extends ShopParts {
  hooks?: Partial<TestHooks>;
}

export interface TestShop {
  url: string;
  config: Config;
  lines: string[];
  browser(): TestBrowser;
  rows<Row = Record<string, unknown>>(statement: string, ...parameters: unknown[]): Promise<Row[]>;
  stateOf(reference: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Starts a shop of the service at `apiUrl`. Uses and keeps the database of `DATABASE_URL` if that
 * is set.
 */
export async function startTestShop(
  apiUrl: string,
  { hooks, ...parts }: TestParts = {},
  environment: Record<string, string> = {},
  kind: 'sqlite' | 'postgres' = 'sqlite',
): Promise<TestShop> {
  const database = environment.DATABASE_URL ? undefined : await makeDatabaseUrl(kind);
  const config = parseConfig({
    PORT: '0',
    ...(database && { DATABASE_URL: database.url }),
    SERVICE_PAY_API_URL: apiUrl,
    SERVICE_PAY_SCRIPT_URL: `${apiUrl}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: TOKEN,
    SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
    LOG_LEVEL: 'debug',
    ...environment,
  });
  const lines: string[] = [];
  const log = buildLog(config, { write: (line) => void lines.push(line) });
  const { readCatalogue, fulfil } = testGoods;
  const shop: Shop = await startShop(
    { ...config, ...testHooks({ ...PATIENT_DATABASE, ...hooks }) },
    { log, readCatalogue, fulfil, ...parts },
  );
  const rows = <Row>(statement: string, ...parameters: unknown[]) =>
    readRows<Row>(config.databaseUrl, statement, parameters);
  return {
    url: shop.url,
    config,
    lines,
    rows,
    browser: () => new TestBrowser(shop.url),
    async stateOf(reference) {
      return (
        await rows<{ state: string }>(
          'select state from service_pay_payments where reference = ?',
          reference,
        )
      )[0]?.state;
    },
    async close() {
      await shop.close();
      await database?.drop();
    },
  };
}

export async function startShopWithSandbox(
  parts: TestParts = {},
): Promise<{ shop: TestShop; sandbox: Sandbox; close(): Promise<void> }> {
  const sandbox = await startSandbox();
  const shop = await startTestShop(sandbox.url, parts);
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    webhookUrl: `${shop.url}/webhooks/service-pay`,
  });
  return {
    shop,
    sandbox,
    async close() {
      await shop.close();
      await sandbox.close();
    },
  };
}

export async function letMinutesPass(
  minutes: number,
  on: { shop: TestShop; clock: ManualClock; calls: readonly string[] },
): Promise<void> {
  const open = await on.shop.rows<{ reference: string }>(
    "select reference from service_pay_payments where state = 'awaiting-payment'",
  );
  await on.clock.advance(2_000); // until then a look would share a response from before the jump
  const before = on.calls.length;
  await on.clock.jump(minutes * 60_000);
  const verified = () => on.calls.slice(before).map((path) => path.split('/').at(-1));
  await vi.waitFor(
    async () => {
      await on.clock.jump(1_000); // a look that was under way at the jump plans its next after it
      expect(verified()).toEqual(expect.arrayContaining(open.map(({ reference }) => reference)));
    },
    { ...PATIENT, interval: 100 },
  );
  await on.clock.jump(2_000);
}

export async function putState(
  { config }: TestShop,
  reference: string,
  state: string,
): Promise<void> {
  await writeRows(
    config.databaseUrl,
    `update service_pay_payments set state = '${state}' where reference = '${reference}'`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
