/** The published packages, each after those it depends on. */
export const PACKAGES = ['contract', 'widget', 'server', 'sandbox'] as const;
export type PackageFolder = (typeof PACKAGES)[number];
