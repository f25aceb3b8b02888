import * as sound from '@service-pay/server/internal/database/open';

export const insteadOf = '@service-pay/server/internal/database/open';
export * from '@service-pay/server/internal/database/open';

const MINUTE_MS = 60_000;

/** Lets a write wait for the database as long as that takes. */
export const openDatabase: typeof sound.openDatabase = (place, options) =>
  sound.openDatabase(place, { ...options, answerWithinMs: MINUTE_MS });
