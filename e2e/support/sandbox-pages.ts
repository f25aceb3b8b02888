import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect, type Locator, type Page } from '@playwright/test';
import type { Session } from '@service-pay/contract/checkout-api';
import type { Sandbox } from '@service-pay/sandbox';
import { test as base } from '@service-pay/sandbox/playwright';

export interface Customer {
  /** Returns the address of the bank's page, if the bank asks. */
  byCard(number: string): Promise<string | null>;
  byPhone(phone: string, operator?: string): Promise<void>;
  enterCode(code: string): Promise<void>;
}

export interface Received {
  url: string;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  response: { status: number; body: string };
}

interface Fixtures {
  customer: (reference: string, request?: object) => Promise<Customer>;
  receiver: Receiver;
  /**
   * Messages on the page's console; there must be none. Empty it if a test makes the browser
   * complain of the network.
   */
  said: string[];
}

/**
 * Playwright's `test` for the sandbox's own pages. Each page is silent: no error, no message, no
 * violation of its policy (T56).
 */
export const test = base.extend<Fixtures>({
  said: [
    async ({ page }, use) => {
      const said: string[] = [];
      page.on('console', (message) => said.push(message.text()));
      page.on('pageerror', (error) => said.push(error.message));
      await use(said);
      expect(said).toEqual([]);
    },
    { auto: true },
  ],
  customer: async ({ servicePaySandbox: { url } }, use) => {
    await use((reference, request = {}) => openPayment(url, reference, request));
  },
  receiver: async ({ servicePaySandbox: _started }, use) => {
    const receiver: Receiver = {
      url: '',
      received: [],
      response: { status: 200, body: '{"received":true}' },
    };
    const server = createServer(async (req: IncomingMessage, res) => {
      receiver.received.push({ url: req.url ?? '', body: await text(req) });
      res
        .writeHead(receiver.response.status, { 'content-type': 'application/json' })
        .end(receiver.response.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    await use(receiver);
    server.close();
    server.closeAllConnections();
  },
});

export { expectAccessible } from './expect-accessible.ts';
export { expect };

export async function openDashboard(
  page: Page,
  { url }: Pick<Sandbox, 'url'>,
  rest = '',
): Promise<void> {
  await page.goto(`${url}/dashboard${rest}`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
}

export async function openDialog(page: Page, button: string, name = button): Promise<Locator> {
  await page
    .getByRole('region', { name: 'Controls' })
    .getByRole('button', { name: button })
    .click();
  return page.getByRole('dialog', { name });
}

/** The dashboard's notice, wherever it is shown. */
export function notice(page: Page): Locator {
  return page.locator('.notice:not(:empty)');
}

export async function expectNoSideways(page: Page): Promise<void> {
  expect(
    await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ),
  ).toBe(0);
}

/** Gets from the control API something its client has no method for. */
export async function look<Data>({ url }: Pick<Sandbox, 'url'>, path: string): Promise<Data> {
  const json = (await (await fetch(`${url}/_sandbox${path}`)).json()) as { data: Data };
  return json.data;
}

async function openPayment(url: string, reference: string, request: object): Promise<Customer> {
  const { data } = await post(`${url}/checkout/v1/sessions`, {
    key: 'pub_sandbox_demo',
    email: 'ada@shop.example',
    reference,
    amount: '149.50',
    ...request,
  });
  const authorization = { authorization: `Bearer ${(data as { token: string }).token}` };
  const attempts = `${url}/checkout/v1/sessions/current/attempts`;
  let id = '';
  const send = async (attempt: object) => {
    id = randomUUID();
    const { data } = await post(attempts, { id, ...attempt }, authorization);
    return (data as Session).attempt?.challengeUrl ?? null;
  };
  return {
    byCard: (number) =>
      send({
        channel: 'card',
        card: { number, expiry: '12/34', securityCode: '737', name: 'Ada Test' },
      }),
    byPhone: async (phone, operator = 'mtn') =>
      void (await send({ channel: 'mobile-money', mobileMoney: { operator, phone } })),
    enterCode: async (code) =>
      void (await post(`${attempts}/${id}/one-time-code`, { code }, authorization)),
  };
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ data: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as { data: unknown; message: string };
  if (!response.ok) throw new Error(`${url}: ${response.status} ${json.message}`);
  return json;
}
