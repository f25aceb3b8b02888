// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/server/fetch */
export * from '../../../server/src/fetch/handler.ts';
