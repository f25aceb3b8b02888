/** @module @service-pay/widget */
export * from '../../../widget/src/inline/index.ts';
