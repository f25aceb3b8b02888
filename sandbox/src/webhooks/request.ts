import { Readable } from 'node:stream';
import {
  ACKNOWLEDGING_STATUSES,
  SIGNATURE_HEADER,
  WEBHOOK_RETRY,
} from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { type Agent, request } from 'undici';
import { describeTreatment, type Tampering } from '../faults/treatment.ts';
import { deadlineIn, realTimeMs } from '../time/real-time.ts';
import type { Delivery, KeptAttempt, KeptDelivery } from './delivery.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly signature: string | null;
  readonly isCut: boolean;
}

const MOST_RESPONSE_BYTES = 64 * 1024;

const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'location',
  'retry-after',
  'server',
  'www-authenticate',
];

/** Signs a body with the merchant's token (D41); `tamper` then makes body and signature differ. */
export function signRequest(
  body: string,
  apiToken: string,
  tamper: Tampering | undefined,
): Pick<WebhookRequest, 'body' | 'signature'> {
  const signature = signWebhook(body, apiToken);
  if (tamper === 'amount') return { body: body.replace('"amount":"', '"amount":"9'), signature };
  if (tamper === 'reserialised')
    return { body: JSON.stringify(JSON.parse(body), null, 2), signature };
  if (tamper === 'signature-cut')
    return { body, signature: signature.slice(0, signature.length / 2) };
  if (tamper === 'signature-upper-case') return { body, signature: signature.toUpperCase() };
  if (tamper === 'signature-missing') return { body, signature: null };
  if (tamper === 'old-token') return { body, signature: signWebhook(body, `${apiToken}-before`) };
  return { body, signature };
}

/**
 * Sends one request and reports the response within ten seconds (D42), or when the agent is
 * destroyed. Redirects are not followed (T57).
 */
export async function sendWebhook(
  webhook: WebhookRequest,
  agent: Agent,
): Promise<Pick<KeptAttempt, 'status' | 'headers' | 'body' | 'error' | 'tookMs'>> {
  const startedAt = realTimeMs();
  const deadline = deadlineIn(WEBHOOK_RETRY.respondWithinMs);
  let status: number | null = null;
  let headers: Record<string, string> = {};
  let body = '';
  let error: string | null = null;
  try {
    const response = await request(webhook.url, {
      method: 'POST',
      headers: headersOf(webhook),
      body: webhook.isCut ? Readable.from(cutInHalf(webhook.body)) : webhook.body,
      dispatcher: agent,
      signal: deadline.signal,
    });
    status = response.statusCode;
    headers = keptOf(response.headers);
    body = await readStart(response.body);
    if (!ACKNOWLEDGING_STATUSES.includes(status))
      error = `The receiver responded with ${status}. Only 200, 201 and 202 acknowledge a webhook.`;
  } catch (cause) {
    error = describeFailure(cause, { isCut: webhook.isCut, isLate: deadline.signal.aborted });
  } finally {
    deadline.callOff();
  }
  return { status, headers, body, error, tookMs: Math.round(realTimeMs() - startedAt) };
}

export function showDelivery({
  treatment,
  dueAt,
  plan: _,
  isHeld: __,
  behind: ___,
  attempts,
  ...delivery
}: KeptDelivery): Delivery {
  return {
    ...delivery,
    nextAttemptAt: dueAt === null ? null : new Date(dueAt).toISOString(),
    faults: describeTreatment(treatment),
    attempts: attempts.map(
      ({ signature, sentBody: body = delivery.body, faults = [], ...attempt }) => ({
        ...attempt,
        request: {
          method: 'POST',
          url: delivery.url,
          headers: headersOf({ body, signature }),
          body,
        },
        faults,
      }),
    ),
  };
}

function headersOf({
  body,
  signature,
}: Pick<WebhookRequest, 'body' | 'signature'>): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'ServicePay-Webhooks/1',
    ...(signature !== null && { [SIGNATURE_HEADER]: signature }),
  };
}

async function* cutInHalf(body: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  yield bytes.subarray(0, bytes.length >> 1);
  throw new Error('cut');
}

function describeFailure(
  cause: unknown,
  { isCut, isLate }: { isCut: boolean; isLate: boolean },
): string {
  if (isLate) return `No complete response within ${WEBHOOK_RETRY.respondWithinMs / 1000} s.`;
  if (isCut) return 'A fault cut the request off halfway.';
  return `Could not be delivered: ${(cause as NodeJS.ErrnoException).code ?? 'the connection failed'}.`;
}

function keptOf(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept = KEPT_HEADERS.filter((name) => headers[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, String(headers[name]).slice(0, 1024)]));
}

async function readStart(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_RESPONSE_BYTES).toString();
}
