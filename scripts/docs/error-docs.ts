const FAULTS = '/_sandbox/faults';

/**
 * One call of the sandbox. `token` is the demo merchant's, or that of the session which an earlier
 * call opened.
 */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token?: 'api' | 'session';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** One way to an error, in words and as calls. The last call fails with the error. */
export interface Trigger {
  readonly httpStatus: number;
  readonly words: string;
  readonly calls: readonly Call[];
}

export interface ErrorRow {
  readonly codes: readonly string[];
  readonly http: string;
  readonly cause: string;
  readonly cure: string;
  readonly triggers: (code: string) => readonly Trigger[];
}

const LIST: Call = { method: 'GET', path: '/access/v2/collections', token: 'api' };
const NOT_PART = 'not used by collections';

const open = (reference: string, more: object = {}): Call => ({
  method: 'POST',
  path: '/checkout/v1/sessions',
  body: { key: 'pub_sandbox_demo', email: 'ada@shop.example', reference, amount: '10.00', ...more },
});
const attempt = (id: string, more: object): Call => ({
  method: 'POST',
  path: '/checkout/v1/sessions/current/attempts',
  token: 'session',
  body: { id, ...more },
});
const payByCard = (id: string) =>
  attempt(id, {
    channel: 'card',
    card: { number: '4242424242424242', expiry: '12/34', securityCode: '123', name: 'Ada Test' },
  });

const bySwitch = (errorCode: string, httpStatus: number): Trigger => ({
  httpStatus,
  words: 'a fault',
  calls: [
    {
      method: 'PUT',
      path: FAULTS,
      body: { merchantApi: { rate: 1, kind: 'status', status: httpStatus, errorCode } },
    },
    LIST,
  ],
});

/** Every error code, its meaning, and every way to reproduce it in the sandbox. */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    codes: ['01'],
    http: '400, 413, 415',
    cause: 'invalid parameters, see `data.problems`. 413: too large, 415: not JSON',
    cure: 'fix the request',
    triggers: () => [
      {
        httpStatus: 400,
        words: 'request page 0',
        calls: [{ ...LIST, path: `${LIST.path}?page=0` }],
      },
      {
        httpStatus: 413,
        words: 'send more than 64 kB',
        calls: [open('errors-01', { label: 'x'.repeat(70_000) })],
      },
      {
        httpStatus: 415,
        words: 'send JSON as text',
        calls: [{ ...open('errors-01'), headers: { 'content-type': 'text/plain' } }],
      },
    ],
  },
  {
    codes: ['02'],
    http: '400',
    cause: 'insufficient funds (transfers)',
    cure: NOT_PART,
    triggers: (code) => [bySwitch(code, 400)],
  },
  {
    codes: ['03'],
    http: '400',
    cause: 'transfer limit exceeded (transfers)',
    cure: NOT_PART,
    triggers: (code) => [bySwitch(code, 400)],
  },
  {
    codes: ['04'],
    http: '400',
    cause:
      'the reference is invalid, was used with another amount or currency, or its session has ended',
    cure: 'never a new reference by itself: see [A used reference](#a-used-reference)',
    triggers: () => [
      {
        httpStatus: 400,
        words: 'open a reference again with another amount',
        calls: [open('errors-04'), open('errors-04', { amount: '11.00' })],
      },
      {
        httpStatus: 400,
        words: 'pay a paid reference',
        calls: [
          open('errors-04-paid'),
          payByCard('3f9a1d6e-0b55-4c8e-9f0a-5d1f6a7b8c90'),
          payByCard('7c2e4b18-6a93-4f0d-8e21-0a9b3c4d5e6f'),
        ],
      },
    ],
  },
  {
    codes: ['05', '06', '07', '08'],
    http: '400',
    cause: 'recipients and bulk transfers',
    cure: NOT_PART,
    triggers: (code) => [bySwitch(code, 400)],
  },
  {
    codes: ['09'],
    http: '401',
    cause:
      'the token is missing, unknown, a public key, or not sent as `Authorization: Bearer <token>`. In the popup: the service does not know the key',
    cure: 'use the token on the server and the public key in the page, both of the same environment',
    triggers: () => [
      {
        httpStatus: 401,
        words: 'call without a token',
        calls: [{ method: 'GET', path: LIST.path }],
      },
      {
        httpStatus: 401,
        words: 'open a session with an unknown key',
        calls: [open('errors-09', { key: 'pub_of_another_service' })],
      },
    ],
  },
  {
    codes: ['10'],
    http: '500',
    cause: 'internal error',
    cure: 'try again later; report the request id to your provider',
    triggers: (code) => [bySwitch(code, 500)],
  },
  {
    codes: ['10'],
    http: '503, 429',
    cause:
      'temporarily unavailable; see `Retry-After`. From the shop, 503 means **not known yet**, never failed',
    cure: 'wait and retry',
    triggers: (code) => [bySwitch(code, 503), bySwitch(code, 429)],
  },
  {
    codes: ['11'],
    http: '404',
    cause:
      "no such path or payment; also before the first attempt, and for another browser's order",
    cure: 'check path and reference; from verify, it means "not known yet"',
    triggers: () => [
      {
        httpStatus: 404,
        words: 'verify an unknown reference',
        calls: [{ ...LIST, path: `${LIST.path}/status/nothing` }],
      },
      {
        httpStatus: 404,
        words: 'verify before the first attempt',
        calls: [open('errors-11'), { ...LIST, path: `${LIST.path}/status/errors-11` }],
      },
    ],
  },
  {
    codes: ['12'],
    http: '400',
    cause: 'the phone number is invalid or belongs to another network',
    cure: 'ask for the number again',
    triggers: () => [
      {
        httpStatus: 400,
        words: 'enter 0971111111 for MTN',
        calls: [
          open('errors-12'),
          attempt('5b0c7d2a-1e34-4f56-9a78-b9c0d1e2f3a4', {
            channel: 'mobile-money',
            mobileMoney: { operator: 'mtn', phone: '0971111111' },
          }),
        ],
      },
    ],
  },
  {
    codes: ['13'],
    http: '401',
    cause:
      'access denied: the origin is not allowed, the host is wrong, or another site sent the request',
    cure: 'call from an allowed origin; check `PUBLIC_URL`',
    triggers: () => [
      {
        httpStatus: 401,
        words: "change data from another site's page",
        calls: [
          { method: 'POST', path: '/_sandbox/reset', headers: { origin: 'https://evil.example' } },
        ],
      },
    ],
  },
];

/** Returns the codes as a table. */
export function writeCodes(): string {
  const anchored = new Set<string>(); // one anchor for each code, at its first row
  const rows = ERROR_ROWS.map(({ codes, http, cause, cure }) => {
    const anchors = codes
      .filter((code) => !anchored.has(code) && anchored.add(code))
      .map((code) => `<a id="error-${code}"></a>`);
    return `| ${codes.join(' ')} | ${http} | ${anchors.join('')}${cause} | ${cure} |`;
  });
  const heads = '| code | HTTP | cause | fix |\n| --- | --- | --- | --- |';
  return `\n${heads}\n${rows.join('\n')}\n\n`;
}
