/** @module @service-pay/server/fetch */
export * from '../../../server/src/fetch/index.ts';
