/** @module @service-pay/sandbox/playwright */
export * from '../../../sandbox/src/testing/playwright/index.ts';
