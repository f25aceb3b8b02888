/** @module @service-pay/sandbox */
export * from '../../../sandbox/src/start.ts';
