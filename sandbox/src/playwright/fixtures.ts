import { test as base } from '@playwright/test';
import type { Sandbox, SandboxOptions } from '../start.ts';
import { PaymentPopup } from './popup.ts';

/** What each test may ask for. */
export interface ServicePayFixtures {
  /** The worker's sandbox, emptied before this test: `servicePaySandbox.control` sets the scene. */
  servicePaySandbox: Sandbox;
  /** The popup on the test's page. */
  popup: PaymentPopup;
}

/** What each worker has. */
export interface ServicePayWorkerFixtures {
  /** How the sandbox is started: `use: { servicePaySandboxOptions: { webhookUrl: … } }`. */
  servicePaySandboxOptions: SandboxOptions;
  /**
   * The sandbox itself, for fixtures of the worker: the shop that is to talk to it. Nothing is
   * emptied.
   */
  servicePaySandboxOfWorker: Sandbox;
}

/**
 * Playwright's `test` with a sandbox of its own for each worker, and the popup. Extend it, or merge
 * it with yours by `mergeTests`.
 */
export const test = base.extend<ServicePayFixtures, ServicePayWorkerFixtures>({
  servicePaySandboxOptions: [{}, { option: true, scope: 'worker' }],
  servicePaySandboxOfWorker: [
    async ({ servicePaySandboxOptions }, use) => {
      const { startSandbox } = await import('../start.ts');
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
