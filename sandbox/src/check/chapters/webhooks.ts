import type { Session } from '@service-pay/contract/checkout-api';
import { type Collection, collectionSchema } from '@service-pay/contract/collection';
import { describeMismatch } from '@service-pay/contract/issue-text';
import { SIGNATURE_HEADER, WEBHOOK_RETRY, webhookEventSchema } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import * as v from 'valibot';
import { must, mustMatch, NotTried } from '../must.ts';
import { readJson } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';
import { isAboutPaid, type Received, type WebhookReceiver } from '../webhook-receiver.ts';

const paidEventSchema = v.object({ ...webhookEventSchema.entries, data: collectionSchema });

export const WEBHOOKS: Chapter = {
  title: 'Webhooks',
  rules: [
    rule(
      'A paid order is announced once, and a declined attempt not at all',
      "Post `collection.successful` to the merchant's webhook URL",
      async (service) => {
        const receiver = receiverOf(service);
        const { reference } = (await service.paid()).request;
        const webhooks = await arrived(service, receiver, reference, 1);
        must(webhooks.length > 0, 'No webhook arrived (--patience).');
        const declined = await service.started(service.card('declined'), 'declined');
        await service.pause(0);
        const wrong = about(receiver, declined.request.reference);
        must(!wrong.length, 'A webhook of a declined attempt arrived.');
        const count = about(receiver, reference).length;
        must(count === 1, `${count} webhooks arrived although the first was acknowledged.`);
      },
    ),
    rule(
      'Its body is the event and the collection',
      '| `collection.successful` | the payment was paid | the collection above, field for field |',
      async (service) => {
        const { body, reference, collection, session } = await webhookOfPaid(service);
        const { success, output, issues } = v.safeParse(paidEventSchema, readJson(`${body}`));
        must(success, success ? '' : describeMismatch('The body of the webhook', issues));
        mustMatch('The webhook', output, { event: 'collection.successful' });
        const { id } = collection;
        const { amount, currency } = session;
        const { data } = output;
        mustMatch('Its collection', data, {
          id,
          reference,
          amount,
          currency,
          status: 'successful',
        });
      },
    ),
    rule(
      'Its signature fits the bytes of its body',
      '`X-ServicePay-Signature` is the lower-case hex HMAC-SHA512 of the body. Its key is the lower-case hex SHA-256 of your API token',
      async (service) => {
        const { headers, body } = await webhookOfPaid(service);
        const signature = headers[SIGNATURE_HEADER.toLowerCase()];
        must(signature !== undefined, `The webhook has no ${SIGNATURE_HEADER}.`);
        const fits = isSignatureOf(body, signature, [service.options.token]);
        must(fits, `${SIGNATURE_HEADER} does not fit the body and this API token.`);
      },
    ),
    rule(
      'It comes again until it is acknowledged',
      'Otherwise the service sends the same body again every 30 minutes for 24 hours',
      async (service) => {
        const receiver = receiverOf(service);
        service.needsPatience('A retry', WEBHOOK_RETRY.everyMs * 2);
        receiver.rejectNext();
        const { reference } = (await service.paid()).request;
        const again = await arrived(service, receiver, reference, 2);
        if (!again.length) throw new NotTried('No webhook of a paid order arrived.', true);
        must(again.length > 1, 'A webhook that got HTTP 500 did not come again.');
      },
    ),
  ],
};

function receiverOf(service: Service): WebhookReceiver {
  const { receiver } = service.options;
  if (receiver) return receiver;
  throw new NotTried('Use --webhook-port, and register its address at the service.');
}

async function webhookOfPaid(
  service: Service,
): Promise<Received & { reference: string; collection: Collection; session: Session }> {
  const receiver = receiverOf(service);
  const { collection, session } = await service.paid();
  const { reference } = collection;
  const [webhook] = await arrived(service, receiver, reference, 1);
  if (!webhook) throw new NotTried('No webhook of a paid order arrived.', true);
  return { ...webhook, reference, collection, session };
}

/** Returns the webhooks that announce this payment, oldest first. */
function about(receiver: WebhookReceiver, reference: string): readonly Received[] {
  return receiver.all().filter((one) => isAboutPaid(one) && one.body.includes(reference));
}

/** Waits for `count` webhooks about a payment, and returns those that came in time. */
async function arrived(
  service: Service,
  receiver: WebhookReceiver,
  reference: string,
  count: number,
): Promise<readonly Received[]> {
  const { patienceMs } = service.options;
  let waitedMs = 0;
  while (about(receiver, reference).length < count && waitedMs < patienceMs)
    waitedMs += await service.pause(waitedMs);
  return about(receiver, reference);
}
