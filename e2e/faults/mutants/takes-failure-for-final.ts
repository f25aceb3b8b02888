import { ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Takes a failure for the last word: the payment stays failed when money arrives after all. */
export class ShopStore extends Sound {
  override async markPaid(...given: Parameters<Sound['markPaid']>): ReturnType<Sound['markPaid']> {
    const payment = await this.findPayment(given[0]);
    return payment?.state === 'failed' ? undefined : super.markPaid(...given);
  }
}
