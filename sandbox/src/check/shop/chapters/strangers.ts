import { SHOP_ROUTES } from '@service-pay/contract/shop-routes';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { must, NotTried, prepare } from '../../must.ts';
import { NoResponse } from '../../no-response.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { Browser } from '../browser.ts';
import { callShop, type ShopResponse } from '../call-shop.ts';
import { placeOrder } from '../order.ts';
import { openPaymentOf, pathOf } from '../responses.ts';
import type { Shop } from '../shop.ts';

const MB = 1024 * 1024;
const CHUNK = new Uint8Array(64 * 1024).fill(0x78);
const MOST_CHUNKS = 320; // 20 MB
const RESPONDS_WITHIN_MS = 10_000;
const NOT_DONE = [401, 403, 404];

export const STRANGERS: Chapter<Shop> = {
  title: 'Strangers',
  rules: [
    rule(
      'A foreign page changes nothing, and reads nothing',
      'Any other origin gets `foreign_request`.',
      async (shop) => {
        const { browser, reference } = await placeOrder(shop);
        const before = await openOf(shop, browser);
        for (const route of ['verify', 'retry'] as const) {
          const { method } = SHOP_ROUTES[route];
          const response = await browser.callFromForeignPage(method, pathOf(route, reference));
          const isRejected = NOT_DONE.includes(response.status);
          must(isRejected, `${response.what} of a page of another site, expected 401, 403 or 404.`);
          mustBeUnreadable(response);
        }
        const placePath = shop.options.placePath;
        mustBeUnreadable(
          await browser.callFromForeignPage('POST', placePath, shop.options.orderBody),
        );
        mustBeUnreadable(await browser.callFromForeignPage('GET', pathOf('open')));
        const isKept = (await openOf(shop, browser)) === before;
        must(isKept, 'After calls of a foreign page, open returned something else.');
      },
    ),
    rule('Big bodies are rejected, and the shop goes on', 'limit bodies to 64 kB', async (shop) => {
      const big = 'x'.repeat(MB);
      for (const send of [
        () => shop.deliver(big, '0'.repeat(128)),
        () => shop.deliver(big, signWebhook('', shop.options.token)),
        async () => shop.place(await shop.newBrowser(), { body: `"${big}"` }),
      ])
        await mustReject(send, 'a body of 1 MB');
      await mustGoOn(shop, 'a body of 1 MB');
    }),
    rule(
      'Broken bodies are rejected, and the shop goes on',
      'Reject a body that is not the JSON you expect with 400',
      async (shop) => {
        const { browser } = await placeOrder(shop);
        for (const body of ['{', '', 'null', '[]', '"x"', '{"__proto__":{"sku":1}}', '\u0000'])
          await mustReject(() => shop.place(browser, { body }), 'a broken order');
        for (const body of ['{', '', 'null', '[]'])
          await mustReject(() => shop.deliver(body, '0'.repeat(128)), 'a broken webhook');
        for (const path of ['/api/payments/%/verify', '/api/payments/..%2f..%2f/verify']) {
          const response = await browser.call('POST', path);
          must(response.status >= 400, `${response.what}, expected 400 or 404.`); // 500 of some frameworks
        }
        await mustGoOn(shop, 'broken bodies');
      },
    ),
    rule('Endless bodies end, and the shop goes on', 'limit bodies to 64 kB', async (shop) => {
      let isUnlimited = false;
      for (const path of [shop.options.webhookPath, shop.options.placePath]) {
        let sent = 0;
        const endless = async function* () {
          while (sent < MOST_CHUNKS) {
            sent += 1;
            yield CHUNK;
          }
        };
        const headers = { 'content-type': 'application/json' };
        const send = () =>
          callShop(shop.options.url, { method: 'POST', path, headers, body: endless() });
        await mustReject(send, 'a body without an end');
        if (sent >= MOST_CHUNKS) isUnlimited = true;
      }
      await mustGoOn(shop, 'endless bodies');
      if (isUnlimited)
        throw new NotTried(
          'The shop itself reads 20 MB of a body and more: let a web server in front limit bodies.',
        );
    }),
  ],
};

/** Returns the reference that `open` names. */
async function openOf(shop: Shop, browser: Browser): Promise<string | undefined> {
  return openPaymentOf(await shop.open(browser))?.reference;
}

/** A browser lets a page read what the shop allows its origin, with cookies. */
function mustBeUnreadable({ what, headers }: ShopResponse): void {
  const isReadable =
    headers.get('access-control-allow-origin') !== null &&
    headers.get('access-control-allow-credentials') === 'true';
  must(!isReadable, `${what} may be read by pages of other sites (Access-Control-Allow-Origin).`);
}

/** A closed connection rejects a body, too. */
async function mustReject(send: () => Promise<ShopResponse>, what: string): Promise<void> {
  try {
    const response = await send();
    const isRejected = response.status >= 400 && response.status < 500;
    must(isRejected, `${response.what} to ${what}, expected 400, 401 or 413.`);
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
  }
}

async function mustGoOn(shop: Shop, after: string): Promise<void> {
  const { browser } = await prepare(() => placeOrder(shop));
  const response = await shop.open(browser);
  const isServed = response.status === 200 && response.tookMs < RESPONDS_WITHIN_MS;
  must(isServed, `After ${after}, open got HTTP ${response.status}.`);
}
