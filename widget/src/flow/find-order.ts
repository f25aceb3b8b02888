import { type PaymentAnswer, screenOf } from './flow-state.ts';
import { type KeptOrder, newKey } from './kept-order.ts';
import { type ShopApi, statusOf } from './shop-api.ts';

/**
 * What a press of Pay means: an order to place, or to find again, under its key (if its payment `failed`,
 * the order gets another); or a payment that comes first, since it is still `open` or has `ended`.
 */
export type Found =
  | { order: KeptOrder & { key: string }; failed?: string }
  | { open: string; answer?: PaymentAnswer }
  | { ended: string; answer: PaymentAnswer };

interface Press {
  cart: string;
  wantsSecond: boolean;
}

/** Asks the shop about the order that this browser keeps. Rejects if that must be known and is not. */
export async function findOrder(
  api: ShopApi,
  kept: KeptOrder | undefined,
  { cart, wantsSecond }: Press,
): Promise<Found> {
  const key = kept?.key;
  const isOwn = key !== undefined && kept?.cart === cart && !wantsSecond;
  // the shop may have an order whose answer was lost; only its own cart's key finds it again
  const reference = kept?.reference ?? (isOwn ? undefined : (await api.open())?.reference);
  const own = isOwn && { order: { key, cart, reference } };
  const another = { order: { key: newKey(), cart } };
  if (!reference) return own || another;
  let answer: PaymentAnswer;
  try {
    answer = await api.verify(reference);
  } catch (error) {
    if (statusOf(error) === 404) return another; // not this browser's any more
    if (own && !kept?.isSent) return own; // the key finds the same order
    throw error;
  }
  switch (screenOf(answer, 'unfinished')) {
    case 'failed': {
      const other = (await api.open())?.reference; // of a tab that could not tell this one
      if (other && other !== reference && !wantsSecond) return { open: other };
      return own ? { ...own, failed: reference } : another;
    }
    case 'unfinished':
      if (wantsSecond) return another;
      if (own && !kept?.isSent && !answer.isWaitingForCustomer) return own;
      return { open: reference, answer };
    default:
      return { ended: reference, answer };
  }
}
