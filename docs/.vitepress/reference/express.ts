/** @module @service-pay/server/express */
export * from '../../../server/src/express/index.ts';
