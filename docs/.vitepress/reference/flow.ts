// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/widget/flow */
export * from '../../../widget/src/flow/index.ts';
