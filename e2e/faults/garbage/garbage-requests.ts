import { connect } from 'node:net';
import fc from 'fast-check';
import type { PlacedOrder } from '../shop/shopping.ts';
import { CANARIES } from './canaries.ts';
import type { GarbageScene } from './garbage-scene.ts';

const AT_ONCE = 16;
const ANSWERS_WITHIN_MS = 20_000;

const REQUESTS_OF_ONE = 100;
const HEARD_PERCENT = 95;
const [WORD, CARD] = CANARIES;

const METHODS = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'get',
  'X',
];
export const PATHS = [
  '/',
  '/index.html',
  '/payments/return',
  '/payments/return?reference=REF',
  '/payments/return/REF',
  '/element',
  '/favicon.ico',
  '/api/catalogue',
  '/api/orders',
  '/api/orders/open',
  '/api/orders/REF',
  '/api/payments',
  '/api/payments/REF/verify',
  '/api/payments/REF/events',
  '/api/payments/REF/retry',
  '/api/payments/REF',
  '/webhooks/service-pay',
  '/healthz',
  '/readyz',
  '/metrics',
  '/assets/shop.js',
  '/assets/flow.js',
  '/assets/REF',
  '/REF',
];
const REFERENCES = [
  '.',
  '..',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  '%ff',
  '%c0%ae',
  '__proto__',
  'constructor',
  '//evil.example',
  '%0d%0aSet-Cookie:x=1',
  'é',
  '"',
  '<script>',
  CARD,
  'x'.repeat(200),
  'x'.repeat(9_000),
  '',
  ' ',
];
const QUERIES = [
  '',
  '',
  '',
  '?',
  '?x=1',
  '?__proto__[x]=1',
  '?x[]=1&x[]=2',
  '?x=%',
  `?card=${CARD}&word=${WORD}`,
  `?${'x'.repeat(5_000)}`,
  '?#',
  '??',
  '?reference=REF',
];
const ORDER = JSON.stringify({
  items: [{ sku: 'honey-500', quantity: 1 }],
  customer: { email: 'mary@example.com' },
});
const BODIES = [
  '',
  ORDER,
  ORDER,
  `[${ORDER}]`,
  ORDER.replace('1', '-1'),
  ORDER.replace('1', '1e99'),
  ORDER.replace('"honey-500"', 'null'),
  ORDER.replace('mary@example.com', WORD),
  ORDER.replace('{', '{"__proto__":{"x":1},'),
  `{"items":"${WORD} ${CARD}"}`,
  `${WORD}`,
  'null',
  '0',
  '"',
  '{',
  '['.repeat(20_000),
  ' '.repeat(70_000),
  '{"a":'.repeat(5_000),
  '\ufeff{}',
  `{"items":[],"customer":{"email":["${CARD}"]}}`,
];

const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

const FROM_PAGE = [
  ['Content-Type', 'application/json'],
  ['Origin', 'ORIGIN'],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Cookie', 'COOKIE'],
];

const oneOf = (...values: string[]) => fc.constantFrom(...values);
const binary = fc
  .string({ unit: 'binary-ascii', maxLength: 20 })
  .map((text) => text.replace(/[\r\n\0]/g, '~'));

const header = fc.oneof(
  fc.tuple(
    oneOf('Content-Type'),
    oneOf(
      'application/json',
      'application/json',
      'application/json; charset=utf-7',
      'text/plain',
      'multipart/form-data',
      '',
      'x'.repeat(500),
    ),
  ),
  fc.tuple(
    oneOf('Cookie'),
    oneOf(
      'COOKIE',
      'COOKIE',
      'COOKIE; COOKIE',
      `shop=${WORD}`,
      'a'.repeat(4_000),
      '__proto__=1; =; ;;',
      'COOKIEx',
    ),
  ),
  fc.tuple(
    oneOf('Origin'),
    oneOf('ORIGIN', 'ORIGIN', 'null', 'https://evil.example', 'ORIGIN.evil.example', ''),
  ),
  fc.tuple(oneOf('Sec-Fetch-Site'), oneOf('same-origin', 'same-origin', 'cross-site', 'none', 'x')),
  fc.tuple(oneOf('Idempotency-Key'), oneOf('one', 'two', WORD, CARD, 'x'.repeat(256), ' ', '')),
  fc.tuple(oneOf('X-ServicePay-Signature'), oneOf('0'.repeat(128), WORD, '')),
  fc.tuple(oneOf('Last-Event-ID'), oneOf('1', '-1', WORD)),
  fc.tuple(oneOf('Content-Encoding'), oneOf('gzip', 'br', 'identity', 'x')),
  fc.tuple(
    oneOf(
      'Range',
      'If-None-Match',
      'If-Modified-Since',
      'Accept',
      'Accept-Encoding',
      'Expect',
      'Upgrade',
      'X-Forwarded-For',
      'Host',
      'Referer',
    ),
    oneOf(
      'bytes=0-0',
      '*',
      'x',
      '100-continue',
      'websocket',
      WORD,
      `${CARD},1.2.3.4`,
      'text/event-stream',
    ),
  ),
  fc.tuple(oneOf('X-Any', 'User-Agent', 'Authorization'), binary),
);
const request = fc.record({
  method: fc.constantFrom(...METHODS),
  path: fc.constantFrom(...PATHS),
  reference: fc.oneof(
    fc.constant('OWN'),
    fc.constant('OWN'),
    fc.constantFrom(...REFERENCES),
    binary,
  ),
  query: fc.constantFrom(...QUERIES),
  isFromPage: fc.boolean(),
  headers: fc.array(header, { maxLength: 6 }),
  body: fc.oneof(fc.constantFrom(...BODIES), binary),
});
type Garbage = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Sends garbage requests: each is answered with a page, a file or an envelope, never with an error
 * of the shop.
 */
export async function feedRequests(scene: GarbageScene, count: number): Promise<void> {
  const own = await Promise.all(
    Array.from({ length: Math.ceil(count / REQUESTS_OF_ONE) }, () => scene.shopping.order()),
  );
  let ofOwn = 0;
  let ofOwnTaken = 0;
  const seen = new Map<number, number>();
  let taken = 0;

  await scene.feed(request, count, AT_ONCE, async (garbage) => {
    const answer = await send(scene.port, write(garbage, own[taken++ % own.length]!, scene.port));
    const problem = findProblem(answer, garbage.method);
    if (problem) scene.fail(`a request was answered with ${problem}`, garbage);
    scene.searchForSecrets(answer, 'an answer');
    const status = Number(/^HTTP\/1\.1 ([2-5]\d\d)/m.exec(answer)?.[1]);
    seen.set(status, (seen.get(status) ?? 0) + 1);
    if (!isOfOwnPayment(garbage)) return;
    ofOwn += 1;
    if (status !== 429) ofOwnTaken += 1;
  });

  scene.findings.figures.requests = count;
  scene.findings.figures['answered with'] = [...seen]
    .sort()
    .map(([status, times]) => `${status}×${times}`)
    .join(' ');
  scene.findings.requireDrawn(
    'requests taken',
    [200, 201].reduce((sum, status) => sum + (seen.get(status) ?? 0), 0),
    count / 20,
  );
  scene.findings.requireDrawn('requests of browsers about their own payments', ofOwn, count / 20);
  if (ofOwn)
    scene.findings.require(
      'of them heard, in percent',
      Math.floor((100 * ofOwnTaken) / ofOwn),
      HEARD_PERCENT,
    );
}

/** A browser may ask about its own payment, so only the rate limit may refuse it. */
function isOfOwnPayment({ path, reference, isFromPage }: Garbage): boolean {
  return isFromPage && reference === 'OWN' && /^\/(?:api\/)?payments\/.*REF/.test(path);
}

function write(
  { method, path, reference, query, isFromPage, headers, body }: Garbage,
  own: PlacedOrder,
  port: number,
): string {
  const fill = (text: string) =>
    text
      .replaceAll('REF', () => (reference === 'OWN' ? own.reference : reference))
      .replaceAll('COOKIE', own.cookie)
      .replaceAll('ORIGIN', `http://localhost:${port}`);
  const address = `10.${body.length & 255}.${path.length}.${query.length & 255}`;
  const lines = [
    ['Host', `localhost:${port}`],
    ['X-Forwarded-For', address],
    ['Connection', 'close'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...(isFromPage ? FROM_PAGE : []),
    ...headers,
  ];
  return `${method} ${fill(path + query)} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${fill(value!)}`).join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the raw answer, of an event stream only its beginning. Empty if nothing came. */
export function send(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').setTimeout(ANSWERS_WITHIN_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (
        /^content-type: text\/event-stream/im.test(
          answer.replace(CONTINUE, '').split('\r\n\r\n', 1)[0]!,
        )
      )
        socket.destroy();
    });
    socket.once('close', () => resolve(answer));
    socket.write(text);
  });
}

function findProblem(answer: string, method: string): string | undefined {
  const [head = '', ...rest] = answer.replace(CONTINUE, '').split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (!status) return 'nothing';
  if (status === 500 || status === 502 || status > 503) return String(status);
  const body = rest.join('\r\n\r\n');
  if (method === 'HEAD' || status === 304 || status === 204) return undefined;
  const type = /^content-type: (\S+)/im.exec(head)?.[1] ?? '';
  if (/^location: (?!\/[^/])/im.test(head)) return 'a way elsewhere';
  if (
    type.startsWith('application/json') &&
    !/"status":(?:true|false),"message":"/.test(body) &&
    !head.includes('chunked')
  )
    return 'no envelope';
  if ([400, 408, 431].includes(status) && /^connection: close\r?$/im.test(head) && !body)
    return undefined; // by Node
  if (status >= 400 && !/json|html/.test(type)) return `${status} without an envelope or a page`;
  return /\n\s+at .*[(/].*:\d+:\d+/.test(body) ? 'a stack trace' : undefined;
}
