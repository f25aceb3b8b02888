import {
  type ClaimedFulfilment,
  FulfilmentStore as Sound,
} from '@service-pay/server/internal/fulfilment/store';

export const insteadOf = '@service-pay/server/internal/fulfilment/store';
export * from '@service-pay/server/internal/fulfilment/store';

/** Marks an order as handed over when it is claimed, before the call. */
export class FulfilmentStore extends Sound {
  override async claim(...given: Parameters<Sound['claim']>): Promise<ClaimedFulfilment[]> {
    const [owner, now] = given;
    const claimed = await super.claim(...given);
    for (const held of claimed) await this.letGo(held, owner, { state: 'done', done_at: now });
    return claimed;
  }
}
