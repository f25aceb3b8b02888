import { signWebhook } from '@service-pay/contract/webhook-signature';
import { type Received, referenceOf, type WebhookReceiver } from '../../check/webhook-receiver.ts';
import { type CheckTime, TOKEN } from './past.ts';

/** Changes what arrives at a receiver of webhooks. */
export type WebhookBreak = (real: WebhookReceiver, time: CheckTime) => Partial<WebhookReceiver>;

/** Breaks of the webhooks, by rule and by what the service does. */
export const WEBHOOK_BREAKS: Record<string, Record<string, WebhookBreak>> = {
  'A paid order is announced once, and a declined attempt not at all': {
    'sends none': () => ({ all: () => [] }),
  },
  'Its body is the event and the collection': {
    'names another event': withBody((text) => text.replace('collection.successful', 'paid')),
    'names another amount': withBody((text) => text.replace(/"amount":"[^"]+"/, '"amount":"9.00"')),
  },
  'Its signature fits the bytes of its body': {
    'signs something else': (real) => ({
      all: () =>
        real.all().map((webhook) => ({
          ...webhook,
          headers: { 'x-servicepay-signature': signWebhook('', TOKEN) },
        })),
    }),
  },
  'It comes again until it is acknowledged': {
    'is sent once': (real) => ({ all: () => firstOfEach(real.all()) }),
  },
  'A webhook that was acknowledged never comes again': {
    'comes again after half a minute': (real, time) => {
      const seenAt = new Map<Received, number>();
      time.looks.push(() => {
        for (const each of real.all()) seenAt.set(each, seenAt.get(each) ?? time.now);
      });
      return {
        all: () => {
          const again = real
            .all()
            .filter((each) => each.isAcknowledged && time.now - seenAt.get(each)! >= 30_000);
          return [...real.all(), ...again.slice(-1)];
        },
      };
    },
  },
};

/** Changes the bodies, and signs them as they are then. */
function withBody(change: (text: string) => string): WebhookBreak {
  return (real) => ({
    all: () =>
      real.all().map((webhook) => {
        const body = Buffer.from(change(`${webhook.body}`));
        const signature = signWebhook(body, TOKEN);
        return { ...webhook, body, headers: { 'x-servicepay-signature': signature } };
      }),
  });
}

function firstOfEach(all: readonly Received[]): readonly Received[] {
  return [...new Map(all.toReversed().map((each) => [referenceOf(each), each])).values()].reverse();
}
