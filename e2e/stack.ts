import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { test as base, expect } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { findFreePort, startServerProgram } from '../scripts/programs/server-program.ts';
import { startShopProgram } from './lab/shop-launcher.ts';
import { MerchantSite } from './support/merchant-site.ts';
import { Purchase } from './support/purchase.ts';
import { ServiceControl } from './support/service-control.ts';
import { ShopClient } from './support/shop-client.ts';

const { BROWSER_PATH } = process.env;

/** Chromium as people have it, for what its headless shell leaves out, such as autofill. */
const WHOLE_CHROMIUM = BROWSER_PATH ? { executablePath: BROWSER_PATH } : { channel: 'chromium' };

/**
 * The programs of one worker: the service, a shop that trusts it, and a merchant's site on an
 * origin of its own.
 */
export interface Stack {
  service: ServiceControl;
  shopUrl: string;
  databaseFile: string;
  site: MerchantSite;
}

/**
 * Playwright's `test` with a running stack: `stack.service` is reset before each test, `popup`
 * drives the window, `shop` orders, `purchase` is one order and its payment on the site. `needs: 'whole browser'` starts Chromium itself in place of its
 * headless shell.
 */
export const test = base.extend<
  {
    popup: PaymentPopup;
    purchase: Purchase;
    service: ServiceControl;
    shop: ShopClient;
    site: MerchantSite;
  },
  { needs: 'headless shell' | 'whole browser'; stack: Stack }
>({
  needs: ['headless shell', { option: true, scope: 'worker' }],
  launchOptions: [
    async ({ browserName, launchOptions, needs }, use) => {
      const isWhole = browserName === 'chromium' && needs === 'whole browser';
      await use({ ...launchOptions, ...(isWhole && WHOLE_CHROMIUM) });
    },
    { scope: 'worker' },
  ],
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the first parameter's names, so it must be a pattern
    async ({}, use) => {
      const folder = await mkdtemp(
        join(process.env['TEST_DATABASE_FOLDER'] ?? tmpdir(), 'service-pay-e2e-'),
      );
      const ends = [() => rm(folder, { recursive: true })];
      try {
        const shopPort = await findFreePort();
        const shopUrl = `http://localhost:${shopPort}`;
        const databaseFile = join(folder, 'shop.db');
        const sandbox = await startServerProgram(
          'sandbox/src/cli/main.ts',
          ['--port', '0', '--webhook-url', `${shopUrl}/webhooks/service-pay`],
          { LOG_LEVEL: 'warn' },
        );
        ends.unshift(() => sandbox.stop());
        const shop = await startShopProgram(
          { databaseUrl: `file:${databaseFile}`, serviceUrl: sandbox.url },
          {
            PORT: String(shopPort),
            PUBLIC_URL: shopUrl,
          },
        );
        ends.unshift(() => shop.stop());
        const site = await MerchantSite.start(`${sandbox.url}/js/v1/inline.js`);
        ends.unshift(() => site.close());
        await use({ service: new ServiceControl(sandbox.url), shopUrl, databaseFile, site });
      } finally {
        for (const end of ends) await end();
      }
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
  purchase: async ({ page, service, shop, site }, use) => {
    await use(new Purchase(page, await shop.order(), { service, shop, site }));
  },
  popup: async ({ page }, use) => {
    await use(new PaymentPopup(page, { locale: 'en' }));
  },
});

export { expect };
