import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { PaymentsError } from '../errors.ts';
import { decide, type Move } from '../payments/decide.ts';
import type { Payment } from '../payments/payment.ts';
import { startUpstream } from '../testing/upstream.ts';
import { buildServiceClient } from './client.ts';

const RESPONSES = Number(process.env.GARBAGE ?? (process.env.DRAW_ANEW ? 3_000 : 600));
const AT_ONCE = 120;
const PATIENT_MS = 10 * 60_000;

const TOKEN = 'sec_garbage_canary';
/** Sent with every call or response. The last looks like a card number. */
const SECRETS = [TOKEN, 'response-canary', '4111111111111111'];

const ORDERED = { reference: 'shop-Order.1', amount: '92.50', currency: 'ZMW' };

type Verdict = Move['to'];

test('a payment is paid, failed or in review only if the whole response says so (F7, D50, D51, D52)', {
  timeout: PATIENT_MS,
}, async () => {
  let responses: GarbageResponse[] = [];
  const service = await startUpstream(({ url = '' }, res) => {
    const { httpStatus, headers, bytes, cutAt } = responses[Number(url.split('/')[1])]!;
    const body = Buffer.from(bytes, 'latin1');
    res.writeHead(httpStatus, { 'content-length': body.length, ...headers });
    if (cutAt === undefined) res.end(body);
    else res.write(body.subarray(0, cutAt), () => res.destroy());
  });
  onTestFinished(service.close);
  const drawn: Record<string, number> = {};

  await fc.assert(
    fc.asyncProperty(
      fc.array(garbage, { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (given) => {
        responses = given;
        const verdicts = await Promise.all(given.map((_, at) => verify(`${service.url}/${at}`)));
        for (const [at, response] of given.entries()) {
          const expected = judge(response);
          drawn[expected] = (drawn[expected] ?? 0) + 1;
          expect({ verdict: verdicts[at], response }).toEqual({ verdict: expected, response });
        }
      },
    ),
    // The error shows the response itself, so that a shorter list would say no more.
    { numRuns: RESPONSES / AT_ONCE, endOnFailure: true },
  );

  expect(Object.keys(drawn).sort()).toEqual(['awaiting-payment', 'failed', 'needs-review', 'paid']);
  expect(drawn.paid).toBeGreaterThan(RESPONSES / 20);
});

/** Verifies with a client of its own: many bad responses in a row would open the circuit of a shared one. */
async function verify(apiUrl: string): Promise<Verdict> {
  const payment = { ...ORDERED, state: 'awaiting-payment', movedAt: 0 } as Payment;
  const client = buildServiceClient({ apiUrl, apiToken: TOKEN });
  try {
    const move = decide(payment, await client.verify(ORDERED.reference), 0);
    return move?.to ?? 'awaiting-payment';
  } catch (error) {
    const shown = inspect(error, { depth: 9 });
    expect((error as PaymentsError).code, shown).toBe('not_known_yet');
    expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([]);
    return 'awaiting-payment';
  } finally {
    await client.close();
  }
}

/**
 * Judges a response without a line of the shop's code: numbers are read by hand, amounts as whole
 * cents. What cannot be read, or is not specified, leaves the payment awaited.
 */
function judge({ httpStatus, bytes, cutAt }: GarbageResponse): Verdict {
  const { reference, amount, currency } = ORDERED;
  if (httpStatus !== 200 || cutAt !== undefined || bytes.length > 65_536) return 'awaiting-payment';
  let said: unknown;
  try {
    said = JSON.parse(Buffer.from(bytes, 'latin1').toString());
  } catch {
    return 'awaiting-payment';
  }
  const own = (from: unknown, name: string) =>
    Object.hasOwn(Object(from), name) ? (from as Record<string, unknown>)[name] : undefined;
  const data = own(said, 'data');
  const cents = toCents(own(data, 'amount'));
  const isAboutPayment = own(said, 'status') === true && own(data, 'reference') === reference;
  if (!isAboutPayment || cents === undefined || typeof own(data, 'currency') !== 'string')
    return 'awaiting-payment';
  if (own(data, 'status') === 'failed') return 'failed';
  if (own(data, 'status') !== 'successful') return 'awaiting-payment';
  const isAsOrdered = cents === toCents(amount) && own(data, 'currency') === currency;
  return isAsOrdered ? 'paid' : 'needs-review';
}

function toCents(amount: unknown): bigint | undefined {
  if (typeof amount !== 'string') return undefined;
  const [, whole = '', places = ''] =
    /^(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,2}))?$/.exec(amount) ?? [];
  return whole === '' || amount.endsWith('\n')
    ? undefined
    : BigInt(whole) * 100n + BigInt(places.padEnd(2, '0'));
}

interface GarbageResponse {
  httpStatus: number;
  headers: Record<string, string>;
  bytes: string;
  cutAt?: number | undefined;
}

type Change = (response: GarbageResponse, members: Members) => void;
type Members = Record<'data' | 'envelope', Record<string, unknown>>;

const of = <Value>(...values: Value[]) => fc.constantFrom(...values);
const words = (text: string) => fc.constantFrom(...text.split('|'));
const share = fc.double({ min: 0, max: 0.999, noNaN: true });

const STATUSES = words(
  'Successful|SUCCESSFUL|success|settled|successful | successful|true|paid|pending|failed|Failed|',
);
const AMOUNTS = words(
  '92.5|92.50|92.500|92.51|92.49|9250|0.9250|9.25e1|92.|-92.50|+92.50| 92.50|92.50 |92,50|９２.50|092.50|0x5c|92.5000000000000001|1e900000|NaN|',
);
const CURRENCIES = words('ZMW|zmw|ZMK|ZMW |MWK|ZMWX|ZМW|');
const REFERENCES = words('SHOP-ORDER.1|shop-Order.1 |shop-Order.|shop-Order.1\0|shop-another');
const DECIDES = ['reference', 'status', 'amount', 'currency'];
const NAMES = [
  ...DECIDES,
  'message',
  'data',
  'fee',
  '__proto__',
  'constructor',
  'errorCode',
  'DATA',
];
const CENTS = fc.integer({ min: 0, max: 20_000 }).map((cents) => (cents / 100).toFixed(2));
const ANYTHING = fc.oneof(
  of<unknown>(null, true, false, 0, 92.5, -1, 'true', 'successful', '92.50', [], {}, ['92.50']),
  fc.string({ maxLength: 12, unit: 'binary' }),
  fc.jsonValue({ maxDepth: 2 }),
);

const member: fc.Arbitrary<Change> = fc
  .oneof(
    fc.tuple(of('data'), of('status'), STATUSES),
    fc.tuple(of('data'), of('amount'), fc.oneof(AMOUNTS, CENTS)),
    fc.tuple(of('data'), of('currency'), CURRENCIES),
    fc.tuple(of('data'), of('reference'), fc.oneof(REFERENCES, of([ORDERED.reference]))),
    fc.tuple(of('data', 'envelope'), of(...NAMES), ANYTHING),
    fc.tuple(of('data', 'envelope'), of(...DECIDES, 'data', 'message'), of(undefined)),
  )
  .map(([place, name, value]) => (_response, members) => {
    // also sets `__proto__`, as JSON does; undefined leaves the member out
    const made = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(members[place as keyof Members], name, made);
  });

const text: fc.Arbitrary<Change> = of<(text: string) => string>(
  (text) => `[${text}]`,
  (text) => text + text,
  (text) => `\xef\xbb\xbf${text}`, // a byte order mark
  (text) => `)]}',\n${text}`,
  (text) => `<!doctype html><pre>${text}</pre>`,
  (text) => text.replace('"status":true', '"status":"true"'),
  (text) => text.replace('"status":true', '"status":true,"status":false'),
  (text) => text.replace('"successful"', '"successful","status":"pending"'),
  (text) => text.replace('"pending"', '"pending","status":"successful"'),
  (text) => text.replace('"data":{', '"data":{"data":{'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replaceAll('"92.50"', '92.50'),
  (text) => `${text}${' '.repeat(70_000)}`,
  (text) => `${'['.repeat(5_000)}${text}`,
  () => 'null',
  () => '',
).map((change) => (response) => {
  response.bytes = change(response.bytes);
});

const bytes: fc.Arbitrary<Change> = fc
  .tuple(
    share,
    of(0, 1),
    fc.oneof(
      of(''),
      fc.nat(255).map((byte) => String.fromCharCode(byte)),
    ),
  )
  .map(([at, removed, put]) => (response) => {
    const place = Math.floor(at * response.bytes.length);
    response.bytes = response.bytes.slice(0, place) + put + response.bytes.slice(place + removed);
  });

/** Without 401: a rejected token is for an operator. */
const http: fc.Arbitrary<Change> = fc.oneof(
  of(201, 203, 206, 300, 302, 400, 403, 404, 410, 418, 429, 500, 503).map(
    (httpStatus) => (response: GarbageResponse) => {
      response.httpStatus = httpStatus;
    },
  ),
  of(['content-encoding', 'gzip'], ['content-type', 'text/html'], ['retry-after', '-1']).map(
    ([name, value]) =>
      (response: GarbageResponse) => {
        response.headers[name!] = value!;
      },
  ),
  share.map((at) => (response: GarbageResponse) => {
    response.cutAt = Math.floor(at * response.bytes.length);
  }),
);

/** One response in ten is sound. The others have up to three changes: of members, text, bytes, HTTP. */
const garbage: fc.Arbitrary<GarbageResponse> = fc
  .record({
    status: of('successful', 'successful', 'successful', 'failed', 'pending'),
    members: fc.array(member, { maxLength: 2 }),
    others: fc.array(fc.oneof(text, bytes, http), { maxLength: 1 }),
  })
  .map(({ status, members: changes, others }) => {
    const data = { ...ORDERED, status, id: 'c7e8ec9e-0000-4000-8000-000000000000', fee: '1.00' };
    const envelope = { status: true, message: SECRETS.slice(1).join(' '), data };
    const response = { httpStatus: 200, headers: {}, bytes: '' };
    for (const change of changes) change(response, { data, envelope });
    response.bytes = Buffer.from(JSON.stringify(envelope)).toString('latin1');
    for (const change of others) change(response, { data, envelope });
    return response;
  });
