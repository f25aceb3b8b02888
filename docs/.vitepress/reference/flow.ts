/** @module @service-pay/widget/flow */
export * from '../../../widget/src/flow/index.ts';
