/** @module @service-pay/sandbox/playwright */
export * from '../../../sandbox/src/playwright/index.ts';
