import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import {
  Webhooks as Sound,
  type WebhookAnswer,
  type WebhookRequest,
} from '@service-pay/server/internal/webhooks/receive';

export const insteadOf = '@service-pay/server/internal/webhooks/receive';
export * from '@service-pay/server/internal/webhooks/receive';

const NAME = SIGNATURE_HEADER.toLowerCase();

/** Takes a signature in capitals. */
export class Webhooks extends Sound {
  override take({ headers, rawBody }: WebhookRequest): Promise<WebhookAnswer> {
    const given = headers[NAME];
    const signature = typeof given === 'string' ? given.toLowerCase() : given;
    return super.take({ headers: { ...headers, [NAME]: signature }, rawBody });
  }
}
