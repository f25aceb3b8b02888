import { must, NotTried } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { Placed, Shop } from '../shop.ts';

const ONCE = 'Two instances, a crash or a duplicate webhook must not ship twice.';
const FULFILS_WITHIN_MS = 15_000;

export const FULFILMENT: Chapter<Shop> = {
  title: 'Fulfilment',
  rules: [
    rule('Every paid order of this check was fulfilled once', ONCE, async (shop) => {
      const orders = [...shop.paid];
      if (!orders.length) throw new NotTried('No order was paid.');
      await shop.until(FULFILS_WITHIN_MS, async () => {
        const words = await shop.readFulfilled();
        return orders.every((order) => count(order, words) > 0) || undefined;
      });
      const words = await shop.readFulfilled();
      const isAny = orders.some((order) => count(order, words) > 0);
      must(
        isAny || !words.length,
        `--fulfilled lists no reference of a paid order, but for example "${words.at(-1)}". List the reference of each payment, not the id of its order.`,
      );
      for (const order of orders) {
        const times = count(order, words);
        must(times === 1, `The order of ${order.reference} was fulfilled ${times} times.`);
      }
    }),
    rule(
      'No other order was fulfilled',
      'Never fulfil a payment with another amount or currency.',
      async (shop) => {
        if (!shop.unpaid.size) throw new NotTried('No rule was tried that leaves an order unpaid.');
        const words = await shop.readFulfilled();
        for (const order of shop.unpaid) {
          const isFulfilled = count(order, words) > 0;
          must(!isFulfilled, `The order of ${order.reference}, which is not paid, was fulfilled.`);
        }
      },
    ),
  ],
};

/** Returns how often an order is in what was fulfilled. */
function count({ references }: Placed, words: readonly string[]): number {
  return words.filter((word) => references.includes(word)).length;
}
