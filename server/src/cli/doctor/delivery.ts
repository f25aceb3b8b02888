import { LARGEST_WEBHOOK, readWebhookEvent } from '../../webhooks/event.ts';
import type { ReadDelivery } from './delivery-file.ts';
import type { Finding } from './finding.ts';
import { diagnoseSignature, type ShopKeys } from './signature.ts';

const LONGEST_SHOWN_EVENT = 60;

/** Why the shop refuses a delivery, or that it accepts it and what it then does (T83). Pure. */
export function checkDelivery(delivery: ReadDelivery, keys: ShopKeys): Finding[] {
  const notes = delivery.notes.map((says): Finding => ({ check: 'File', verdict: 'ok', says }));
  const findings = [...checkForm(delivery), ...diagnoseSignature(delivery, keys)];
  if (findings.some(({ verdict }) => verdict === 'problem')) return [...notes, ...findings];
  return [...notes, ...findings, readEvent(delivery.body)];
}

/**
 * What the shop looks at before the signature, and what shows that the body is not the one that was
 * sent.
 */
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
  if (body.length > LARGEST_WEBHOOK) {
    findings.push({
      check: 'Body',
      verdict: 'problem',
      says: `It has ${body.length} bytes, and the shop takes ${LARGEST_WEBHOOK}: it answers 413.`,
      todo: 'No event of the service is so large: look at who sends it.',
    });
  }
  return findings;
}

function readEvent(body: Buffer): Finding {
  const read = readWebhookEvent(body);
  if (!read) {
    return {
      check: 'Event',
      verdict: 'problem',
      says: 'The body is no JSON event with a short member "event": the shop answers 400.',
      todo: 'It was signed with the right token all the same: look at who sends it.',
    };
  }
  const shown = read.event.slice(0, LONGEST_SHOWN_EVENT);
  const says =
    read.reference === null
      ? `${shown} names no payment: the shop answers 200 and does nothing.`
      : `${shown} for ${read.reference}: the shop answers 200 and asks the service about it.`;
  return { check: 'Event', verdict: 'ok', says };
}
