import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

export const LARGEST_WEBHOOK = 64 * 1024;

/** The event and the payment to ask about. The rest may be a lie (T85). */
const eventSchema = v.object({
  event: v.pipe(v.string(), v.maxLength(200)),
  data: v.optional(v.unknown()),
});
const referredSchema = v.object({ reference: referenceSchema });

export interface WebhookEvent {
  event: string;
  reference: string | null;
}

/** Reads the body of a signed webhook. Undefined if it is no event in JSON and UTF-8 (T88). */
export function readWebhookEvent(body: Buffer): WebhookEvent | undefined {
  try {
    const { event, data } = v.parse(
      eventSchema,
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)),
    );
    return { event, reference: v.is(referredSchema, data) ? data.reference : null };
  } catch {
    return undefined;
  }
}
