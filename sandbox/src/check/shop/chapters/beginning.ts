import { isLoopbackHost } from '@service-pay/contract/loopback';
import type { Payable } from '@service-pay/contract/shop-api';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import { realTimeMs } from '../../../time/real-time.ts';
import { must } from '../../must.ts';
import { describeCause } from '../../no-response.ts';
import { type Chapter, rule } from '../../rule.ts';
import { callShop } from '../call-shop.ts';
import { Order, placeAndPay } from '../order.ts';
import { pathOf, payableOf } from '../responses.ts';
import type { Shop } from '../shop.ts';

const VERIFIES_WITHIN_MS = 5_000;
const SENT_WITHIN_MS = 20_000; // the service waits 10 s for the shop

/** Without these, no other rule is tried. */
export const BEGINNING: Chapter<Shop> = {
  title: 'Shop and sandbox',
  rules: [
    rule('Sandbox and shop respond', '', async (shop) => {
      await mustRespond(shop);
      const { mode } = await shop.sandbox.control.clock();
      const problem = 'The clock of the sandbox is stopped. Start it without --clock virtual.';
      must(mode === 'real', problem);
    }),
    rule(
      'The shop places the order of --order',
      'Save what your page sends to `POST /api/orders` as `order.json`',
      async (shop) => {
        payableOf(await shop.place(await shop.newBrowser()));
      },
    ),
    rule(
      'The shop takes payments by this sandbox',
      'The page pays in the environment that its script comes from, and a key of another one is rejected.',
      async (shop) => {
        const browser = await shop.newBrowser();
        const payable = payableOf(await shop.place(browser));
        await mustKnowKey(shop, payable);
        const { url, webhookPath } = shop.options;
        const { hostname } = new URL(url);
        const webhookUrl = isLoopbackHost(hostname) ? new URL(webhookPath, url).href : undefined;
        await shop.sandbox.borrow(payable.key, webhookUrl);

        const order = new Order(shop, browser, payable);
        await order.pay();
        const response = await order.verify();
        const isVerified = await shop.until(
          VERIFIES_WITHIN_MS,
          async () => shop.paid.has(order) || (await order.countVerifies()) > 0 || undefined,
        );
        must(
          isVerified === true,
          `${response.what} came without a verify call to this sandbox. Start the shop with the sandbox's address as SERVICE_PAY_API_URL, and with the API token of ${payable.key}.`,
        );
        await mustBeSigned(shop, order);
        await shop.sandbox.holdWebhooks();
        const abandoned = await placeAndPay(shop);
        shop.abandoned = { payable: abandoned.payable, paidAt: realTimeMs() };
      },
    ),
  ],
};

/** Throws `RuleBroken` if sandbox or shop does not respond, whatever the response is. */
export async function mustRespond({ sandbox, options }: Shop): Promise<void> {
  try {
    await sandbox.control.clock();
  } catch (error) {
    const cause = describeCause(error as Error, new URL(sandbox.url));
    must(false, `No sandbox responds at ${sandbox.url}: ${cause}. Start it, or correct --sandbox.`);
  }
  try {
    await callShop(options.url, { method: 'GET', path: pathOf('open') });
  } catch (error) {
    const { message } = error as Error;
    must(false, `No shop responds at ${options.url}: ${message} Start it, or correct --shop.`);
  }
}

async function mustKnowKey({ sandbox: { control, url } }: Shop, { key }: Payable): Promise<void> {
  const keys = (await control.merchants()).map(({ publicKey }) => publicKey);
  must(
    keys.includes(key),
    `The order's key, ${key}, is not one of the sandbox at ${url}: ${keys.join(', ')}.`,
  );
}

/** The check signs webhooks with the shop's token, as the sandbox does. */
async function mustBeSigned(shop: Shop, order: Order): Promise<void> {
  const sent = await shop.until(SENT_WITHIN_MS, async () => {
    const { deliveries } = await shop.story(order.payable);
    return deliveries.flatMap(({ attempts }) => attempts)[0];
  });
  must(
    sent !== undefined,
    'The sandbox sent no webhook of a paid order. Start it with --webhook-url.',
  );
  const { body, headers } = sent.request;
  must(
    isSignatureOf(body, headers[SIGNATURE_HEADER], [shop.options.token]),
    `The sandbox signs webhooks with another token. Pass the API token of ${order.payable.key} as --token.`,
  );
}
