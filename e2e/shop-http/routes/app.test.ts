import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startUpstream } from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { listRoutes } from '../routes.ts';
import { ONE_HONEY, sendRaw, startTestShop, type TestShop } from '../shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
  shop = await startTestShop(upstream.url);
});

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const utf7 = (body: object) => JSON.stringify(body).replaceAll('@', '+AEA-');
const A_BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('what cannot be served', () => {
  test.each([
    ['GET', '/api/debug'],
    ['GET', '/API/catalogue'],
    ['GET', '/api/catalogue/'],
    ['GET', '/.env'],
    ['GET', '/assets/..%2f..%2f.env'],
    ['GET', '/assets/../src/config.ts'],
    ['GET', '/assets/'],
    ['GET', '//evil.example'],
    ['POST', '/api/catalogue'],
    ['GET', '/api/orders'],
    ['POST', '/'],
    ['GET', '/webhooks/service-pay'],
    ['PUT', '/api/orders'],
    ['DELETE', '/api/payments/x/verify'],
    ['PATCH', '/'],
    ['OPTIONS', '/api/orders'],
    ['TRACE', '/'],
    ['POST', '/payments/return'],
  ])('%s %s is 404·11 in the envelope (T80)', async (method, path) => {
    const response = await sendRaw(shop.url, path, { method, headers: ['Content-Length', '0'] });

    expect(response).toMatchObject({ status: 404, json: { status: false, errorCode: '11' } });
    expect(response.headers.get('allow')).toBeNull();
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['/nowhere', '/element/', '/payments/return/'])(
    '%s is a page of the shop where a person follows it (T80)',
    async (path) => {
      const { status, headers, text } = await shop.browser().get(path, { accept: A_BROWSER });

      expect(status).toBe(404);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toBe(
        (await shop.browser().get('/')).headers.get('content-security-policy'),
      );
      expect(text).toContain('<h1>There is no such page</h1>');
      expect(text).not.toMatch(/nowhere|<script| style=|\{\{/);
      const isLogged = (line: string) =>
        line.includes(`"path":"${path}"`) && line.includes('"code":"route_not_found"');
      await vi.waitFor(() => expect(shop.lines.some(isLogged)).toBe(true), PATIENT);
    },
  );

  test.each(['/api', '/api/debug', '/webhooks/service-pay', '/assets/none.css'])(
    '%s stays 404·11 in the envelope there, too (T80)',
    async (path) => {
      expect(await shop.browser().get(path, { accept: A_BROWSER })).toMatchObject({
        status: 404,
        json: { status: false, errorCode: '11' },
      });
    },
  );

  test.each([
    ['broken JSON', '{"items": canary', JSON_TYPE, 400],
    ['another type', 'items=canary', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['no type', Buffer.from(JSON.stringify(ONE_HONEY)), {}, 415],
    [
      'another alphabet',
      JSON.stringify(ONE_HONEY),
      { 'content-type': 'application/json; charset=iso-8859-1' },
      415,
    ],
    ['UTF-7', utf7(ONE_HONEY), { 'content-type': 'application/json; charset=utf-7' }, 415],
    [
      'UTF-16',
      Buffer.from(JSON.stringify(ONE_HONEY), 'utf16le'),
      { 'content-type': 'application/json; charset=UTF-16LE' },
      415,
    ],
    [
      'two encodings',
      utf7(ONE_HONEY),
      { 'content-type': 'application/json; charset="utf-8"; charset=utf-7' },
      415,
    ],
    [
      'a packed body',
      gzipSync(Buffer.alloc(10_000_000, 32)),
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      415,
    ],
  ] as const)(
    'a body of %s is rejected in the envelope, without its text (T76)',
    async (_name, body, headers, status) => {
      const response = await shop.browser().send('POST', '/api/orders', body, headers);

      expect(response).toMatchObject({
        status,
        json: { status: false, errorCode: '01', message: expect.any(String) },
      });
      expect(response.text).not.toMatch(/canary|<|at .*\.js/);
      expect(shop.lines.join()).not.toContain('canary');
    },
  );

  test('a request with an Expect header gets the same response as any other (T80)', async () => {
    const headers = ['Content-Length', '0', 'Expect', 'gold'];

    expect(await sendRaw(shop.url, '/nowhere', { headers })).toMatchObject({
      status: 404,
      json: { errorCode: '11' },
    });
  });

  test('a path that cannot be decoded is 400·01 (T76)', async () => {
    expect(await sendRaw(shop.url, '/api/payments/%zz/events')).toMatchObject({
      status: 400,
      json: { errorCode: '01' },
    });
  });
});

test('the routes are those that are written down, and no others (T80)', () => {
  expect(listRoutes(shop.config)).toMatchInlineSnapshot(`
    [
      "FILES /assets/",
      "GET /",
      "GET /api/catalogue",
      "GET /api/orders/:reference",
      "GET /api/orders/open",
      "GET /api/payments/:reference/events",
      "GET /assets/flow.js",
      "GET /element",
      "GET /favicon.ico",
      "GET /healthz",
      "GET /metrics",
      "GET /payments/return",
      "GET /readyz",
      "POST /api/orders",
      "POST /api/payments/:reference/retry",
      "POST /api/payments/:reference/verify",
      "POST /webhooks/service-pay",
    ]
  `);
});

test('verify and retry of an unknown payment get a response before their body is complete (T120)', async () => {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  let responses = '';
  socket.on('data', (data) => {
    responses += data;
  });

  for (const call of ['verify', 'retry']) {
    responses = '';
    socket.write(
      `POST /api/payments/x/${call} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    await vi.waitFor(() => expect(responses).toMatch(/^HTTP\/1\.1 404 /), PATIENT);
    socket.write('}');
  }
  socket.destroy();
});

describe('HOST', () => {
  test.skipIf(process.platform !== 'linux')(
    'HOST is the only address that the shop listens on',
    async () => {
      const elsewhere = await startTestShop(upstream.url, {}, { HOST: '127.0.0.2' });
      const { port } = new URL(elsewhere.url);

      expect((await fetch(`http://127.0.0.2:${port}/healthz`)).status).toBe(200);
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');

      await elsewhere.close();
    },
  );

  test('a HOST that this machine does not have stops the start with a sentence that names it', async () => {
    await expect(startTestShop(upstream.url, {}, { HOST: '192.0.2.1' })).rejects.toThrow(
      'This machine has no address 192.0.2.1: set HOST to one it has, or to 0.0.0.0 for every interface.',
    );
  });
});

describe('a change requested by another site', () => {
  test('a request from 127.0.0.1 instead of localhost gets the address to use (T73)', async () => {
    const other = shop.url.replace('localhost', '127.0.0.1');

    const response = await shop.browser().post('/api/orders', ONE_HONEY, { origin: other });

    expect(response).toMatchObject({
      status: 401,
      json: { errorCode: '13', message: expect.stringContaining(shop.url) },
    });
    expect(response.json.message).toContain('publicUrl');
  });
});

describe('pages', () => {
  test.each(['/', '/element'])(
    '%s has a policy without anything inline, and no address of another host but the service, whatever a request says (T74)',
    async (path) => {
      const { status, headers, text } = await shop
        .browser()
        .get(path, { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
      const policy = headers.get('content-security-policy') ?? '';

      expect(status).toBe(200);
      expect(policy).toContain(`script-src 'self' ${upstream.url}`);
      expect(policy).toContain(`frame-src ${upstream.url}`);
      expect(policy).not.toMatch(/unsafe|\*|data:/);
      expect(text).toContain(`src="${upstream.url}/js/v1/inline.js"`);
      expect(text).not.toMatch(/ style=|<style|onclick|sec_|evil|\{\{/);
      expect(text.match(/<script(?![^>]* src=)/)).toBeNull();
      for (const [, asset] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+|\/favicon\.ico)"/g))
        expect((await shop.browser().get(asset!)).status).toBe(200);
    },
  );

  test('the return page shows this browser its order, by link, and reads the reference alone (T71, T72)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();

    const response = await browser.get(
      `/payments/return?reference=${reference}&status=successful&amount=0`,
      {
        'sec-fetch-site': 'cross-site',
      },
    );

    expect(response.status).toBe(200);
    expect(response.text).toContain('<h1>We are checking your payment</h1>');
    expect(response.text).not.toContain(reference);
    expect(await shop.stateOf(reference)).toBe('awaiting-payment');
  });

  test('the return page requested by a form of the bank is 404·11, never 500 (T71)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();

    const response = await browser.send(
      'POST',
      `/payments/return?reference=${reference}`,
      `reference=${reference}`,
      {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        origin: 'https://bank.example',
      },
    );

    expect(response).toMatchObject({ status: 404, json: { status: false, errorCode: '11' } });
  });

  test.each([
    'reference=a&reference=b',
    'reference[$ne]=x',
    'reference=%3Cscript%3E',
    'reference=..',
    '',
    'reference=a%0d%0ab',
  ])('the return page with ?%s is 400·01 (T68)', async (query) => {
    const response = await shop.browser().get(`/payments/return?${query}`);

    expect(response).toMatchObject({ status: 400, json: { errorCode: '01' } });
    expect(response.text).not.toContain('<script>');
  });

  test('the return page goes on checking while the database is away (D52)', async () => {
    const lost = await startTestShop(upstream.url);
    const browser = lost.browser();
    const reference = await browser.order();
    const file = lost.config.databaseUrl.slice('file:'.length);

    await rename(file, `${file}.moved`);
    const program = await browser.get(`/payments/return?reference=${reference}`);
    const person = await browser.get(`/payments/return?reference=${reference}`, {
      accept: 'text/html,*/*;q=0.8',
    });
    await lost.close();

    expect(program).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(person.status).toBe(503);
    expect(person.text).toContain('<h1>We are checking your payment</h1>');
  });

  test('the return page of another browser is the same 404·11 as for no order, and a page if a person requests it (T69)', async () => {
    const reference = await shop.browser().order();
    const stranger = shop.browser();

    const [foreign, unknown] = [
      await stranger.get(`/payments/return?reference=${reference}`),
      await stranger.get('/payments/return?reference=unknown'),
    ];
    const person = await stranger.get(`/payments/return?reference=${reference}`, {
      accept: 'text/html,*/*;q=0.8',
    });

    expect(foreign).toMatchObject({ status: 404, json: { errorCode: '11' } });
    expect(foreign.text).toBe(unknown.text);
    expect(person.status).toBe(404);
    expect(person.text).toContain('<h1>We do not know this order here</h1>');
    expect(person.text).not.toContain(reference);
  });
});

describe('health', () => {
  test('health shows strangers nothing of anybody, and stays ready while the service is away (T79)', async () => {
    const away = await startTestShop('http://127.0.0.1:1');
    const browser = away.browser();
    const reference = await browser.order();
    await browser.verify(reference);

    const [alive, ready, metrics, page] = await Promise.all(
      ['/healthz', '/readyz', '/metrics', '/'].map((path) => away.browser().get(path)),
    );

    expect(alive).toMatchObject({ status: 200, json: { status: true } });
    expect(ready).toMatchObject({
      status: 200,
      json: { data: { database: 'reachable', service: 'unreachable' } },
    });
    expect(metrics?.status).toBe(200);
    expect(metrics?.text).toMatch(
      /service_pay_requests_total\{method="POST",route="\/api\/orders",status="201"\} 1/,
    );
    expect(metrics?.text).not.toMatch(new RegExp(`${reference}|mary@|sec_`));
    expect(page?.status).toBe(200);
    await away.close();
  });

  test('health distinguishes a rejected token from a service that is away (D53)', async () => {
    const rejecting = await startUpstream((_req, res) => void res.writeHead(401).end());
    const rejected = await startTestShop(rejecting.url);
    const browser = rejected.browser();
    await browser.verify(await browser.order());

    const ready = await browser.get('/readyz');

    expect(ready).toMatchObject({
      status: 200,
      json: { data: { service: 'token-refused', circuit: 'closed' } },
    });
    await rejected.close();
    await rejecting.close();
  });
});
