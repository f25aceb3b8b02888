import fc from 'fast-check';

import { CANARIES } from './canaries.ts';

export interface Ordered {
  reference: string;
  amount: string;
  currency: string;
}

export interface Answer {
  httpStatus: number;
  headers: Record<string, string>;
  body: Buffer;
  cutAt: number | undefined;
}

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
type Place = 'envelope' | 'data';

type Change =
  | { set: Place; name: string; value: Json }
  | { remove: Place; name: string }
  | { rename: string; to: string }
  | { reference: keyof typeof REFERENCES }
  | { text: keyof typeof TEXTS }
  | { endAt: number }
  | { byte: number; at: number; how: 'replace' | 'insert' | 'remove' }
  | { httpStatus: number }
  | { header: string; value: string }
  | { cutAt: number };

export interface MutatedAnswer {
  status: string;
  changes: Change[];
}

const STATUSES =
  'Successful|SUCCESSFUL|success|settled|successful | successful|true|paid|pending|failed|Failed|'.split(
    '|',
  );
const AMOUNTS =
  '92.5|92.50|92.500|92.51|92.49|9250|0.9250|9.25e1|92.|-92.50|+92.50| 92.50|92.50 |92,50|９２.50|092.50|0x5c|92.5000000000000001|1e900000|NaN|'.split(
    '|',
  );
const CURRENCIES = 'ZMW|zmw|ZMK|ZMW |MWK|ZMWX|ZМW|'.split('|');
const NAMES =
  'status|message|data|reference|amount|currency|fee|__proto__|constructor|toString|errorCode|Status|DATA'.split(
    '|',
  );

const REFERENCES = {
  'in capitals': (reference: string) => reference.toUpperCase(),
  'with a blank': (reference: string) => `${reference} `,
  'without its end': (reference: string) => reference.slice(0, -1),
  'with a zero byte': (reference: string) => `${reference}\u0000`,
  'in a list': (reference: string) => [reference],
  "another payment's": () => 'shop-another',
} satisfies Record<string, (reference: string) => Json>;

const TEXTS = {
  'in a list': (text: string) => `[${text}]`,
  twice: (text: string) => `${text}${text}`,
  'with a mark of its byte order': (text: string) => `\ufeff${text}`,
  'guarded against hijackers': (text: string) => `)]}',\n${text}`,
  'in a page': (text: string) => `<!doctype html><pre>${text}</pre>`,
  'status false': (text: string) => text.replace('"status":true', '"status":false'),
  'status as text': (text: string) => text.replace('"status":true', '"status":"true"'),
  'true, then false': (text: string) =>
    text.replace('"status":true', '"status":true,"status":false'),
  'successful, then pending': (text: string) =>
    text.replace('"successful"', '"successful","status":"pending"'),
  'pending, then successful': (text: string) =>
    text.replace('"pending"', '"pending","status":"successful"'),
  'data in data': (text: string) => text.replace('"data":{', '"data":{"data":{'),
  'in single quotes': (text: string) => text.replaceAll('"', "'"),
  'amount as a number': (text: string) => text.replaceAll('"92.50"', '92.50'),
  'padded beyond 64 kB': (text: string) => `${text}${' '.repeat(70_000)}`,
  'behind a wall of brackets': (text: string) => `${'['.repeat(5_000)}${text}`,
  null: () => 'null',
  nothing: () => '',
};

const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const place = fc.constantFrom<Place>('envelope', 'data');
const decided = fc.constantFrom('reference', 'status', 'amount', 'currency');

const anyValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    1,
    92.5,
    -1,
    'true',
    'successful',
    '92.50',
    'ZMW',
    [],
    {},
    ['successful'],
    ['92.50'],
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);
const cents = fc.integer({ min: 0, max: 20_000 }).map((amount) => (amount / 100).toFixed(2));

const memberChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    set: fc.constant('data' as const),
    name: fc.constant('status'),
    value: fc.constantFrom(...STATUSES),
  }),
  fc.record({
    set: fc.constant('data' as const),
    name: fc.constant('amount'),
    value: fc.oneof(fc.constantFrom(...AMOUNTS), cents),
  }),
  fc.record({
    set: fc.constant('data' as const),
    name: fc.constant('currency'),
    value: fc.constantFrom(...CURRENCIES),
  }),
  fc.record({
    reference: fc.constantFrom(...(Object.keys(REFERENCES) as (keyof typeof REFERENCES)[])),
  }),
  fc.record({ set: place, name: fc.constantFrom(...NAMES), value: anyValue }),
  fc.record({ remove: place, name: fc.oneof(decided, fc.constantFrom('data', 'message', 'fee')) }),
  fc.record({ rename: decided, to: fc.constantFrom(...NAMES) }),
);
const textChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ text: fc.constantFrom(...(Object.keys(TEXTS) as (keyof typeof TEXTS)[])) }),
  fc.record({ endAt: share }),
);
const byteChange: fc.Arbitrary<Change> = fc.record({
  byte: fc.nat(255),
  at: share,
  how: fc.constantFrom('replace' as const, 'insert' as const, 'remove' as const),
});

/**
 * Leaves out 401, since a refused token holds all calls back (T101). Statuses of a service in
 * trouble are rare, since they open the circuit.
 */
const httpChange: fc.Arbitrary<Change> = fc.oneof(
  {
    arbitrary: fc.record({
      httpStatus: fc.constantFrom(201, 202, 203, 206, 300, 302, 400, 402, 403, 404, 405, 410, 418),
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ httpStatus: fc.constantFrom(429, 500, 502, 503) }), weight: 1 },
  { arbitrary: fc.record({ cutAt: share }), weight: 1 },
  {
    arbitrary: fc.constantFrom<Change>(
      { header: 'content-encoding', value: 'gzip' },
      { header: 'content-type', value: 'text/html' },
      { header: 'location', value: 'http://127.0.0.1:1/' },
      { header: 'retry-after', value: '-1' },
    ),
    weight: 2,
  },
);

/**
 * Answers about a payment: one in ten is sound, the others have up to three changes of members,
 * text, bytes or headers.
 */
export const mutatedAnswer: fc.Arbitrary<MutatedAnswer> = fc.record({
  status: fc.constantFrom('successful', 'successful', 'successful', 'failed', 'pending'),
  changes: fc.oneof(
    { arbitrary: fc.constant<Change[]>([]), weight: 1 },
    {
      arbitrary: fc.array(
        fc.oneof(
          { arbitrary: memberChange, weight: 8 },
          { arbitrary: textChange, weight: 3 },
          { arbitrary: byteChange, weight: 3 },
          { arbitrary: httpChange, weight: 2 },
        ),
        { minLength: 1, maxLength: 3 },
      ),
      weight: 9,
    },
  ),
});

/** Writes an answer as it goes over the wire: members first, then its text, then its bytes. */
export function writeAnswer(
  { reference, amount, currency }: Ordered,
  { status, changes }: MutatedAnswer,
): Answer {
  const data: Record<string, Json> = {
    id: 'c7e8ec9e-0000-4000-8000-000000000000',
    reference,
    status,
    amount,
    currency,
    fee: '1.00',
  };
  const places = {
    data,
    envelope: { status: true, message: `Found. ${CANARIES.join(' ')}`, data } as Record<
      string,
      Json
    >,
  };
  for (const change of changes) {
    if ('set' in change) define(places[change.set], change.name, change.value);
    else if ('remove' in change) delete places[change.remove][change.name];
    else if ('reference' in change) data.reference = REFERENCES[change.reference](reference);
    else if ('rename' in change) {
      const value = data[change.rename];
      delete data[change.rename];
      if (value !== undefined) define(data, change.to, value);
    }
  }
  let text = JSON.stringify(places.envelope);
  for (const change of changes) {
    if ('text' in change) text = TEXTS[change.text](text);
    else if ('endAt' in change) text = text.slice(0, Math.floor(change.endAt * text.length));
  }
  const answer: Answer = {
    httpStatus: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(text),
    cutAt: undefined,
  };
  for (const change of changes) {
    if ('byte' in change) answer.body = changeByte(answer.body, change);
    else if ('httpStatus' in change) answer.httpStatus = change.httpStatus;
    else if ('header' in change) answer.headers[change.header] = change.value;
  }
  for (const change of changes)
    if ('cutAt' in change) answer.cutAt = Math.floor(change.cutAt * answer.body.length);
  return answer;
}

function changeByte(
  body: Buffer,
  { byte, at, how }: { byte: number; at: number; how: 'replace' | 'insert' | 'remove' },
): Buffer {
  const place = Math.floor(at * body.length);
  const rest = body.subarray(how === 'insert' ? place : place + 1);
  return Buffer.concat([
    body.subarray(0, place),
    how === 'remove' ? Buffer.alloc(0) : Buffer.from([byte]),
    rest,
  ]);
}

/** Sets a member of any name, even `__proto__`, as JSON does. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
