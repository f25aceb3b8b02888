// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/sandbox */
export * from '../../../sandbox/src/start.ts';
