import { ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Lets a late failure undo a payment. */
export class ShopStore extends Sound {
  override move(...[reference, from, to, ...more]: Parameters<Sound['move']>): Promise<boolean> {
    const states = to === 'failed' ? ([...from, 'paid', 'needs-review', 'expired'] as const) : from;
    return super.move(reference, states, to, ...more);
  }
}
