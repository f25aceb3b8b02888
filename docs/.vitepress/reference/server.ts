// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/server */
export * from '../../../server/src/index.ts';
