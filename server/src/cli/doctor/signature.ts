import { createHash, createHmac } from 'node:crypto';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '../../webhooks/signature.ts';
import { printable } from '../command-line.ts';
import { DEMO_TOKEN } from '../settings.ts';
import { bodyForms } from './body-forms.ts';
import type { Finding } from './finding.ts';

/** A webhook as it arrived: its headers as they came, its body byte for byte. */
export interface ReceivedDelivery {
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
}

/** What the shop is set to. */
export interface ShopKeys {
  apiToken: string;
  previousApiToken: string | undefined;
  publicKey: string;
}

/** A signature as it may have been meant. */
interface Reading {
  digest: Buffer;
  /** Only this much of it is there. */
  isCut: boolean;
  slip: string | undefined;
}

interface Secret {
  text: string;
  /** What is wrong with using it, said so that no key is shown. */
  slip: string | undefined;
  todo?: string;
}

const LONGEST_SHOWN_NAME = 60;
const KEY_RULE = 'the key is the lower-case hex text of the SHA-256 of the API token';

/** Keys people make from a token. The first is the right one (D41). */
const KEYS: { slip: string | undefined; make: (token: string) => string | Buffer }[] = [
  { slip: undefined, make: (token) => sha256(token).toString('hex') },
  { slip: `keyed with the token itself: ${KEY_RULE}`, make: (token) => token },
  { slip: `keyed with the raw digest of the token: ${KEY_RULE}`, make: sha256 },
  {
    slip: `keyed with the digest of the token in upper case: ${KEY_RULE}`,
    make: (token) => sha256(token).toString('hex').toUpperCase(),
  },
  {
    slip: `keyed with the digest of the token in base64: ${KEY_RULE}`,
    make: (token) => sha256(token).toString('base64'),
  },
  {
    slip: `keyed with the SHA-512 of the token: ${KEY_RULE}`,
    make: (token) => createHash('sha512').update(token).digest('hex'),
  },
];

/** Digests people make. The first is the right one (D41). */
const DIGESTS: {
  slip: string | undefined;
  make: (key: string | Buffer, body: Buffer) => Buffer;
}[] = [
  { slip: undefined, make: (key, body) => createHmac('sha512', key).update(body).digest() },
  ...['sha256', 'sha384', 'sha1'].map((algorithm) => ({
    slip: `made with HMAC-${algorithm.toUpperCase().replace('SHA', 'SHA-')}: it must be HMAC-SHA512`,
    make: (key: string | Buffer, body: Buffer) => createHmac(algorithm, key).update(body).digest(),
  })),
  {
    slip: 'made with SHA-512 over key and body one after the other: it must be HMAC-SHA512',
    make: (key, body) => createHash('sha512').update(key).update(body).digest(),
  },
  {
    slip: 'made with SHA-512 over body and key one after the other: it must be HMAC-SHA512',
    make: (key, body) => createHash('sha512').update(body).update(key).digest(),
  },
];

const RAW_BYTES =
  'Check the signature over the raw bytes, before anything parses them, and have no proxy write the body anew.';

/**
 * Names why a delivery is refused, or says that its signature holds (T83). Pure; nothing it says
 * holds a key or part of the body.
 */
export function diagnoseSignature({ headers, body }: ReceivedDelivery, keys: ShopKeys): Finding[] {
  const { text, findings } = findSignature(headers);
  if (text === undefined) return findings;
  return [...findings, judge(text, body, keys)];
}

/**
 * The text of the signature, from whichever header carries it, and what is wrong with the header.
 */
function findSignature(headers: ReceivedDelivery['headers']): {
  text: string | undefined;
  findings: Finding[];
} {
  const values = headers
    .filter(([name]) => name.toLowerCase() === SIGNATURE_HEADER.toLowerCase())
    .map(([, value]) => value);
  const [first] = values.flatMap((value) => value.split(/\s*,\s*/));
  const problem = (says: string, todo: string): Finding => ({
    check: 'Signature header',
    verdict: 'problem',
    says,
    todo,
  });
  if (
    values.length > 1 ||
    (values.length === 1 && /^[0-9a-f]{128}\s*,\s*[0-9a-f]{128}$/i.test(values[0]!))
  ) {
    const says = `${SIGNATURE_HEADER} was sent twice, which reads as one text of two signatures.`;
    return {
      text: first,
      findings: [problem(says, 'Have it sent once: look for a proxy that adds it again.')],
    };
  }
  if (values.length === 1 && values[0]!.trim() === '') {
    return {
      text: undefined,
      findings: [
        problem(`${SIGNATURE_HEADER} is empty.`, 'Look for a proxy or a firewall that empties it.'),
      ],
    };
  }
  if (values.length === 1) return { text: values[0], findings: [] };

  const misnamed = headers.find(
    ([name, value]) => /signature|hmac|digest/i.test(name) && readings(value).length > 0,
  );
  if (misnamed) {
    const says = `There is no ${SIGNATURE_HEADER}; what looks like its value came as ${printable(misnamed[0].slice(0, LONGEST_SHOWN_NAME))}.`;
    return {
      text: misnamed[1],
      findings: [problem(says, `Have the header sent as ${SIGNATURE_HEADER}.`)],
    };
  }
  const says = `There is no ${SIGNATURE_HEADER}.`;
  return {
    text: undefined,
    findings: [
      problem(
        says,
        'Look for a proxy that drops headers it does not know; nobody but the service signs.',
      ),
    ],
  };
}

function judge(text: string, body: Buffer, keys: ShopKeys): Finding {
  const problem = (says: string, todo: string): Finding => ({
    check: 'Signature',
    verdict: 'problem',
    says,
    todo,
  });
  if (isSignatureOf(body, text, [keys.apiToken]))
    return { check: 'Signature', verdict: 'ok', says: 'It holds for SERVICE_PAY_API_TOKEN.' };
  if (keys.previousApiToken && isSignatureOf(body, text, [keys.previousApiToken])) {
    return {
      check: 'Signature',
      verdict: 'ok',
      says: 'It holds for SERVICE_PAY_API_TOKEN_PREVIOUS: the service still signs with the old token.',
    };
  }
  const meant = readings(text);
  if (!meant.length) {
    const says = `It is no signature: ${text.length} characters, where 128 lower-case hex digits are expected.`;
    return problem(
      says,
      'Look for a proxy that changes headers, or compare with what the sender says it sent.',
    );
  }
  const match = findMatch(meant, body, secretsOf(keys));
  if (match) return problem(`${match.slips.join('; ')}.`, match.todo);
  if (body.length === 0)
    return problem(
      'The body is empty, and no empty body was signed.',
      `Something read it before the check. ${RAW_BYTES}`,
    );
  if (body.toString('latin1') === '[object Object]')
    return problem('The body is "[object Object]": it was parsed and turned into text.', RAW_BYTES);
  return problem(
    'It was made with another token, or the body was changed in a way that cannot be undone.',
    keys.apiToken === DEMO_TOKEN
      ? 'This shop has the token of the sandbox: what another service signs is refused. Otherwise look for what changes the body.'
      : 'Was the token renewed? Set SERVICE_PAY_API_TOKEN, and SERVICE_PAY_API_TOKEN_PREVIOUS to the one before. Is this delivery meant for another shop, or from the sandbox?',
  );
}

function secretsOf({ apiToken, previousApiToken, publicKey }: ShopKeys): Secret[] {
  return [
    { text: apiToken, slip: undefined },
    ...(previousApiToken
      ? [{ text: previousApiToken, slip: 'made with SERVICE_PAY_API_TOKEN_PREVIOUS' }]
      : []),
    ...(apiToken === DEMO_TOKEN
      ? []
      : [
          {
            text: DEMO_TOKEN,
            slip: "made with another token, that of the sandbox's demo merchant: environments are mixed up",
            todo: 'Give the sandbox the webhook address of a shop that has its token, and never that of a shop that takes real money.',
          },
        ]),
    {
      text: publicKey,
      slip: 'made with the public key, which everybody knows',
      todo: 'Sign with the secret API token.',
    },
  ];
}

/**
 * What was done differently from the rule, where a signature made that way is the one at hand.
 * Fewest slips first.
 */
function findMatch(
  meant: readonly Reading[],
  body: Buffer,
  secrets: readonly Secret[],
): { slips: string[]; todo: string } | undefined {
  const asReceived = { bytes: body, change: undefined };
  const [rightKey] = KEYS;
  const [rightDigest] = DIGESTS;
  for (const secret of secrets) {
    for (const key of KEYS) {
      for (const digest of DIGESTS) {
        const found = compare(asReceived, secret, key, digest);
        if (found) return found;
      }
    }
  }
  for (const secret of secrets) {
    for (const form of bodyForms(body)) {
      const found = compare(form, secret, rightKey!, rightDigest!);
      if (found) return found;
    }
  }
  return undefined;

  function compare(
    form: { bytes: Buffer; change: string | undefined },
    secret: Secret,
    key: (typeof KEYS)[number],
    digest: (typeof DIGESTS)[number],
  ): { slips: string[]; todo: string } | undefined {
    const made = digest.make(key.make(secret.text), form.bytes);
    const reading = meant.find(({ digest: given, isCut }) =>
      (isCut ? made.subarray(0, given.length) : made).equals(given),
    );
    if (!reading) return undefined;
    const slips = [
      ...[secret.slip, key.slip, digest.slip, reading.slip]
        .filter((slip) => slip !== undefined)
        .map((slip) => `The signature was ${slip}`),
      ...(form.change ? [`The body is not the one that was signed: ${form.change}`] : []),
    ];
    const todo = form.change
      ? RAW_BYTES
      : (secret.todo ??
        'Mend whoever makes it: docs of the service say lower-case hex HMAC-SHA512 of the raw body.');
    return { slips, todo };
  }
}

/**
 * Every digest a text may stand for, the plainest first. Nothing where it is no digest however it
 * is read.
 */
function readings(given: string): Reading[] {
  const text = given.trim().replace(/^"(.*)"$/, '$1');
  const [, prefix, rest] = /^((?:hmac-?)?sha-?\d{3}|hmac|v\d)[=:]\s*(.+)$/i.exec(text) ?? [];
  const bare = rest ?? text;
  const slips = [
    ...(text === given ? [] : ['written with blanks or quotes around it']),
    ...(prefix ? [`written with a prefix before it`] : []),
  ];
  const read: Reading[] = [];
  const add = (digest: Buffer, slip: string | undefined, isCut = false) =>
    read.push({ digest, isCut, slip: [...slips, ...(slip ? [slip] : [])].join(', ') || undefined });

  const [digits = ''] = /^[0-9a-f]+/i.exec(bare) ?? [];
  const isHex = digits.length === bare.length;
  const inCapitals = /[A-F]/.test(digits)
    ? 'written in upper case: it must be lower-case hex'
    : undefined;
  if (isHex && isDigestLength(digits.length / 2)) add(Buffer.from(digits, 'hex'), inCapitals);
  else if (digits.length > 128 || (!isHex && digits.length === 128)) {
    add(
      Buffer.from(digits.slice(0, 128), 'hex'),
      `written with ${bare.length - 128} more characters after it`,
    );
  } else if (isHex && digits.length >= 32) {
    add(
      Buffer.from(digits.slice(0, digits.length & ~1), 'hex'),
      `cut to ${digits.length} of 128 characters`,
      true,
    );
  }
  if (/^[A-Za-z0-9+/_-]{26,}={0,2}$/.test(bare)) {
    const bytes = Buffer.from(bare, 'base64');
    if (isDigestLength(bytes.length) && !isHex)
      add(bytes, 'written in base64: it must be lower-case hex');
    const inner = bytes.toString('latin1');
    if (SIGNATURE_PATTERN.test(inner))
      add(Buffer.from(inner, 'hex'), 'written as base64 of the hex text: it must be the hex text');
  }
  return read;
}

function isDigestLength(bytes: number): boolean {
  return [64, 48, 32, 20].includes(bytes);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
