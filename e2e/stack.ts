import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { test as base, expect } from '@playwright/test';

import { MerchantSite } from './merchant-site.ts';
import { PaymentPopup } from './payment-popup.ts';
import { ServiceControl } from './service-control.ts';
import { ShopClient } from './shop-client.ts';

/** The programs of one worker: the service, a shop that trusts it, and a merchant's site on an origin of its own. */
export interface Stack {
  service: ServiceControl;
  shopUrl: string;
  databaseFile: string;
  site: MerchantSite;
}

/** Playwright's `test` with a running stack: `stack.service` is reset before each test, `popup` drives the window, `shop` orders. */
export const test = base.extend<{ popup: PaymentPopup; service: ServiceControl; shop: ShopClient; site: MerchantSite }, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the first parameter's names, so it must be a pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'service-pay-e2e-'));
      const shopPort = await freePort();
      const shopUrl = `http://localhost:${shopPort}`;
      const databaseFile = join(folder, 'shop.db');
      const sandbox = await run('sandbox/src/main.ts', ['--port', '0', '--webhook-url', `${shopUrl}/webhooks/service-pay`], {
        LOG_LEVEL: 'warn',
      });
      const shop = await run('bff-example/src/main.ts', [], {
        PORT: String(shopPort),
        PUBLIC_URL: shopUrl,
        DATABASE_URL: `file:${databaseFile}`,
        SERVICE_PAY_API_URL: sandbox.url,
        SERVICE_PAY_SCRIPT_URL: `${sandbox.url}/js/v1/inline.js`,
        SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
        SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
        SESSION_SECRET: 'end-to-end-session-secret-0123456789abcdef',
        LOG_LEVEL: 'info',
      });
      const site = await MerchantSite.start(`${sandbox.url}/js/v1/inline.js`);

      await use({ service: new ServiceControl(sandbox.url), shopUrl, databaseFile, site });

      await site.close();
      await Promise.all([stop(shop.child), stop(sandbox.child)]);
      await rm(folder, { recursive: true });
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  service: async ({ stack }, use) => {
    await stack.service.reset();
    await use(stack.service);
  },
  site: async ({ stack, service: _reset }, use) => {
    await use(stack.site);
  },
  shop: async ({ stack, service: _reset, playwright }, use) => {
    const request = await playwright.request.newContext({ baseURL: stack.shopUrl });
    await use(new ShopClient(request, stack.shopUrl, stack.databaseFile));
    await request.dispose();
  },
  popup: async ({ page }, use) => {
    await use(new PaymentPopup(page));
  },
});

export { expect };

async function run(program: string, args: string[], env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (!url) continue;
    child.stdout?.resume();
    return { child, url };
  }
  throw new Error(`${program} ended before it said where it listens.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The shop's address is told to the service before the shop starts, so its port is chosen first. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port could be had.');
  return address.port;
}
