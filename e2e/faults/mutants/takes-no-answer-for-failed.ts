import type { PaymentsError } from '@service-pay/server/internal/errors';
import * as sound from '@service-pay/server/internal/service/client';

export const insteadOf = '@service-pay/server/internal/service/client';
export * from '@service-pay/server/internal/service/client';

/** Takes a payment for failed when the service is not even asked. */
export const buildServiceClient: typeof sound.buildServiceClient = (settings) => {
  const client = sound.buildServiceClient(settings);
  const { verify } = client;
  return Object.assign(client, {
    verify: (reference: string) =>
      verify(reference).catch((error: PaymentsError) => {
        if (client.circuit !== 'open' || error.reason !== 'unreachable') throw error;
        return { reference, status: 'failed', amount: '92.50', currency: 'ZMW' } as const;
      }),
  });
};
