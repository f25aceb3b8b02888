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
let bodies: Map<string, DocumentedBody>;
const problems: string[] = [];
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) });
  ({ started: sandbox, routes } = await withRoutes(() => startSandbox({ log })));
  port = Number(new URL(sandbox.url).port);
  bodies = await readDocumentedBodies();
  await setTheScene();
});
afterAll(() => sandbox.close());

/** Makes the payments that the documented examples name. */
async function setTheScene(): Promise<void> {
  await sandbox.control.reset();
  const { id } = await sandbox.control.putCollection({ reference: 'order-1001' });
  for (const reference of ['order-1003', 'order-1004'])
    await client.attempt(await client.visit(reference), pay.phone('0960000000', 'mtn'));
  const visitor = await client.visit('open');
  const challenged = (await client.attempt(visitor, pay.card('4000000000003220'))).json.data
    .attempt;
  known = {
    id,
    merchant: 'pub_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    reference: 'order-1001',
    number: '0960000000',
    secret: challenged.challengeUrl.split('/').at(-1),
    version: 'v1',
    language: 'fr.json',
    name: 'webhook-lost',
    token: visitor.token,
  };
}

/** Needs a reference that no payment of the scene has. */
const NEW_SESSION = 'POST /checkout/v1/sessions';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Record<string, Schema>;
}

/** A request body as documented: spoiling an example gets further than random data. */
interface DocumentedBody {
  readonly examples: readonly Record<string, unknown>[];
  /** The path of each field that its schema names. */
  readonly fields: readonly (readonly string[])[];
}

interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Operation {
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly examples: Record<string, { readonly value: Record<string, unknown> }>;
        readonly schema: Schema;
      };
    };
  };
}

/** Returns the documented body of each route that takes one. */
async function readDocumentedBodies(): Promise<Map<string, DocumentedBody>> {
  const response = await fetch(`${sandbox.url}/openapi.json`);
  const { paths, components } = (await response.json()) as Description;
  const documented = new Map<string, DocumentedBody>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (!requestBody) continue;
      const { examples, schema } = requestBody.content['application/json'];
      const route = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      documented.set(route, {
        examples: Object.values(examples).map(({ value }) =>
          route === NEW_SESSION ? { ...value, reference: 'fresh' } : value,
        ),
        fields: fieldsOf(schema, components.schemas),
      });
    }
  }
  return documented;
}

function fieldsOf(schema: Schema, named: Record<string, Schema>): string[][] {
  const { $ref, anyOf = [], properties = {} } = schema;
  if ($ref) return fieldsOf(named[$ref.split('/').at(-1)!]!, named);
  return [
    ...anyOf.flatMap((each) => fieldsOf(each, named)),
    ...Object.entries(properties).flatMap(([name, value]) => [
      [name],
      ...fieldsOf(value, named).map((path) => [name, ...path]),
    ]),
  ];
}

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

function spoiltBody({ examples, fields }: DocumentedBody): fc.Arbitrary<string> {
  const spot = fc.tuple(
    fc.constantFrom([], ...fields),
    fc.constantFrom('__proto__', 'constructor', 'x', CANARY, '', '', '', ''),
    hostileValue,
  );
  const spots = fc.array(spot, { minLength: 1, maxLength: 3 });
  return fc.tuple(fc.constantFrom({}, ...examples), spots).map(([example, chosen]) => {
    const body = structuredClone(example);
    for (const [path, added, value] of chosen) setAt(body, added ? [...path, added] : path, value);
    return JSON.stringify(body);
  });
}

function setAt(body: object, path: readonly string[], value: unknown): void {
  const [name = 'x', ...rest] = path;
  const inner = Object.getOwnPropertyDescriptor(body, name)?.value;
  const owner = typeof inner === 'object' && inner !== null ? inner : {};
  if (rest.length) setAt(owner, rest, value);
  Object.defineProperty(body, name, {
    value: rest.length ? owner : value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function anyBody(documented: DocumentedBody): fc.Arbitrary<Uint8Array | undefined> {
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
    { weight: 5, arbitrary: spoiltBody(documented).map((text) => Buffer.from(text)) },
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
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        ...documented.examples.map((example) => Buffer.from(JSON.stringify(example))),
      ),
    },
  );
}

function anyCall(): fc.Arbitrary<Call> {
  return fc.constantFrom(...routes).chain((route) => {
    const documented = bodies.get(`${route.method} ${route.path}`) ?? {
      examples: [{}],
      fields: [],
    };
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
        body: anyBody(documented),
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

test('bad input is sent to every route', () => {
  const served = routes.map(({ method, path }) => `${method} ${path}`);

  expect(bodies.size).toBeGreaterThan(10);
  for (const [route, { examples }] of bodies) {
    expect(served).toContain(route);
    expect(examples, route).not.toEqual([]);
  }
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

  expect((await client.merchant('/collections/status/order-1001')).status).toBe(200);
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
  expect((await client.merchant('/collections/status/order-1001')).status).toBe(200);
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
      body: { ...bodies.get(`${method} ${path}`)?.examples[0], nonsense: 1 },
    });

    expect(response, path).toMatchObject({
      status: 400,
      json: { errorCode: '01', message: expect.stringContaining('nonsense is not a known field') },
    });
  }
});

test('the checkout API accepts unknown fields (D46)', async () => {
  const [example] = bodies.get(NEW_SESSION)!.examples;
  const body = { ...example, reference: 'more', nonsense: 1 };

  expect((await client.call('/checkout/v1/sessions', { method: 'POST', body })).status).toBe(201);
});
