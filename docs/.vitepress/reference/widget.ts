// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/widget */
export * from '../../../widget/src/inline/index.ts';
