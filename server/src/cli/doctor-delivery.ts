import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { readWebhookEvent } from '../webhooks/event.ts';
import { isSignatureOf } from '../webhooks/signature.ts';
import { type Finding, ok, problem } from './finding.ts';
import { type Config, DEMO_TOKEN } from './settings.ts';

const CHECK = 'Signature';
const RAW_BYTES =
  'Verify the signature over the raw bytes, before anything parses them. No proxy may rewrite the body.';

/**
 * Explains why the shop refuses a delivery, or says that it accepts it (T83). The file holds a
 * request as it came: headers, an empty line, the body. Shows no token and no part of the body.
 */
export function checkDelivery(file: Buffer, config: Config): Finding[] {
  const end = /\r?\n\r?\n/.exec(file.toString('latin1'));
  const head = file.toString('latin1', 0, end?.index ?? file.length);
  const headers = [...head.matchAll(/^(?:> )?([^\s:]+)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/gm)];
  const valuesOf = (name: string) =>
    headers.filter((one) => one[1]!.toLowerCase() === name.toLowerCase()).map((one) => one[2]!);
  const received = end ? file.subarray(end.index + end[0].length) : Buffer.alloc(0);
  // editors add a line end, which is not part of the request
  const length = Number(valuesOf('content-length')[0] ?? received.length);
  const isPadded = received.subarray(length).toString('latin1').trim() === '';
  const body = isPadded ? received.subarray(0, length) : received;

  const finding = checkSignature(valuesOf(SIGNATURE_HEADER), body, config);
  return finding.verdict === 'ok' ? [finding, checkEvent(body)] : [finding];
}

function checkSignature(values: string[], body: Buffer, config: Config): Finding {
  const [signature = ''] = values;
  if (!signature) {
    const says = `The request has no ${SIGNATURE_HEADER}.`;
    return problem(CHECK, says, 'Look for a proxy that drops headers. Only the service signs.');
  }
  if (values.length > 1 || signature.includes(',')) {
    const says = `${SIGNATURE_HEADER} was sent more than once.`;
    return problem(CHECK, says, 'Look for a proxy that adds the header again.');
  }
  if (!SIGNATURE_PATTERN.test(signature)) {
    const says = `${SIGNATURE_HEADER} has ${signature.length} characters that are not a signature: 128 lower-case hex digits.`;
    return problem(CHECK, says, 'Look for a proxy that changes headers, and at who sent this.');
  }
  const { apiToken, previousApiToken } = config;
  if (isSignatureOf(body, signature, [apiToken]))
    return ok(CHECK, 'It is valid for SERVICE_PAY_API_TOKEN.');
  if (previousApiToken && isSignatureOf(body, signature, [previousApiToken]))
    return ok(
      CHECK,
      'It is valid for SERVICE_PAY_API_TOKEN_PREVIOUS: the service still signs with the old token.',
    );
  const tokens = previousApiToken ? [apiToken, previousApiToken] : [apiToken];
  if (formsOf(body).some((form) => isSignatureOf(form, signature, tokens)))
    return problem(
      CHECK,
      'The body was changed after it was signed: encoded again, or with other white space.',
      RAW_BYTES,
    );
  if (isSignatureOf(body, signature, [DEMO_TOKEN]))
    return problem(
      CHECK,
      'It was made with the token of the sandbox.',
      'Send the webhooks of a sandbox only to a shop that has its token.',
    );
  return problem(
    CHECK,
    'It was made with another token, or the body was changed.',
    `Compare SERVICE_PAY_API_TOKEN with the operator's. After a renewal, set SERVICE_PAY_API_TOKEN_PREVIOUS to the old one. ${RAW_BYTES}`,
  );
}

/** The bodies the service may have signed, if this one was encoded again on its way. */
function formsOf(body: Buffer): Buffer[] {
  const text = body.toString('utf8');
  const trimmed = text.trim();
  const unix = trimmed.replaceAll('\r\n', '\n');
  const forms = [trimmed, unix, `${unix}\n`, unix.replaceAll('\n', '\r\n')];
  try {
    const value: unknown = JSON.parse(trimmed);
    forms.push(JSON.stringify(value), JSON.stringify(value, null, 2));
  } catch {
    // not JSON, so nothing encoded it again as JSON
  }
  return forms.map((form) => Buffer.from(form));
}

function checkEvent(body: Buffer): Finding {
  const read = readWebhookEvent(body);
  if (!read)
    return problem(
      'Event',
      'The body is not a JSON event with a short member "event": the shop answers 400.',
      'It was signed with the right token. Look at who sends it.',
    );
  const event = read.event.slice(0, 60);
  return ok(
    'Event',
    read.reference === null
      ? `${event} names no payment: the shop answers 200 and does nothing.`
      : `${event} for ${read.reference}: the shop answers 200 and asks the service about it.`,
  );
}
