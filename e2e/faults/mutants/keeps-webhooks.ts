import type { WebhookRequest } from '@service-pay/server';
import * as sound from '@service-pay/server/internal/create-payments';

export const insteadOf = '@service-pay/server/internal/create-payments';
export * from '@service-pay/server/internal/create-payments';

const LARGEST_BODY = 64 * 1024;

/** Never lets go of what a webhook came in. */
export const createPayments: typeof sound.createPayments = async (options) => {
  const payments = await sound.createPayments(options);
  const receive = payments.receiveWebhook.bind(payments);
  const kept: Buffer[] = [];
  return Object.assign(payments, {
    receiveWebhook(request: WebhookRequest) {
      kept.push(Buffer.alloc(LARGEST_BODY));
      return receive(request);
    },
  });
};
