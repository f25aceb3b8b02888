import { must, NotTried } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { Shop } from '../shop.ts';

const ONCE = 'Two instances, a crash or a duplicate webhook must not ship twice.';
const FULFILS_WITHIN_MS = 15_000;

export const FULFILMENT: Chapter<Shop> = {
  title: 'Fulfilment',
  rules: [
    rule('Every paid order of this check was fulfilled once', ONCE, async (shop) => {
      const orders = [...shop.paid];
      if (!orders.length) throw new NotTried('No order was paid.');
      await shop.until(FULFILS_WITHIN_MS, async () => {
        const countOf = await shop.readFulfilled();
        return orders.every((order) => countOf(order) > 0) || undefined;
      });
      const countOf = await shop.readFulfilled();
      for (const order of orders) {
        const count = countOf(order);
        must(count === 1, `The order of ${order.reference} was fulfilled ${count} times.`);
      }
    }),
    rule(
      'No other order was fulfilled',
      'Never fulfil a payment with another amount or currency.',
      async (shop) => {
        if (!shop.unpaid.size) throw new NotTried('No rule was tried that leaves an order unpaid.');
        const countOf = await shop.readFulfilled();
        for (const order of shop.unpaid) {
          const isFulfilled = countOf(order) > 0;
          must(!isFulfilled, `The order of ${order.reference}, which is not paid, was fulfilled.`);
        }
      },
    ),
  ],
};
