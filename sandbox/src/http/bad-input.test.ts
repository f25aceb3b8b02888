import { gzipSync } from 'node:zlib';
import { ERROR_CODES } from '@service-pay/contract/envelope';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { PRINTED_ERROR, pay, TestClient } from '../test/client.ts';
import { type RawResponse, sendBytes } from '../test/raw-http.ts';
import { type TestRoute, withRoutes } from '../test/routes.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1_000);

/** Placed in values; no rejection may repeat it. Its digits keep it from passing as a name. */
const CANARY = 'cnry8675309';

/** Heads that are not HTTP, or that servers read differently. */
const NO_REQUESTS = [
  ...[
    '',
    'x',
    '\0\0\0\0',
    '{"a":1}',
    'GET',
    'GET /',
    'GET / HTTP/9.9',
    'GET / HTTP/1.1 x',
    'GET  / HTTP/1.1',
    'get / HTTP/1.1',
  ],
  ...[
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0',
    'CONNECT evil.example:443 HTTP/1.1',
    'GET /\0 HTTP/1.1',
    'GET /é HTTP/1.1',
  ],
  ...[
    '* HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET http://evil.example/_sandbox/reset HTTP/1.1',
    'GET //evil.example/ HTTP/1.1',
    'GET ?x HTTP/1.1',
  ],
  ...[
    'Host: a\r\nHost: b',
    'Content-Length: -1',
    'Content-Length: 1e9',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length : 5',
  ].map(post),
  ...[
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked, gzip',
    'Transfer-Encoding: x',
    'Transfer-Encoding:\vchunked',
  ].map(post),
  ...[
    'No colon',
    ': empty',
    'a b: c',
    ' folded: x',
    'x: \r\n folded',
    'x: a\0b',
    `x: ${'y'.repeat(20_000)}`,
    'y: z\r\n'.repeat(3_000),
  ].map(post),
  `${post('Transfer-Encoding: chunked\r\nContent-Type: application/json')}\r\n\r\nzz\r\n{}\r\n0`,
  `${post('Transfer-Encoding: chunked\r\nContent-Type: application/json')}\r\n\r\nfffffffffffffffff\r\n{}\r\n0`,
];

function post(header: string): string {
  return `POST /_sandbox/reset HTTP/1.1\r\nHost: localhost\r\n${header}`;
}

interface Description {
  readonly paths: Record<string, Record<string, { readonly requestBody?: object }>>;
}

const STATUSES = [200, 201, 302, 304, 400, 401, 404, 413, 415];

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
];

interface Call {
  readonly route: TestRoute;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  readonly isCut: boolean;
}

let sandbox: Sandbox;
let routes: TestRoute[];
let port: number;
let known: Record<string, string>;
const problems: string[] = [];
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) });
  ({ started: sandbox, routes } = await withRoutes(() => startSandbox({ log })));
  port = Number(new URL(sandbox.url).port);
  await setTheScene();
});
afterAll(() => sandbox.close());

async function setTheScene(): Promise<void> {
  await sandbox.control.reset();
  const { id } = await sandbox.control.putCollection({ reference: 'known' });
  await client.attempt(await client.visit('prompted'), pay.phone('0960000000', 'mtn'));
  const visitor = await client.visit('open');
  const challenged = (await client.attempt(visitor, pay.card('4000000000003220'))).json.data
    .attempt;
  known = {
    id,
    merchant: 'pub_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    reference: 'known',
    number: '0960000000',
    secret: challenged.challengeUrl.split('/').at(-1),
    version: 'v1',
    language: 'fr.json',
    name: 'webhook-lost',
    token: visitor.token,
  };
}

/**
 * A valid body of each route with all that it takes: spoiling it gets further than random data, and
 * than the documented examples, which are short.
 */
const BODIES: Record<string, object> = {
  'POST /checkout/v1/sessions': {
    key: 'pub_sandbox_demo',
    email: 'ada@shop.example',
    reference: 'fresh',
    amount: '10.00',
    currency: 'ZMW',
    label: 'Tea',
    bearer: 'merchant',
    channels: ['card', 'mobile-money'],
    customer: { firstName: 'Ada', lastName: 'Test', phone: '0961111111' },
    billing: {
      streetAddress: '1 Road',
      city: 'Lusaka',
      state: 'Lusaka',
      postalCode: '10101',
      country: 'ZM',
    },
  },
  'POST /checkout/v1/sessions/current/attempts': {
    ...pay.card('4242424242424242'),
    mobileMoney: { operator: 'mtn', phone: '0961111111' },
  },
  'POST /checkout/v1/sessions/current/attempts/:id/one-time-code': { code: '000000' },
  'POST /checkout/v1/challenges/:secret': { answer: 'approve' },
  'POST /_sandbox/collections': {
    merchant: 'pub_sandbox_demo',
    reference: 'placed',
    id: '0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22',
    initiatedAt: '2026-01-01T00:00:00.000Z',
    completedAt: null,
    amount: '10.00',
    fee: '0.25',
    bearer: 'customer',
    currency: 'ZMW',
    serviceReference: '1',
    type: 'card',
    status: 'successful',
    source: 'api',
    reasonForFailure: null,
    settlementStatus: 'settled',
    settlement: { amountSettled: '9.75', status: 'settled' },
    mobileMoneyDetails: { phone: '0961111111', operator: 'mtn' },
    bankAccountDetails: {},
    cardDetails: { last4: '4242', cardType: 'visa' },
    notify: true,
  },
  'POST /_sandbox/pay': {
    merchant: 'pub_sandbox_demo',
    reference: 'played',
    amount: '10.00',
    currency: 'ZMW',
    email: 'ada@shop.example',
    phone: '0961111111',
    approve: true,
  },
  'PUT /_sandbox/clock': { mode: 'virtual', now: '2090-01-01T00:00:00.000Z' },
  'POST /_sandbox/clock/advance': { seconds: 60 },
  'POST /_sandbox/phones/:number/approve': { reference: 'prompted' },
  'POST /_sandbox/phones/:number/decline': { reference: 'prompted' },
  'PUT /_sandbox/merchants/:publicKey': {
    name: 'Shop',
    apiToken: 'sec_sandbox_new',
    webhookUrl: 'http://127.0.0.1:9/',
    bearer: 'customer',
    defaultCurrency: 'MWK',
    allowedOrigins: ['*'],
    channels: ['card'],
    events: ['collection.failed'],
  },
  'PUT /_sandbox/faults': {
    merchantApi: { rate: 0, kind: 'status', status: 503, errorCode: '10', latencyMs: 1 },
    checkoutApi: { rate: 0, kind: 'change', changes: { reference: 'another' } },
    webhooks: {
      drop: 0.5,
      duplicate: 0.5,
      delaySeconds: { min: 1, max: 2 },
      shuffle: 0.5,
      tamper: 0.5,
    },
    seed: 1,
  },
  'POST /_sandbox/scenarios/:name': { merchant: 'pub_sandbox_demo' },
  'POST /_sandbox/webhooks/replay': {
    reference: 'known',
    times: 2,
    shuffle: true,
    url: 'http://127.0.0.1:9/',
  },
  'POST /_sandbox/webhooks/:id/replay': { times: 2, url: 'http://127.0.0.1:9/' },
};

const QUERY_NAMES = [
  'page',
  'status',
  'type',
  'from',
  'to',
  'search',
  'merchant',
  'key',
  'origin',
  'x',
  '__proto__',
  'constructor',
  'a[b]',
];

const hostileValue = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...hostileValues()) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

const hostileText = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      '.',
      '..',
      '%00',
      '%0d%0aX-Injected:%201',
      '..%2f..%2f.env',
      '%2e%2e%2f',
      '%zz',
      '%',
      '%ED%A0%80',
      '%c0%ae',
      '%f0%9f%92%a9',
    ],
    ...[
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'undefined',
      'null',
      '-1',
      '1e9',
      '9'.repeat(400),
      CANARY,
      `sec_${CANARY}`,
    ],
    ...[
      '<script>alert(1)</script>',
      "'--",
      '{{7*7}}',
      '\xff\xfe',
      'é',
      ' '.repeat(20).trim(),
      'a'.repeat(10_000),
      '*',
      '(a+)+$',
      '[object Object]',
    ],
  ),
  fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

const anyHeader = fc.constantFrom<readonly [string, string]>(
  ...(
    [
      '',
      CANARY,
      'Bearer',
      'Bearer ',
      `Bearer ${CANARY}`,
      'Bearer sec_sandbox_demo',
      'Basic c2VjOg==',
      'bearer \xff\xfe',
    ] as const
  ).map((value) => ['Authorization', value] as const),
  ...[
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;;;',
    'application/jsonp',
    'multipart/form-data',
    '\xff',
    CANARY,
  ].map((value) => ['Content-Type', value] as const),
  ...['gzip', 'br', 'deflate', 'identity', CANARY].map(
    (value) => ['Content-Encoding', value] as const,
  ),
  ...['*/*', 'text/html', 'application/xml;q=\xff', ',,,', CANARY].map(
    (value) => ['Accept', value] as const,
  ),
  ...['br', 'gzip;q=0', '*;q=0', 'identity;q=0', ',', CANARY].map(
    (value) => ['Accept-Encoding', value] as const,
  ),
  ...['http://evil.example', 'null', CANARY].map((value) => ['Origin', value] as const),
  ...['evil.example', 'localhost:99999', 'localhost@evil', '', '[::1', CANARY].map(
    (value) => ['Host', value] as const,
  ),
  ['Last-Event-ID', CANARY],
  ['Last-Event-ID', '1'],
  ['X-Sandbox-Token', CANARY],
  ['X-Forwarded-For', '10.0.0.1'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Cookie', `a=${CANARY}`],
  ['Range', 'bytes=0-1,5-'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', CANARY],
  ['Expect', '100-continue'],
  ['Expect', CANARY],
  ['Upgrade', 'websocket'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['User-Agent', '<script>alert(1)</script>'],
  ['X-Long', 'x'.repeat(9_000)],
);

function hostileValues(): unknown[] {
  let deep: unknown = CANARY;
  for (let level = 0; level < 31; level++) deep = level % 2 ? [deep] : { a: deep };
  return [
    ...[
      null,
      true,
      0,
      -1,
      -0,
      1.5,
      1e9,
      1e308,
      Number.MAX_SAFE_INTEGER + 2,
      '',
      ' ',
      CANARY,
      `${CANARY}@x.y`,
      `sec_${CANARY}`,
      '\u0000',
      'a\u0000b',
    ],
    ...[
      '\ud800',
      '\udfff\ud800',
      '\u202e',
      '\uffff',
      '0',
      '-1',
      'NaN',
      'Infinity',
      '1e3',
      '0x10',
      '٣',
      '１２',
      '__proto__',
      'constructor',
    ],
    ...[
      '4111111111111111',
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'http://u:p@localhost/',
      'javascript:alert(1)',
      '//evil.example',
    ],
    ...[
      'x'.repeat(70_000),
      'x'.repeat(5_000),
      '2026-02-30T00:00:00.000Z',
      '+275760-09-13T00:00:00.001Z',
      '9999-12-31T23:59:59.999Z',
    ],
    ...[
      [],
      {},
      [[]],
      [null],
      [CANARY, CANARY],
      Array.from({ length: 2_000 }, () => 0),
      { length: 1 },
      { toString: CANARY },
    ],
    ...[
      JSON.parse('{"__proto__":{"isAdmin":true}}'),
      { constructor: { prototype: { isAdmin: true } } },
      deep,
    ],
  ];
}

function spoiltBody(sample: object): fc.Arbitrary<string> {
  const spot = fc.tuple(
    fc.nat(),
    hostileValue,
    fc.constantFrom('', '__proto__', 'constructor', 'x', CANARY, '', '', '', ''),
  );
  return fc.array(spot, { minLength: 1, maxLength: 3 }).map((spots) => {
    const body = structuredClone(sample) as Record<string, unknown>;
    const places = placesOf(body);
    for (const [place, value, added] of spots) {
      const [owner, name] = places[place % places.length] ?? [body, 'x'];
      Object.defineProperty(owner, added || name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return JSON.stringify(body);
  });
}

function placesOf(value: object): [object, string][] {
  return Object.entries(value).flatMap(([name, member]): [object, string][] => [
    [value, name],
    ...(typeof member === 'object' && member !== null ? placesOf(member) : []),
  ]);
}

function anyBody(sample: object): fc.Arbitrary<Uint8Array | undefined> {
  const texts = [
    ...[
      '',
      '{',
      '{}',
      '[]',
      'null',
      '0',
      '""',
      '{"a":}',
      '{"a":1e999}',
      '{"a":NaN}',
      '{"a":1,"a":2}',
      '{"a":"\\ud800"}',
      '{"\\u0000":1}',
      "{'a':1}",
    ],
    ...[
      `{"${CANARY}":"${CANARY}"}`,
      `{"${CANARY}`,
      '\ufeff{}',
      '{"__proto__":{"x":1}}',
      `${'['.repeat(30_000)}`,
      '{"a":'.repeat(10_000),
    ],
    ...[
      `{"a":"${'x'.repeat(1_000_000)}"}`,
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      '{"a":1}{"b":2}',
    ],
  ];
  return fc.oneof(
    { weight: 5, arbitrary: spoiltBody(sample).map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: fc.constantFrom(...texts).map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        Buffer.from([0xff, 0xfe, 0x7b]),
        Buffer.from('{"a":"\xff"}', 'latin1'),
        gzipSync('{}'),
      ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, Buffer.from(JSON.stringify(sample))) },
  );
}

function anyCall(): fc.Arbitrary<Call> {
  return fc.constantFrom(...routes).chain((route) => {
    const sample = BODIES[`${route.method} ${route.path}`] ?? {};
    const part = fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: hostileText },
    );
    return fc
      .record({
        method: fc.oneof(
          { weight: 5, arbitrary: fc.constant(route.method) },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
        ),
        parts: fc.array(part, { minLength: 3, maxLength: 3 }),
        query: fc.array(fc.tuple(fc.constantFrom(...QUERY_NAMES), hostileText), { maxLength: 3 }),
        headers: fc.oneof(fc.constant([]), fc.array(anyHeader, { minLength: 1, maxLength: 3 })),
        token: fc.constantFrom(
          route.path.startsWith('/access/') ? 'merchant' : 'session',
          'session',
          'merchant',
          'none',
        ),
        isJson: fc.oneof(
          { weight: 9, arbitrary: fc.constant(true) },
          { weight: 1, arbitrary: fc.constant(false) },
        ),
        body: anyBody(sample),
        isCut: fc.integer({ min: 0, max: 19 }).map((die) => die === 0),
      })
      .map(({ method, parts, query, headers, token, isJson, body, isCut }) => {
        let place = 0;
        const path = route.path.replace(
          /:(\w+)/g,
          (_, name: string) => parts[place++ % parts.length] ?? known[name] ?? 'x',
        );
        const target =
          path +
          (query.length ? `?${query.map(([name, value]) => `${name}=${value}`).join('&')}` : '');
        const given =
          token === 'session'
            ? known['token']
            : token === 'merchant'
              ? 'sec_sandbox_demo'
              : undefined;
        return {
          route,
          method,
          target: target.replace(/[\s\0]/g, ''),
          headers: [
            ...(given ? [['Authorization', `Bearer ${given}`] as const] : []),
            ...(isJson && body ? [['Content-Type', 'application/json'] as const] : []),
            ...headers,
          ],
          body,
          isCut,
        };
      });
  });
}

async function send({
  method,
  target,
  headers,
  body,
  isCut,
}: Call): Promise<RawResponse | undefined> {
  const hasHost = headers.some(([name]) => name === 'Host');
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: localhost:${port}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`Content-Length: ${body.length}`] : []),
  ];
  const bytes = Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    body ?? Buffer.alloc(0),
  ]);
  return sendBytes(port, isCut ? bytes.subarray(0, Math.floor(bytes.length * 0.9)) : bytes, {
    isHead: method === 'HEAD',
    isCut,
  });
}

function expectSound(response: RawResponse, isHead: boolean): void {
  const type = response.headers.get('content-type') ?? '';
  expect(STATUSES).toContain(response.status);
  expect(response.body).not.toMatch(
    /(?:\\n|\n) +at |node_modules|\.ts:\d|<pre>|Cannot (?:GET|POST|PUT)/,
  );
  expect([...response.headers.keys()]).not.toContain('x-injected');
  if (response.status < 400 || isHead) return;
  expect(response.body).not.toContain(CANARY);
  if (type === 'text/javascript; charset=utf-8') {
    expect(response.body).toMatch(PRINTED_ERROR);
    return;
  }
  expect(type).toBe('application/json; charset=utf-8');
  const { status, message, errorCode, data, ...more } = JSON.parse(response.body);
  expect(status).toBe(false);
  expect(message).toMatch(/^\S[\s\S]{0,3000}[.]$/);
  expect(Object.keys(ERROR_CODES)).toContain(errorCode);
  expect(more).toEqual({});
  for (const problem of data?.problems ?? [])
    expect(Object.keys(problem).sort()).toEqual(['code', 'message', 'path']);
}

test('bad input is sent to every route, and spoils a body of each that takes one', async () => {
  const served = routes.map(({ method, path }) => `${method} ${path}`);

  for (const one of Object.keys(BODIES)) expect(served).toContain(one);
  const { paths } = (await client.call('/openapi.json')).json as unknown as Description;
  const taking = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { requestBody }]) => requestBody)
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(taking.sort()).toEqual(Object.keys(BODIES).sort());
  for (const face of [
    '/js/',
    '/checkout/v1/',
    '/access/v2/',
    '/_sandbox/',
    '/dashboard',
    '/phone/',
    '/assets/',
    '/openapi.json',
    '/favicon.ico',
  ]) {
    expect(
      served.some((one) => one.includes(` ${face}`)),
      face,
    ).toBe(true);
  }
});

test('no request breaks a route, is echoed, or gets a response outside the envelope (T61, T63)', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anyCall(), async (call) => {
      const response = await send(call);

      if (response) expectSound(response, call.method === 'HEAD');
      else expect(call.isCut).toBe(true);
      expect(problems).toEqual([]);
      if (call.method !== 'GET' && (response?.status ?? 200) < 300) await setTheScene();
    }),
    { numRuns: RUNS },
  );

  expect((await client.merchant('/collections/status/known')).status).toBe(200);
});

test('the sandbox rejects invalid HTTP in the envelope and keeps serving others', async () => {
  for (const head of NO_REQUESTS) {
    const response = await sendBytes(port, Buffer.from(`${head}\r\n\r\n`, 'latin1'), {
      isCut: true,
    });

    // Node closes an empty request and a tunnel without a response.
    if (head === '' || head.startsWith('CONNECT ')) {
      expect(response).toBeUndefined();
      continue;
    }
    expectSound(response!, false);
    expect(response!.status, head).toBeGreaterThanOrEqual(400);
    expect(response!.body).not.toContain('evil');
  }
  expect((await client.merchant('/collections/status/known')).status).toBe(200);
  expect(problems).toEqual([]);
});

test('every control call names an unknown field that it rejects', async () => {
  const calls = routes.filter(
    ({ method, path }) => path.startsWith('/_sandbox/') && method !== 'GET',
  );
  expect(calls.length).toBeGreaterThan(10);

  for (const { method, path } of calls) {
    const target = path.replace(/:(\w+)/g, (_, name: string) => known[name]!);
    const response = await client.call(target, {
      method,
      body: { ...BODIES[`${method} ${path}`], nonsense: 1 },
    });

    expect(response, path).toMatchObject({
      status: 400,
      json: { errorCode: '01', message: expect.stringContaining('nonsense is not a known field') },
    });
  }
});

test('the checkout API accepts unknown fields (D46)', async () => {
  const body = { ...BODIES['POST /checkout/v1/sessions'], reference: 'more', nonsense: 1 };

  expect((await client.call('/checkout/v1/sessions', { method: 'POST', body })).status).toBe(201);
});
