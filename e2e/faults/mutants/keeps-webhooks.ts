import {
  Webhooks as Sound,
  type WebhookAnswer,
  type WebhookRequest,
} from '@service-pay/server/internal/webhooks/receive';

export const insteadOf = '@service-pay/server/internal/webhooks/receive';
export * from '@service-pay/server/internal/webhooks/receive';

const LARGEST_BODY = 64 * 1024;

/** Never lets go of what a webhook came in. */
export class Webhooks extends Sound {
  readonly #kept: Buffer[] = [];

  override take(request: WebhookRequest): Promise<WebhookAnswer> {
    this.#kept.push(Buffer.alloc(LARGEST_BODY));
    return super.take(request);
  }
}
