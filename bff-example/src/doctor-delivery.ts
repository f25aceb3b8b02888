import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import type { ReadDelivery } from './doctor-delivery-file.ts';
import type { Finding } from './doctor-finding.ts';
import { diagnoseSignature, type ShopKeys } from './doctor-signature.ts';

const LARGEST_BODY = 64 * 1024;

const eventSchema = v.object({ event: v.string(), data: v.optional(v.unknown()) });

/** Why the shop refuses a delivery, or that it accepts it and what it then does (T83). Pure. */
export function checkDelivery(delivery: ReadDelivery, keys: ShopKeys): Finding[] {
  const notes = delivery.notes.map((says): Finding => ({ check: 'File', verdict: 'ok', says }));
  const findings = [...checkForm(delivery), ...diagnoseSignature(delivery, keys)];
  if (findings.some(({ verdict }) => verdict === 'problem')) return [...notes, ...findings];
  return [...notes, ...findings, readEvent(delivery.body)];
}

/** What the shop looks at before the signature, and what shows that the body is not the one that was sent. */
function checkForm({ headers, body }: ReadDelivery): Finding[] {
  const headerOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const findings: Finding[] = [];
  const length = headerOf('content-length');
  if (length !== undefined && Number(length) !== body.length) {
    findings.push({
      check: 'Body',
      verdict: 'problem',
      says: `It has ${body.length} bytes, and Content-Length says ${Number(length)}: it is not the body that was sent.`,
      todo: 'Take it down as raw bytes, before anything parses it or changes its character set.',
    });
  }
  const encoding = headerOf('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') {
    findings.push({
      check: 'Body',
      verdict: 'problem',
      says: 'It is compressed (Content-Encoding), which the shop answers with 415.',
      todo: 'Have the proxy before the shop pass bodies on as they are.',
    });
  }
  if (body.length > LARGEST_BODY) {
    findings.push({
      check: 'Body',
      verdict: 'problem',
      says: `It has ${body.length} bytes, and the shop takes ${LARGEST_BODY}: it answers 413.`,
      todo: 'No event of the service is so large: look at who sends it.',
    });
  }
  return findings;
}

function readEvent(body: Buffer): Finding {
  try {
    const { event, data } = v.parse(eventSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    const says = v.is(v.object({ reference: referenceSchema }), data)
      ? `${event.slice(0, 60)} for ${data.reference}: the shop answers 200 and asks the service about it.`
      : `${event.slice(0, 60)} names no payment: the shop answers 200 and does nothing.`;
    return { check: 'Event', verdict: 'ok', says };
  } catch {
    return {
      check: 'Event',
      verdict: 'problem',
      says: 'The body is no JSON event with a member "event": the shop answers 400.',
      todo: 'It was signed with the right token all the same: look at who sends it.',
    };
  }
}
