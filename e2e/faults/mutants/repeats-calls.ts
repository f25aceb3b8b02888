import type { PaymentsError } from '@service-pay/server/internal/errors';
import * as sound from '@service-pay/server/internal/service/client';

export const insteadOf = '@service-pay/server/internal/service/client';
export * from '@service-pay/server/internal/service/client';

/** Repeats each call that failed, however many fail. */
export const buildServiceClient: typeof sound.buildServiceClient = (settings) => {
  const client = sound.buildServiceClient(settings);
  const { verify } = client;
  return Object.assign(client, {
    verify: (reference: string) =>
      verify(reference).catch((error: PaymentsError) => {
        const mayHelp = error.reason === 'unreachable' || error.reason === 'busy';
        if (client.circuit === 'open' || !mayHelp) throw error;
        const again = sound.buildServiceClient(settings); // has not repeated any call yet
        return again.verify(reference).finally(() => again.close());
      }),
  });
};
