import { collectionSchema } from '@service-pay/contract/collection';
import { describeMismatch } from '@service-pay/contract/issue-text';
import { SIGNATURE_HEADER, WEBHOOK_RETRY, webhookEventSchema } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import * as v from 'valibot';
import { must, mustMatch, NotTried } from '../must.ts';
import { type Chapter, rule } from '../rule.ts';
import { readJson, type Service } from '../service.ts';
import type { Received, WebhookReceiver } from '../webhook-receiver.ts';

const paidEventSchema = v.object({ ...webhookEventSchema.entries, data: collectionSchema });

export const WEBHOOKS: Chapter = {
  title: 'Webhooks',
  rules: [
    rule(
      'A paid order is announced once, and a declined attempt not at all',
      "When a payment becomes successful, `POST` the event to the merchant's webhook URL",
      async (service) => {
        const receiver = receiverOf(service);
        const { reference } = (await service.paid()).request;
        const webhooks = await arrived(service, receiver, reference, 1);
        must(webhooks.length > 0, 'No webhook arrived (--patience).');
        const declined = await service.started(service.card('declined'), 'declined');
        await service.pause(0);
        const wrong = receiver.about(declined.request.reference);
        must(!wrong.length, 'A webhook of a declined attempt arrived.');
        const count = receiver.about(reference).length;
        must(count === 1, `${count} webhooks arrived although the first was acknowledged.`);
      },
    ),
    rule(
      'Its body is the event and the collection',
      '`{ "event": "collection.successful", "data": <collection> }`',
      async (service) => {
        const { body } = await webhookOfPaid(service);
        const { success, output, issues } = v.safeParse(paidEventSchema, readJson(`${body}`));
        must(success, success ? '' : describeMismatch('The body of the webhook', issues));
        mustMatch('The webhook', output, { event: 'collection.successful' });
        mustMatch('Its collection', output.data, { status: 'successful' });
      },
    ),
    rule(
      'Its signature fits the bytes of its body',
      'is the lower-case hex HMAC-SHA512 of the raw body, keyed with the lower-case hex SHA-256 of the API token',
      async (service) => {
        const { headers, body } = await webhookOfPaid(service);
        const signature = headers[SIGNATURE_HEADER.toLowerCase()];
        must(signature !== undefined, `The webhook has no ${SIGNATURE_HEADER}.`);
        const fits = isSignatureOf(body, signature, [service.options.token]);
        must(fits, `${SIGNATURE_HEADER} does not fit the body and this API token.`);
      },
    ),
    rule(
      'It comes again until it is acknowledged, and then no more',
      '200, 201 or 202 within 10 s acknowledges it. After any other response, send it again',
      async (service) => {
        const receiver = receiverOf(service);
        service.needsPatience('A retry', WEBHOOK_RETRY.everyMs * 2);
        const acknowledged = await webhookOfPaid(service);
        receiver.rejectNext();
        const { reference } = (await service.paid()).request;
        const again = await arrived(service, receiver, reference, 2);
        must(again.length === 2, 'A webhook that was answered with 500 did not come again.');
        const count = receiver.about(acknowledged.reference).length;
        must(count === 1, `A webhook that was acknowledged came ${count} times.`);
      },
    ),
  ],
};

function receiverOf(service: Service): WebhookReceiver {
  const { receiver } = service.options;
  if (receiver) return receiver;
  throw new NotTried('Use --webhook-port, and register its address at the service.');
}

async function webhookOfPaid(service: Service): Promise<Received & { reference: string }> {
  const receiver = receiverOf(service);
  const { reference } = (await service.paid()).request;
  const [webhook] = await arrived(service, receiver, reference, 1);
  if (!webhook) throw new NotTried('No webhook of a paid order arrived.', true);
  return { ...webhook, reference };
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
  while (receiver.about(reference).length < count && waitedMs < patienceMs)
    waitedMs += await service.pause(waitedMs);
  return receiver.about(reference);
}
