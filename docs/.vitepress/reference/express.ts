// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/server/express */
export * from '../../../server/src/express/index.ts';
