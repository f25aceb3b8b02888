import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import type { WebhookRequest } from '@service-pay/server';
import * as sound from '@service-pay/server/internal/create-payments';

export const insteadOf = '@service-pay/server/internal/create-payments';
export * from '@service-pay/server/internal/create-payments';

const NAME = SIGNATURE_HEADER.toLowerCase();

/** Takes a signature in capitals. */
export const createPayments: typeof sound.createPayments = async (options) => {
  const payments = await sound.createPayments(options);
  const receive = payments.receiveWebhook.bind(payments);
  return Object.assign(payments, {
    receiveWebhook({ headers, rawBody }: WebhookRequest) {
      const given = headers as Record<string, string>;
      return receive({ headers: { ...given, [NAME]: String(given[NAME]).toLowerCase() }, rawBody });
    },
  });
};
