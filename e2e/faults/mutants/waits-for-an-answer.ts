import * as sound from '@service-pay/server/internal/service/client';

export const insteadOf = '@service-pay/server/internal/service/client';
export * from '@service-pay/server/internal/service/client';

const HOUR_MS = 60 * 60_000;

/** Waits for the service's answer as long as that takes. */
export const buildServiceClient: typeof sound.buildServiceClient = (settings) =>
  sound.buildServiceClient({ ...settings, deadlineMs: HOUR_MS });
