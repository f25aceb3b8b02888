// biome-ignore-all lint/style/noRestrictedImports: the reference is read from the sources
/** @module @service-pay/sandbox/playwright */
export * from '../../../sandbox/src/playwright/index.ts';
