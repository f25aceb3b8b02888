import { createHash, createHmac } from 'node:crypto';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import { readWebhookEvent } from '../webhooks/event.ts';
import { type Finding, ok, problem } from './finding.ts';
import { type Config, DEMO_TOKEN } from './settings.ts';

type WebhookTokens = Pick<Config, 'apiToken' | 'previousApiToken'>;

const RAW_BYTES =
  'Verify the signature over the raw bytes, before anything parses them. No proxy may rewrite the body.';

/**
 * Explains why the shop refuses a delivery, or says that it accepts it (T83). The file holds a
 * unchanged request: headers, an empty line, the body. Shows no token and no part of the body.
 */
export function checkDelivery(file: Buffer, config: WebhookTokens): Finding[] {
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

function checkSignature(values: string[], body: Buffer, config: WebhookTokens): Finding {
  const refuse = (says: string, todo: string) => problem('Signature', says, todo);
  const [signature = ''] = values;
  const { length } = signature;
  const { apiToken, previousApiToken } = config;
  const tokens = previousApiToken ? [apiToken, previousApiToken] : [apiToken];
  if (!signature)
    return refuse(
      `The request has no ${SIGNATURE_HEADER}.`,
      'Look for a proxy that drops headers. Only the service signs.',
    );
  if (values.length > 1 || signature.includes(','))
    return refuse(
      `${SIGNATURE_HEADER} was sent more than once.`,
      'Look for a proxy that adds the header again.',
    );
  const mistake = tokens.map((token) => findMistake(body, signature, token)).find(Boolean);
  if (mistake)
    return refuse(
      `The signature ${mistake}.`,
      'Sign with HMAC-SHA512, keyed with the hex SHA-256 of the token, and write it in lower-case hex.',
    );
  if (!SIGNATURE_PATTERN.test(signature))
    return refuse(
      `${SIGNATURE_HEADER} has ${length} characters that are not a signature: 128 lower-case hex digits.`,
      'Look for a proxy that changes headers, or for another sender than the service.',
    );
  if (isSignatureOf(body, signature, [apiToken]))
    return ok('Signature', 'It is valid for SERVICE_PAY_API_TOKEN.');
  if (isSignatureOf(body, signature, tokens))
    return ok(
      'Signature',
      'It is valid for SERVICE_PAY_API_TOKEN_PREVIOUS: the service still signs with the old token.',
    );
  if (formsOf(body).some((form) => isSignatureOf(form, signature, tokens)))
    return refuse(
      'The body was changed after it was signed: encoded again, or with other white space.',
      RAW_BYTES,
    );
  if (isSignatureOf(body, signature, [DEMO_TOKEN]))
    return refuse(
      'It was made with the token of the sandbox.',
      'Send the webhooks of a sandbox only to a shop that has its token.',
    );
  return refuse(
    'It was made with another token, or the body was changed.',
    `Compare SERVICE_PAY_API_TOKEN with the operator's. After a renewal, set SERVICE_PAY_API_TOKEN_PREVIOUS to the old one. ${RAW_BYTES}`,
  );
}

/** Names how code that signs with the right token goes wrong (T83). */
function findMistake(body: Buffer, signature: string, token: string): string | undefined {
  const digest = createHash('sha256').update(token).digest();
  const hmac = (hash: string, key: string | Buffer) => createHmac(hash, key).update(body);
  const right = hmac('sha512', digest.toString('hex')).digest();
  const mistakes = {
    [token]: 'is the API token itself',
    [hmac('sha512', token).digest('hex')]: 'is wrong: its key is the token itself',
    [hmac('sha512', digest).digest('hex')]: 'is wrong: its key is the raw digest of the token',
    [hmac('sha256', digest.toString('hex')).digest('hex')]: 'uses SHA-256 instead of SHA-512',
    [right.toString('base64')]: 'is in base64 instead of hex',
    [`sha512=${right.toString('hex')}`]: 'has a prefix before its hex digits',
  };
  return Object.hasOwn(mistakes, signature) ? mistakes[signature] : undefined;
}

function formsOf(body: Buffer): Buffer[] {
  const trimmed = body.toString('utf8').trim();
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
      'Its signature is valid. Find out which program sent it.',
    );
  const names = read.reference === null ? 'names no payment' : `for ${read.reference}`;
  const then = read.reference === null ? 'does nothing' : 'asks the service about it';
  return ok('Event', `${read.event.slice(0, 60)} ${names}: the shop answers 200 and ${then}.`);
}
