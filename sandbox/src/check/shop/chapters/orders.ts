import { randomUUID } from 'node:crypto';
import { payableSchema, shopPaymentSchema } from '@service-pay/contract/shop-api';
import { must, mustMatch } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import { placeOrder } from '../order.ts';
import { mustFit, payableOf, preparedDataOf } from '../responses.ts';
import type { Shop } from '../shop.ts';

const MANY = 20;

export const ORDERS: Chapter<Shop> = {
  title: 'Orders',
  rules: [
    rule(
      'The routes return what the page reads',
      'The library treats a response that breaks this contract, or none within 30 seconds, as no response',
      async (shop) => {
        const browser = await shop.newBrowser();
        const order = await placeOrder(shop, { browser });
        const open = await shop.open(browser);
        const shown = await order.verify();
        const retried = await order.retry();
        mustFit(open, payableSchema);
        mustFit(shown, shopPaymentSchema);
        mustFit(retried, payableSchema);
        const { reference, amount, currency, key } = order.payable;
        mustMatch('open', payableOf(open), { reference, amount, currency, key });
        mustMatch('verify', preparedDataOf(shown, shopPaymentSchema), { reference, currency });
        const { amount: again } = preparedDataOf(shown, shopPaymentSchema);
        must(Number(again) === Number(amount), `verify: amount is ${again}, expected ${amount}.`);
      },
    ),
    rule('No response has the API token', 'secret: never in the page', async (shop) => {
      const { token } = shop.options;
      const order = await placeOrder(shop);
      for (const { what, text } of [
        await shop.place(order.browser),
        await shop.open(order.browser),
        await order.verify(),
        await order.retry(),
      ])
        must(!text.includes(token), `${what} has the API token.`);
    }),
    rule(
      'The price is the shop’s, whatever the page sends',
      'your server sets the price',
      async (shop) => {
        const { payable } = await placeOrder(shop);
        const cheap = { amount: '0.01', price: '0.01', total: '0.01', currency: 'USD' };
        const paid = { ...cheap, status: 'paid', reference: randomUUID() };
        const body = JSON.stringify(withFields(JSON.parse(shop.options.orderBody), paid));
        const response = await shop.place(await shop.newBrowser(), { body });
        if (response.status >= 400 && response.status < 500) return;
        const { amount, currency } = payable;
        const placed = payableOf(response);
        mustMatch('The order of a page that sends a price', placed, { amount, currency });
        const isOwn = placed.reference !== paid.reference;
        must(isOwn, 'The order of a page that sends a reference has it: let your server make one.');
      },
    ),
    rule(
      'The same key is the same order, also twenty times at once',
      'The same key returns the same order',
      async (shop) => {
        const { browser } = await placeOrder(shop); // it has its cookie now
        const key = randomUUID();
        const places = Array.from({ length: MANY }, () => shop.place(browser, { key }));
        const references = (await Promise.all(places)).map((one) => payableOf(one).reference);
        const again = payableOf(await shop.place(browser, { key })).reference;
        const count = new Set([...references, again]).size;
        must(count === 1, `One key made ${count} orders.`);
      },
    ),
    rule(
      'Another key is another order',
      'only another order of the customer gets a new key',
      async (shop) => {
        const first = await placeOrder(shop);
        const { reference } = payableOf(await shop.place(first.browser));
        must(reference !== first.reference, 'Two keys of one browser got the same order.');
      },
    ),
    rule(
      'The same key of another browser is another order',
      'Each returns `{ data }` to the browser that placed the order',
      async (shop) => {
        const key = randomUUID();
        const { browser: other } = await placeOrder(shop);
        const first = await placeOrder(shop, { key });
        const response = await shop.place(other, { key });
        if (response.status >= 400 && response.status < 500) return;
        const isOther = payableOf(response).reference !== first.reference;
        must(isOther, 'Another browser got the order by its key.');
      },
    ),
  ],
};

/** Adds the fields to the body, and to each object in its lists. */
function withFields(body: unknown, fields: object): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => withFields(one, fields)) : value,
  ]);
  return { ...Object.fromEntries(entries), ...fields };
}
