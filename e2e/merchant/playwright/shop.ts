import { test as base } from '@service-pay/sandbox/playwright';

import { type Shop, startShop } from '../shop/server.js';

/**
 * `test` with one shop per worker next to its sandbox. Each test starts with a reset, which clears
 * the webhook URL, so it is set again.
 */
export const test = base.extend<{ shop: Shop }, { shopOfWorker: Shop }>({
  shopOfWorker: [
    async ({ servicePaySandboxOfWorker }, use) => {
      const shop = await startShop({ serviceUrl: servicePaySandboxOfWorker.url });
      await use(shop);
      await shop.close();
    },
    { scope: 'worker' },
  ],
  shop: async ({ shopOfWorker, servicePaySandbox }, use) => {
    await servicePaySandbox.control.putMerchant('pub_sandbox_demo', {
      webhookUrl: shopOfWorker.webhookUrl,
    });
    await use(shopOfWorker);
  },
});
