import { randomUUID } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';

/** A fixed time, so that two runs take the same pictures. */
const NOW = '2040-03-12T07:06:11.562Z';

/** An address where nothing listens, so that each delivery fails at once. */
const NOWHERE = 'http://localhost:9/webhooks';

/**
 * One state of the dashboard or a phone: `set` makes it in a fresh sandbox, `open` shows it in the
 * page. It is ready once `drawn` is visible.
 */
interface Scene {
  name: string;
  path: string;
  drawn: string;
  set?: (sandbox: Sandbox) => Promise<unknown>;
  open?: (page: Page) => Promise<unknown>;
}

const SCENES: readonly Scene[] = [
  { name: 'dashboard-empty', path: '/dashboard', drawn: 'text=No collection yet.' },
  { name: 'dashboard-many', path: '/dashboard', drawn: 'text=1–50 of 60', set: placeMany },
  {
    name: 'dashboard-story',
    path: '/dashboard#/pub_sandbox_demo/order-1',
    drawn: '.delivery',
    set: declineThenPay,
  },
  {
    name: 'dashboard-faults',
    path: '/dashboard',
    drawn: '#armed-faults:not([hidden])',
    set: ({ control }) =>
      control.setFaults({
        merchantApi: { kind: 'status', rate: 0.5, status: 503 },
        webhooks: { drop: 0.25 },
      }),
    open: async (page) => {
      await page.getByRole('button', { name: 'Faults' }).click();
      await page.locator('label:not([hidden]) > [name="merchantApi.status"]').waitFor();
    },
  },
  { name: 'phone-empty', path: '/phone/0960000000', drawn: 'text=Nothing to approve' },
  {
    name: 'phone-prompt',
    path: '/phone/0960000000',
    drawn: 'text=3:00 left',
    set: (sandbox) => pay(sandbox, 'order-1', { operator: 'mtn', phone: '0960000000' }),
  },
  {
    name: 'phone-code',
    path: '/phone/0969999999',
    drawn: 'text=000000',
    set: (sandbox) => pay(sandbox, 'order-1', { operator: 'mtn', phone: '0969999999' }),
  },
];

/**
 * Shows each state of the sandbox's own pages and takes a picture of it, with parts that differ
 * from run to run covered.
 */
export async function takeSandboxPictures(
  page: Page,
  take: (name: string, mask: Locator[]) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox();
  try {
    for (const { name, path, drawn, set, open } of SCENES) {
      await sandbox.control.reset();
      await sandbox.control.setClock({ mode: 'virtual', now: NOW });
      await set?.(sandbox);
      await page.goto('about:blank');
      await page.goto(sandbox.url + path);
      await page.locator(drawn).first().waitFor();
      await page.locator('time:text-matches("^2040|^07:0")').first().waitFor();
      await open?.(page);
      await take(name, [
        page.locator('.exchange, .command code'),
        page.locator('.facts dd').filter({ hasText: /^[0-9a-f-]{36}$/ }),
      ]);
    }
  } finally {
    await sandbox.close();
  }
}

async function placeMany({ control }: Sandbox): Promise<void> {
  for (let number = 1; number <= 60; number++) {
    await control.putCollection({
      reference: `order-${number}`,
      amount: `${number * 7}.50`,
      status: ['successful', 'failed', 'pending', 'successful'][number % 4]!,
      type: number % 3 ? 'mobile-money' : 'card',
      ...(number % 4 === 1 && { reasonForFailure: 'Not enough funds' }),
    });
  }
}

async function declineThenPay(sandbox: Sandbox): Promise<void> {
  await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: NOWHERE });
  await pay(sandbox, 'order-1', {
    number: '4000000000000002',
    expiry: '12/50',
    securityCode: '123',
    name: 'Ada Test',
  });
  await pay(sandbox, 'order-1', { operator: 'mtn', phone: '0961111111' });
  await sandbox.control.advance(60);
}

async function pay(
  { url }: Sandbox,
  reference: string,
  instrument: { number: string; [more: string]: string } | { phone: string; operator: string },
): Promise<void> {
  const order = { key: 'pub_sandbox_demo', email: 'ada@shop.example', reference, amount: '149.50' };
  const { token } = await post(`${url}/checkout/v1/sessions`, order, {});
  const attempt =
    'phone' in instrument
      ? { channel: 'mobile-money', mobileMoney: instrument }
      : { channel: 'card', card: instrument };
  await post(
    `${url}/checkout/v1/sessions/current/attempts`,
    { id: randomUUID(), ...attempt },
    { authorization: `Bearer ${token}` },
  );
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ token: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as { data: { token: string }; message: string };
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${json.message}`);
  return json.data;
}
