import * as sound from '@service-pay/server/internal/payments/decide';

export const insteadOf = '@service-pay/server/internal/payments/decide';
export * from '@service-pay/server/internal/payments/decide';

/** Takes a status that looks like success for success. */
export const decide: typeof sound.decide = (payment, collection, now) =>
  collection && /success/i.test(collection.status)
    ? sound.decide(payment, { ...collection, status: 'successful' }, now)
    : sound.decide(payment, collection, now);
