import { test as base } from '@playwright/test';
import type { Sandbox, SandboxOptions } from '../../app/start.ts';
import { PaymentPopup } from './popup.ts';

export interface ServicePayFixtures {
  /** The worker's sandbox, reset before this test. */
  servicePaySandbox: Sandbox;
  popup: PaymentPopup;
}

export interface ServicePayWorkerFixtures {
  /** Options of the sandbox: `use: { servicePaySandboxOptions: { webhookUrl: … } }`. */
  servicePaySandboxOptions: SandboxOptions;
  /** The worker's sandbox for worker fixtures, such as the shop that calls it. It is not reset. */
  servicePaySandboxOfWorker: Sandbox;
}

/**
 * Playwright's `test` with a sandbox for each worker, and the popup. Extend it, or combine it with
 * yours by `mergeTests`.
 */
export const test = base.extend<ServicePayFixtures, ServicePayWorkerFixtures>({
  servicePaySandboxOptions: [{}, { option: true, scope: 'worker' }],
  servicePaySandboxOfWorker: [
    async ({ servicePaySandboxOptions }, use) => {
      const { startSandbox } = await import('../../app/start.ts');
      const sandbox = await startSandbox(servicePaySandboxOptions);
      await use(sandbox);
      await sandbox.close();
    },
    { scope: 'worker' },
  ],
  servicePaySandbox: async ({ servicePaySandboxOfWorker }, use) => {
    await servicePaySandboxOfWorker.control.reset();
    await use(servicePaySandboxOfWorker);
  },
  popup: async ({ page, servicePaySandbox }, use) => {
    await use(new PaymentPopup(page, { control: servicePaySandbox.control }));
  },
});
