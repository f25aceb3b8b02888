import { type Payable, shopPaymentSchema } from '@service-pay/contract/shop-api';
import { must, mustMatch, prepare } from '../../must.ts';
import { readJson } from '../../responses.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { Browser } from '../browser.ts';
import { type Order, placeAndPay, placeOrder } from '../order.ts';
import { mustFit, openPaymentOf, pathOf, preparedDataOf } from '../responses.ts';
import type { Shop } from '../shop.ts';

const NOT_YOURS = [401, 403, 404];
const OPEN = "the options of this browser's newest payment that can still be paid";

export const BROWSERS: Chapter<Shop> = {
  title: 'Whose order it is',
  rules: [
    rule(
      'Another browser cannot verify, retry or follow an order',
      'Each returns `{ data }` to the browser that placed the order, which a cookie names, and 404 to any other.',
      async (shop) => {
        const order = await placeOrder(shop);
        const others = [
          await shop.newBrowser(),
          (await placeOrder(shop)).browser,
          ...['', 'x'].map((value) => order.browser.forge(value)),
        ];
        for (const other of others)
          for (const route of ['verify', 'retry', 'events'] as const) {
            const response = await order.call(route, order.reference, other);
            const isHidden = NOT_YOURS.includes(response.status) || response.status === 204;
            must(isHidden, `${response.what} of another browser's order, expected 404.`);
          }
      },
    ),
    rule(
      'A reference that does not exist is 404',
      'which a cookie names, and 404 to any other',
      async (shop) => {
        const order = await placeOrder(shop);
        for (const reference of ['none', `${order.reference}x`, '0'.repeat(32)]) {
          const response = await order.call('verify', reference);
          must(response.status === 404, `${response.what} of an unknown reference, expected 404.`);
        }
      },
    ),
    rule('open names only the browser’s own payments', OPEN, async (shop) => {
      const order = await placeOrder(shop);
      const other = await placeOrder(shop);
      await mustBeOpen(shop, order.browser, order.payable);
      await mustBeOpen(shop, other.browser, other.payable);
      const stranger = await shop.newBrowser();
      const { status } = await shop.open(stranger);
      if (!NOT_YOURS.includes(status)) await mustBeOpen(shop, stranger, null);
    }),
    rule('open names the newest payment that can still be paid', OPEN, async (shop) => {
      const first = await placeOrder(shop);
      await prepare(() => shop.options.sleep(20)); // two orders of one moment have no order
      const second = await placeOrder(shop, { browser: first.browser });
      await mustBeOpen(shop, first.browser, second.payable);
      await second.put({ status: 'failed' });
      await second.shown();
      shop.unpaid.add(second);
      await mustBeOpen(shop, first.browser, first.payable);
    }),
    rule(
      'open does not name an order that is paid or in review',
      'also if nobody has tried to for a day; or null',
      async (shop) => {
        const order = await placeAndPay(shop);
        await order.shown();
        await mustNotBeOpen(shop, order, 'paid');
        const inReview = await placeOrder(shop, { browser: order.browser });
        await inReview.putAnotherCurrency();
        await inReview.shown();
        shop.unpaid.add(inReview);
        await mustNotBeOpen(shop, inReview, 'in review');
      },
    ),
    rule(
      'open is never stored',
      'Send every response with `Cache-Control: no-store`.',
      async (shop) => {
        const { browser } = await placeOrder(shop);
        const { what, headers } = await shop.open(browser);
        const header = headers.get('cache-control') ?? 'none';
        must(/\bno-store\b/i.test(header), `${what} has Cache-Control: ${header}.`);
      },
    ),
    rule(
      'events are those of the payment, or there are none',
      'optional: server-sent events named `payment` with the data of `verify`.',
      async (shop) => {
        const order = await placeOrder(shop);
        const isEnough = (text: string) => /^data:.*\r?\n\r?\n/m.test(text);
        const response = await order.browser.call('GET', pathOf('events', order.reference), {
          isEnough,
        });
        if (response.status === 404 || response.status === 204) return;
        const type = response.headers.get('content-type') ?? 'none';
        must(response.status === 200, `${response.what} should be 200, 204 or 404.`);
        must(type.startsWith('text/event-stream'), `${response.what} has Content-Type: ${type}.`);
        const [, data] = /^event: ?payment\r?\ndata: ?(.*?)\r?$/m.exec(response.text) ?? [];
        must(data !== undefined, `${response.what} has no event named "payment".`);
        const sent = { ...response, what: 'The first event', json: { data: readJson(data) } };
        mustFit(sent, shopPaymentSchema);
        const event = preparedDataOf(sent, shopPaymentSchema);
        mustMatch('The first event', event, { reference: order.reference });
      },
    ),
  ],
};

async function openOf(shop: Shop, browser: Browser): Promise<Payable | null> {
  return openPaymentOf(await shop.open(browser));
}

async function mustBeOpen(shop: Shop, browser: Browser, expected: Payable | null): Promise<void> {
  const reference = expected?.reference;
  const found = await shop.twice(
    () => openOf(shop, browser),
    (open) => open?.reference === reference,
  );
  if (found?.reference === reference) return;
  const what = expected ? 'the newest open payment' : 'null';
  must(false, `open returned ${found ? 'another payment' : 'null'}, expected ${what}.`);
}

async function mustNotBeOpen(shop: Shop, order: Order, state: string): Promise<void> {
  const isOther = (open: Payable | null) => open?.reference !== order.reference;
  const found = await shop.twice(() => openOf(shop, order.browser), isOther);
  must(isOther(found), `open named an order that is ${state}.`);
}
