import * as sound from '@service-pay/server/internal/service/client';

export const insteadOf = '@service-pay/server/internal/service/client';
export * from '@service-pay/server/internal/service/client';

const MORE_TRIES = 2;

/** Repeats each call that failed, however many fail. */
export const buildServiceClient: typeof sound.buildServiceClient = (settings) => {
  const client = sound.buildServiceClient(settings);
  const { verify } = client;
  const verifyAgain = (reference: string, triesLeft = MORE_TRIES): ReturnType<typeof verify> =>
    verify(reference).catch((error: sound.ServiceCallError) => {
      if (triesLeft === 0 || !['unreachable', 'busy'].includes(error.code)) throw error;
      return verifyAgain(reference, triesLeft - 1);
    });
  return Object.assign(client, { verify: (reference: string) => verifyAgain(reference) });
};
