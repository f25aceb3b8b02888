import {
  type ClaimedFulfilment,
  FulfilmentStore as Sound,
} from '@service-pay/server/internal/fulfilment/store';

export const insteadOf = '@service-pay/server/internal/fulfilment/store';
export * from '@service-pay/server/internal/fulfilment/store';

const HOUR_MS = 60 * 60_000;

/** Holds for an hour what it claims, also if it dies with it. */
export class FulfilmentStore extends Sound {
  override async claim(...given: Parameters<Sound['claim']>): Promise<ClaimedFulfilment[]> {
    return super.claim(...(given.with(2, HOUR_MS) as typeof given));
  }

  override async renew(...given: Parameters<Sound['renew']>): Promise<boolean> {
    return super.renew(...(given.with(3, HOUR_MS) as typeof given));
  }
}
