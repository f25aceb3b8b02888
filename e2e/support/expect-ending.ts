import { expect } from '@playwright/test';

import type { CallbackName } from './merchant-site.ts';
import type { ServiceControl } from './service-control.ts';
import type { ShopClient } from './shop-client.ts';

export interface Ending {
  callback: CallbackName;
  state: string;
  /** The status in the merchant API, or undefined if no attempt was made (D35). */
  collection: string | undefined;
}

export const PAID: Ending = { callback: 'onSuccess', state: 'paid', collection: 'successful' };

export const UNTOUCHED: Ending = {
  callback: 'onClose',
  state: 'awaiting-payment',
  collection: undefined,
};

/**
 * An order whose attempt was declined: the session is open still, so nothing has failed yet (D31).
 */
export const DECLINED: Ending = {
  callback: 'onClose',
  state: 'awaiting-payment',
  collection: 'pending',
};

/** An order whose payment nobody knew the result of when the customer left. */
export function unsure(collection: Ending['collection']): Ending {
  return { callback: 'onConfirmationPending', state: 'awaiting-payment', collection };
}

export const OUTCOMES = {
  onSuccess: 'success',
  onClose: 'closed',
  onConfirmationPending: 'confirmation-pending',
} as const;

/**
 * Asserts what service and shop hold once a journey is over. `look` makes the shop look at the
 * payment if its page does not.
 */
export async function expectStored(
  { shop, service }: { shop: ShopClient; service: ServiceControl },
  reference: string,
  ending: Pick<Ending, 'state' | 'collection'>,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  expect((await service.collectionOf(reference))?.status).toBe(ending.collection);
  await expect
    .poll(async () => {
      await look();
      return shop.stateOf(reference);
    })
    .toBe(ending.state);
  expect(shop.fulfilmentsOf(reference)).toBe(ending.state === 'paid' ? 1 : 0);
}
