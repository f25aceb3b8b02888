import { startUpstream, TOKEN } from '@service-pay/server/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import { listRoutes } from '../routes.ts';
import { ONE_HONEY, sendRaw, startTestShop } from '../shop.ts';

const CANARY = 'canary-4111111111111111';
const ORDER = JSON.stringify(ONE_HONEY);

const METHODS = ['GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', 'X'];
const REFERENCES = [
  '.',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  '%ff',
  '__proto__',
  '//evil.example',
  '%0d%0aSet-Cookie:x=1',
  '<script>',
  'x'.repeat(5_000),
  '',
];
const QUERIES = ['', '', '?', '?x[]=1&x[]=2', '?__proto__[x]=1', '?x=%', `?card=${CANARY}`, '??'];
const BODIES = [
  '',
  ORDER,
  `[${ORDER}]`,
  ORDER.replace('1', '1e99'),
  ORDER.replace('"honey-500"', 'null'),
  ORDER.replace('mary@example.com', CANARY),
  ORDER.replace('{', '{"__proto__":{"x":1},'),
  '['.repeat(20_000),
  '{"a":'.repeat(5_000),
  '\ufeff{}',
  '"',
];
const HEADERS: [string, ...string[]][] = [
  ['Content-Type', 'application/json', 'application/json; charset=utf-7', 'text/plain', ''],
  ['Content-Encoding', 'gzip', 'x'],
  ['Cookie', `shop=${CANARY}`, '__proto__=1; =; ;;', 'a'.repeat(4_000)],
  ['Origin', 'null', 'https://evil.example', ''],
  ['Sec-Fetch-Site', 'same-origin', 'cross-site', 'x'],
  ['Idempotency-Key', 'one', CANARY, 'x'.repeat(256), ' '],
  ['X-ServicePay-Signature', '0'.repeat(128), CANARY, ''],
  ['Range', 'bytes=0-0', 'x'],
  ['Accept', 'text/html', '*', 'x'],
  ['X-Forwarded-For', `${CANARY},1.2.3.4`],
];

test('every request gets a response in the envelope or a page, and never 500 (F7, T76, T80)', async () => {
  const service = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
  onTestFinished(service.close);
  const shop = await startTestShop(service.url);
  onTestFinished(shop.close);
  const browser = shop.browser();
  const own = await browser.order();
  const paths = listRoutes(shop.config).map((route) => route.split(' ')[1]!);
  const garbage = fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.constantFrom(...paths, '/assets/:reference', '/:reference'),
    reference: fc.constantFrom(own, own, ...REFERENCES),
    query: fc.constantFrom(...QUERIES),
    isFromPage: fc.boolean(),
    headers: fc.uniqueArray(
      fc
        .constantFrom(...HEADERS)
        .chain(([name, ...values]) => fc.constantFrom(...values).map((value) => [name, value])),
      { selector: ([name]) => name, maxLength: 4 },
    ),
    body: fc.constantFrom(...BODIES),
  });
  let taken = 0;

  await fc.assert(
    fc.asyncProperty(
      garbage,
      async ({ method, path, reference, query, isFromPage, headers, body }) => {
        // an event stream of one's own payment does not end
        fc.pre(!(path.endsWith('/events') && reference === own && method === 'GET' && isFromPage));
        const {
          status,
          headers: received,
          text,
        } = await sendRaw(shop.url, path.replace(':reference', reference) + query, {
          method,
          headers: [
            ...['Content-Length', `${Buffer.byteLength(body)}`],
            ...(isFromPage ? ['Cookie', browser.cookie, 'Content-Type', 'application/json'] : []),
            ...(headers.flat() as string[]),
          ],
          body,
        });
        if (status < 300) taken += 1;
        expect(status === 500 || status > 503).toBe(false);
        expect(text).not.toMatch(/\n\s+at .*[(/].*:\d+:\d+/);
        for (const secret of [CANARY, TOKEN, shop.config.sessionSecret])
          expect(text).not.toContain(secret);
        if (status < 400 || method === 'HEAD' || !text) return;
        const type = received.get('content-type') ?? '';
        expect(type).toMatch(/json|html/);
        if (type.includes('json')) expect(JSON.parse(text)).toMatchObject({ status: false });
      },
    ),
    { numRuns: process.env.DRAW_ANEW ? 1_000 : 250 },
  );

  expect(taken).toBeGreaterThan(10);
  for (const secret of [CANARY, TOKEN, shop.config.sessionSecret])
    expect(shop.lines.join('\n')).not.toContain(secret);
});
