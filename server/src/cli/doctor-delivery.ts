import { createHash, createHmac } from 'node:crypto';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import type { Finding } from './finding.ts';
import type { Config } from './settings.ts';

const RAW_BYTES =
  'Verify the signature over the raw bytes, before anything parses them. No proxy may rewrite the body.';

/**
 * Explains why the shop rejects a delivery, or says that it accepts it (T83). The file holds an
 * unchanged request: headers, an empty line, the body. Shows no token and no part of the body.
 */
export function checkDelivery(
  file: Buffer,
  { apiToken, previousApiToken }: Pick<Config, 'apiToken' | 'previousApiToken'>,
): Finding {
  const end = /\r?\n\r?\n/.exec(file.toString('latin1'));
  if (!end)
    return [
      'The file has no empty line, so it has no body.',
      'Save the request unchanged: headers, an empty line, the body.',
    ];
  const head = file.toString('latin1', 0, end.index);
  const headers = [...head.matchAll(/^(?:> )?([^\s:]+)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/gm)];
  const valuesOf = (name: string) =>
    headers.filter((one) => one[1]!.toLowerCase() === name.toLowerCase()).map((one) => one[2]!);
  const received = file.subarray(end.index + end[0].length);
  // editors add a line end that is not part of the request
  const length = Number(valuesOf('content-length')[0] ?? received.length);
  const isPadded = received.subarray(length).toString('latin1').trim() === '';
  const body = isPadded ? received.subarray(0, length) : received;

  const tokens = previousApiToken ? [apiToken, previousApiToken] : [apiToken];
  return checkSignature(valuesOf(SIGNATURE_HEADER), body, tokens);
}

function checkSignature(values: string[], body: Buffer, tokens: string[]): Finding {
  const [signature = ''] = values;
  const isSigned = (by: string[], bytes: string | Buffer = body) =>
    isSignatureOf(bytes, signature, by);
  const mistake = tokens.map((token) => findMistake(body, signature, token)).find(Boolean);
  if (mistake)
    return [
      `The signature ${mistake}.`,
      'Sign with HMAC-SHA512, keyed with the hex SHA-256 of the token, and write it in lower-case hex.',
    ];
  if (values.length !== 1 || !SIGNATURE_PATTERN.test(signature))
    return [
      values.length === 1
        ? `${SIGNATURE_HEADER} must be 128 lower-case hex digits.`
        : `${SIGNATURE_HEADER} was sent ${values.length} times instead of once.`,
      'Look for a proxy that drops, repeats or changes headers. Only the service signs.',
    ];
  if (isSigned(tokens.slice(0, 1))) return ['It is valid for SERVICE_PAY_API_TOKEN.'];
  if (isSigned(tokens))
    return [
      'It is valid for SERVICE_PAY_API_TOKEN_PREVIOUS: the service still signs with the old token.',
    ];
  if (isSigned(tokens, encodeAgain(body)))
    return [
      'The body was changed after it was signed: encoded again, or with other white space. If your editor added a line end to the file, and that is all, the signature is valid.',
      RAW_BYTES,
    ];
  return [
    'It was made with another token, such as an old one or that of the sandbox, or the body was changed.',
    `Compare SERVICE_PAY_API_TOKEN with the provider's. After a renewal, set SERVICE_PAY_API_TOKEN_PREVIOUS to the old one. ${RAW_BYTES}`,
  ];
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

/** Returns the body as a program writes JSON, in case a parser or an editor changed its form. */
function encodeAgain(body: Buffer): string | Buffer {
  try {
    return JSON.stringify(JSON.parse(body.toString('utf8')));
  } catch {
    return body;
  }
}
