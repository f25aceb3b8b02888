import { randomUUID } from 'node:crypto';
import { ACKNOWLEDGING_STATUSES, WEBHOOK_RETRY } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { realTimeMs } from '../../../time/real-time.ts';
import { must, NotTried, prepare } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import type { ShopResponse } from '../call-shop.ts';
import { placeAndPay, placeOrder } from '../order.ts';
import type { Shop } from '../shop.ts';

const RAW_BYTES = 'over the raw bytes';
const ACKNOWLEDGE = 'store the webhook, return 200 within 10 s.';
const REJECTING_STATUSES = [400, 401, 403];
const ACTS_WITHIN_MS = 10_000;
const A_FEW_MINUTES_MS = 5 * 60_000;

export const WEBHOOKS: Chapter<Shop> = {
  title: 'Webhooks',
  rules: [
    rule(
      'A webhook of the service is acknowledged within ten seconds',
      ACKNOWLEDGE,
      async (shop) => {
        const order = await placeAndPay(shop);
        const [delivery] = await order.deliverFromService();
        const { status = null, error = null } = delivery?.attempts[0] ?? {};
        shop.takesWebhooks = isAcknowledged(status ?? 0);
        must(
          shop.takesWebhooks,
          status === null ? `${error}` : `The shop responded with ${status}, expected 200.`,
        );
      },
    ),
    rule('It is acknowledged while the service is slow, too', ACKNOWLEDGE, async (shop) => {
      await mustTakeWebhooks(shop);
      const order = await placeAndPay(shop);
      const body = await order.webhookBody();
      await shop.sandbox.whileFaulty({ kind: 'hang' }, async () => {
        const response = await shop.deliver(body);
        mustAcknowledge(response, 'while the service is slow');
        must(
          response.tookMs <= WEBHOOK_RETRY.respondWithinMs,
          `The shop took ${Math.round(response.tookMs / 1_000)} s to acknowledge it.`,
        );
      });
    }),
    rule(
      'A webhook alone makes the shop verify',
      'Your server checks the signature, takes the reference, and verifies.',
      async (shop) => {
        await mustTakeWebhooks(shop);
        const order = await placeAndPay(shop);
        const before = await order.countVerifies();
        await shop.deliver(await order.webhookBody());
        const isVerified = await shop.until(
          ACTS_WITHIN_MS,
          async () => (await order.countVerifies()) > before || undefined,
        );
        must(isVerified === true, 'The shop did not verify the payment within 10 s.');
      },
    ),
    rule(
      'A webhook is not believed, however well it is signed',
      'The signature proves who sent a webhook, not that it is still true',
      async (shop) => {
        await mustNotBelieve(shop, (body) => shop.deliver(body));
      },
    ),
    rule('The signature is that of the raw bytes', RAW_BYTES, async (shop) => {
      await mustTakeWebhooks(shop);
      const { reference } = await placeOrder(shop);
      const data = `{"amount":10.10,"note":"caf\\u00e9 é ✓ \\/","reference":"${reference}" }`;
      const body = `{ "event" : "collection.successful",\r\n\t"data":${data} }\n`;
      mustAcknowledge(await shop.deliver(body), 'with spaces and escapes in its JSON');
    }),
    rule(
      'A webhook without a right signature is rejected',
      'responds 401 and does not call the service',
      async (shop) => {
        const order = await placeAndPay(shop);
        const body = await order.webhookBody();
        const right = signWebhook(body, shop.options.token);
        mustReject(await shop.deliver(body, null), 'without a signature');
        mustReject(await shop.deliver(body, ''), 'with an empty signature');
        mustReject(await shop.deliver(body, '0'.repeat(128)), 'with a wrong signature');
        mustReject(await shop.deliver(body, right.slice(0, 64)), 'with half a signature');
        mustReject(await shop.deliver(`${body} `, right), 'with one byte more');
        mustReject(await shop.deliver(body.replace(':', ': '), right), 'that was encoded again');
        for (const [what, token] of [
          ['an empty token', ''],
          ['the public key', order.payable.key],
          ['another token', randomUUID()],
        ] as const)
          mustReject(await shop.deliver(body, signWebhook(body, token)), `signed with ${what}`);
      },
    ),
    rule(
      'A rejected webhook changes nothing',
      'Your server checks the signature, takes the reference, and verifies.',
      async (shop) => {
        await mustNotBelieve(shop, (body) => shop.deliver(body, '0'.repeat(128)));
      },
    ),
    rule(
      'The previous token is accepted while it is renewed',
      'accepts webhooks signed with the old token',
      async (shop) => {
        const { previousToken } = shop.options;
        if (previousToken === undefined) throw new NotTried('Pass --previous-token.');
        await mustTakeWebhooks(shop);
        const order = await placeAndPay(shop);
        const body = await order.webhookBody();
        mustAcknowledge(
          await shop.deliver(body, signWebhook(body, previousToken)),
          'of the previous token',
        );
      },
    ),
    rule(
      'Events and references that the shop does not know are acknowledged',
      'Return 200 to events you do not know.',
      async (shop) => {
        await mustTakeWebhooks(shop);
        const { reference } = await placeOrder(shop);
        for (const [what, event] of [
          ['an unknown event', { event: 'collection.reversed', data: { reference } }],
          [
            'an unknown reference',
            { event: 'collection.successful', data: { reference: randomUUID() } },
          ],
        ] as const)
          mustAcknowledge(await shop.deliver(JSON.stringify(event)), `of ${what}`);
      },
    ),
    rule(
      'Webhooks that come twice, and at once with the page, are one payment',
      'each only triggers a verify call',
      async (shop) => {
        await mustTakeWebhooks(shop);
        const order = await placeAndPay(shop);
        const body = await order.webhookBody();
        const responses = await Promise.all([
          ...Array.from({ length: 5 }, () => shop.deliver(body)),
          ...Array.from({ length: 5 }, () => order.call('verify')),
        ]);
        for (const response of responses.slice(0, 5)) mustAcknowledge(response, 'that came twice');
        await order.shown(); // it counts as paid now, and must be fulfilled once
        mustAcknowledge(await shop.deliver(body), 'that came late');
      },
    ),
    rule(
      'A payment whose webhook is lost is found without a page',
      'Keep polling.',
      async (shop) => {
        const { abandoned } = shop;
        if (!abandoned) throw new NotTried('The check did not begin with it.');
        if ((await shop.countVerifies(abandoned.payable)) > 0) return;
        const minutes = (realTimeMs() - abandoned.paidAt) / 60_000;
        must(
          minutes * 60_000 < A_FEW_MINUTES_MS,
          `The shop did not verify it for ${Math.floor(minutes)} minutes.`,
        );
        throw new NotTried(
          `The shop has not verified it for ${Math.ceil(minutes * 60)} s. It must within minutes, which this check does not wait for.`,
        );
      },
    ),
  ],
};

/** The rules about other webhooks are not tried if the shop does not take a plain one. */
async function mustTakeWebhooks(shop: Shop): Promise<void> {
  if (shop.takesWebhooks === null) {
    const order = await placeAndPay(shop);
    const { status } = await prepare(async () => shop.deliver(await order.webhookBody()));
    shop.takesWebhooks = isAcknowledged(status);
  }
  if (!shop.takesWebhooks)
    throw new NotTried('The shop does not acknowledge the webhooks of the service.', true);
}

/**
 * Sends webhooks that claim that an unpaid order was paid or failed; verify must stay pending.
 */
async function mustNotBelieve(
  shop: Shop,
  deliver: (body: string) => Promise<ShopResponse>,
): Promise<void> {
  for (const status of ['successful', 'failed']) {
    const order = await placeOrder(shop);
    const { reference, amount, currency } = order.payable;
    const data = { reference, amount, currency, status };
    await deliver(JSON.stringify({ event: `collection.${status}`, data }));
    shop.unpaid.add(order);
    await shop.options.sleep(500);
    await order.mustBe('pending', `after a webhook said "${status}", which the service does not`);
  }
}

function isAcknowledged(status: number): boolean {
  return ACKNOWLEDGING_STATUSES.includes(status);
}

function mustAcknowledge({ status }: ShopResponse, what: string): void {
  must(isAcknowledged(status), `A webhook ${what} got HTTP ${status}, expected 200.`);
}

function mustReject({ status }: ShopResponse, what: string): void {
  must(REJECTING_STATUSES.includes(status), `A webhook ${what} got HTTP ${status}, expected 401.`);
}
