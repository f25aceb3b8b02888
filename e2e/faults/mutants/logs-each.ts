import type { buildThrottle as sound } from '@service-pay/server/internal/support/clock';

export const insteadOf = '@service-pay/server/internal/support/clock';
export * from '@service-pay/server/internal/support/clock';

/** Holds no repeated log line back. */
export const buildThrottle: typeof sound = () => () => true;
