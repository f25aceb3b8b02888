/** @module @service-pay/server */
export * from '../../../server/src/index.ts';
