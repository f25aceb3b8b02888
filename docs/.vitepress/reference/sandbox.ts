/** @module @service-pay/sandbox */
export * from '../../../sandbox/src/app/start.ts';
