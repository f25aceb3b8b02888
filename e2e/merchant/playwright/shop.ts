import { test as base } from '@service-pay/sandbox/playwright';

import { type Shop, startShop } from '../shop/server.js';

/**
 * `test` with a shop of each worker beside its sandbox. The sandbox is emptied before each test,
 * and then told where webhooks go.
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
