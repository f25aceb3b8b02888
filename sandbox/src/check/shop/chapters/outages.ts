import { randomUUID } from 'node:crypto';
import { must, NotTried } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { BorrowedSandbox } from '../borrowed-sandbox.ts';
import { isShownAs, type Order, placeAndPay, placeOrder } from '../order.ts';
import type { Shop } from '../shop.ts';

type Trouble = Parameters<BorrowedSandbox['whileFaulty']>[0];

const NOT_KNOWN = 'No response is not a result.';
const RECOVERS_WITHIN_MS = 60_000;
const POLLS_EVERY_MS = 2_100;

/** Orders that were paid while the service was in trouble. */
const paidInTrouble = new WeakMap<Shop, Order[]>();

export const OUTAGES: Chapter<Shop> = {
  title: 'The service in trouble',
  rules: [
    rule('The service away: not known', NOT_KNOWN, async (shop) => {
      await checkTrouble(shop, { kind: 'reset' }, 'while the service is away');
    }),
    rule('The service with an error of its own: not known', NOT_KNOWN, async (shop) => {
      for (const status of [500, 401])
        await checkTrouble(
          shop,
          { kind: 'status', status },
          `while the service responds with ${status}`,
        );
    }),
    rule('A garbled or broken response: not known', NOT_KNOWN, async (shop) => {
      for (const kind of ['garbage', 'truncate'] as const)
        await checkTrouble(shop, { kind }, 'after a broken response of the service');
    }),
    rule(
      'A response about another payment: not known',
      'reference, amount and currency equal those you stored',
      async (shop) => {
        for (const status of ['successful', 'failed']) {
          const changes = { reference: randomUUID(), status };
          const because = `after the service said "${status}" of another reference`;
          await checkTrouble(shop, { kind: 'change', changes }, because);
        }
      },
    ),
    rule(
      'A service that never responds: not known, and said within 15 seconds',
      'Set a timeout of at most 10 s',
      async (shop) => {
        const response = await checkTrouble(shop, { kind: 'hang' }, 'while the service is silent');
        const seconds = Math.round(response.tookMs / 1_000);
        must(seconds <= 15, `verify took ${seconds} s while the service was silent.`);
      },
    ),
    rule(
      'No new payment while the service is away',
      '201 with those of a new one, only after the service has reported the first as `failed`',
      async (shop) => {
        const order = await placeOrder(shop);
        await shop.sandbox.whileFaulty({ kind: 'reset' }, async () => {
          const { status, what } = await order.retry();
          must(status === 503, `${what} while the service is away, expected 503.`);
        });
      },
    ),
    rule('After the trouble, the payment is found', 'retry at growing intervals', async (shop) => {
      const orders = paidInTrouble.get(shop);
      if (!orders) throw new NotTried('The rules before it were not tried.');
      for (let waitedMs = 0; waitedMs < RECOVERS_WITHIN_MS; waitedMs += POLLS_EVERY_MS) {
        const responses = await Promise.all(orders.map((order) => order.verify()));
        if (responses.every((response) => isShownAs(response, 'successful'))) return;
        await shop.options.sleep(POLLS_EVERY_MS);
      }
      must(false, 'verify does not return "successful" a minute after the service is back.');
    }),
  ],
};

/** Verifies an order that is paid, while the service is in trouble. */
async function checkTrouble(shop: Shop, trouble: Trouble, because: string) {
  const order = await placeAndPay(shop);
  paidInTrouble.set(shop, [...(paidInTrouble.get(shop) ?? []), order]);
  return shop.sandbox.whileFaulty(trouble, async () => {
    const response = await order.verify();
    await order.mustNotDecide(response, because);
    return response;
  });
}
