import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  signedWebhook,
  type TestDatabase,
} from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import { NGINX_IS_MISSING, type Nginx, startNginx } from '../nginx.ts';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

describe.skipIf(NGINX_IS_MISSING || POSTGRES_IS_MISSING)(
  'nginx before two shops (skipped where nginx, openssl or PostgreSQL is missing)',
  () => {
    let sandbox: Sandbox;
    let database: TestDatabase;
    let shops: TestShop[];
    let ports: number[];
    let proxy: Nginx;

    beforeAll(async () => {
      sandbox = await startSandbox();
      database = await makeDatabaseUrl('postgres');
      ports = [await findFreePort(), await findFreePort()];
      proxy = await startNginx(ports);
      shops = [];
      for (const port of ports) {
        const environment = {
          DATABASE_URL: database.url,
          PORT: String(port),
          PUBLIC_URL: proxy.url,
          TRUST_PROXY: '1',
        };
        shops.push(await startTestShop(sandbox.url, {}, environment));
      }
    });

    afterAll(async () => {
      await proxy?.stop();
      for (const shop of shops ?? []) await shop.close();
      await database?.drop();
      await sandbox?.close();
    });

    test('an order made through nginx is known to each instance, and paid on either', async () => {
      const made = await proxy.send('POST', '/api/orders', { body: ONE_HONEY });
      const { reference, amount } = made.json.data;
      await sandbox.control.putCollection({ reference, amount, currency: 'ZMW' });
      const cookie = made.headers['set-cookie']?.[0]?.split(';', 1)[0] as string;

      for (const port of ports) {
        await vi.waitFor(async () => {
          const response = await fetch(
            `http://127.0.0.1:${port}/api/payments/${reference}/verify`,
            {
              method: 'POST',
              headers: { cookie },
            },
          );
          expect(await response.json()).toMatchObject({
            data: { reference, status: 'successful' },
          });
        }, PATIENT);
      }
      expect(made.status).toBe(201);
      expect(
        await shops[0]?.rows(
          'select 1 from service_pay_fulfilments where reference = ?',
          reference,
        ),
      ).toHaveLength(1);
    });

    test('an event stream through nginx reports what happens on any instance while it happens (T51)', async () => {
      const made = await proxy.send('POST', '/api/orders', { body: ONE_HONEY });
      const { reference, amount } = made.json.data;
      const cookie = made.headers['set-cookie']?.[0]?.split(';', 1)[0] as string;
      const stream = await proxy.open('GET', `/api/payments/${reference}/events`, {
        headers: { cookie },
      });
      let received = '';
      stream.setEncoding('utf8').on('data', (piece: string) => {
        received += piece;
      });

      await vi.waitFor(() => expect(received).toContain('"status":"pending"'), PATIENT);
      await sandbox.control.putCollection({ reference, amount, currency: 'ZMW' });
      const hook = signedWebhook('collection.successful', { reference });
      expect((await proxy.send('POST', '/webhooks/service-pay', hook)).status).toBe(200);

      await vi.waitFor(() => expect(received).toContain('"status":"successful"'), PATIENT);
      stream.destroy();
    });

    test('a webhook passes nginx byte for byte, and one that is changed does not', async () => {
      const hook = signedWebhook('collection.successful', { reference: 'of-nobody' });

      expect((await proxy.send('POST', '/webhooks/service-pay', hook)).status).toBe(200);
      expect(
        (await proxy.send('POST', '/webhooks/service-pay', { ...hook, body: `${hook.body} ` }))
          .status,
      ).toBe(401);
    });

    test.each(['/webhooks/service-pay', '/api/orders'])(
      'nginx rejects 64 kB and one byte in the envelope: %s (T89)',
      async (path) => {
        const response = await proxy.send('POST', path, { body: 'x'.repeat(64 * 1024 + 1) });

        expect([response.status, response.json.errorCode]).toEqual([413, '01']);
      },
    );

    test('nginx keeps figures from strangers, and serves pages and health (T79)', async () => {
      const statuses = await Promise.all(
        ['/metrics', '/healthz', '/readyz', '/'].map(
          async (path) => (await proxy.send('GET', path)).status,
        ),
      );

      expect(statuses).toEqual([404, 200, 200, 200]);
    });

    test('nginx redirects plain http to https, and to no other host', async () => {
      const response = await fetch(`http://127.0.0.1:${proxy.plainPort}/element?a=1`, {
        redirect: 'manual',
        headers: { host: 'evil.example' },
      });

      expect([response.status, response.headers.get('location')]).toEqual([
        308,
        'https://localhost/element?a=1',
      ]);
    });

    test('an address that orders without end gets 429 with Retry-After from nginx, and its webhooks still pass (T74)', async () => {
      const startedAt = performance.now();
      const order = () => proxy.send('POST', '/api/orders', { body: ONE_HONEY });
      const responses = [];
      for (let rounds = 0; rounds < 4; rounds++)
        responses.push(...(await Promise.all(Array.from({ length: 100 }, order))));
      const seconds = (performance.now() - startedAt) / 1_000;
      const rejected = responses.filter(({ status }) => status === 429);
      const made = responses.filter(({ status }) => status === 201);

      expect(rejected.length).toBeGreaterThan(0);
      expect(made.length).toBeGreaterThan(0);
      expect(made.length).toBeLessThanOrEqual(51 + 10 * (seconds + 1));
      expect(rejected[0]?.json).toMatchObject({ status: false, errorCode: '10' });
      expect(rejected[0]?.headers['retry-after']).toBe('5');
      const hook = signedWebhook('collection.successful', { reference: 'of-nobody-else' });
      expect((await proxy.send('POST', '/webhooks/service-pay', hook)).status).toBe(200);
    });

    test('nginx goes on with one instance when the other has ended', async () => {
      await shops.pop()?.close();

      const responses = await Promise.all(
        Array.from({ length: 20 }, () => proxy.send('GET', '/api/catalogue')),
      );
      const hook = await proxy.send(
        'POST',
        '/webhooks/service-pay',
        signedWebhook('collection.successful', { reference: 'after-the-end' }),
      );

      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      expect(hook.status).toBe(200);
    });
  },
);

describe.skipIf(NGINX_IS_MISSING)(
  'nginx by itself (skipped where nginx or openssl is missing)',
  () => {
    const seen: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
    let behave: RequestListener;
    let stops: (() => Promise<void>)[];
    let proxy: Nginx;

    beforeAll(async () => {
      const upstreams = await Promise.all(
        [1, 2].map(() => listen((req, res) => void note(req).then(() => behave(req, res)))),
      );
      proxy = await startNginx(upstreams.map(({ port }) => port));
      stops = [proxy.stop, ...upstreams.map(({ stop }) => stop)];
    });

    afterAll(async () => {
      for (const stop of stops ?? []) await stop();
    });

    async function note(req: IncomingMessage): Promise<void> {
      const body = await text(req);
      seen.push({ path: req.url ?? '', headers: req.headers, body });
    }

    test('nginx reports the address of the client, whatever the client claims (T74)', async () => {
      behave = (_req, res) => void res.end('{}');
      const lies = {
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'for=1.2.3.4',
      };

      await proxy.send('GET', '/api/catalogue', { headers: lies });

      const { headers } = seen.at(-1) as (typeof seen)[number];
      expect(headers).toMatchObject({
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'https',
      });
      expect([headers['x-forwarded-host'], headers.forwarded]).toEqual([undefined, undefined]);
    });

    test('nginx passes a path as it came, dots and slashes included (T68)', async () => {
      behave = (_req, res) => void res.end('{}');

      await proxy.send('GET', '/api/payments/..%2f..%2frefund/verify');

      expect(seen.at(-1)?.path).toBe('/api/payments/..%2f..%2frefund/verify');
    });

    test.each([
      ['an order to one instance', '/api/orders', 1],
      ['a verify to one instance', '/api/payments/a/verify', 1],
      [
        'a webhook, which is stored once however often it comes, to both',
        '/webhooks/service-pay',
        2,
      ],
    ])('nginx sends %s if each instance dies over it', async (_what, path, times) => {
      behave = (_req, res) => void res.destroy();
      const before = seen.length;

      const response = await proxy.send('POST', path, { body: '{}' });

      expect(seen.length - before).toBe(times);
      expect([response.status, response.json.errorCode, response.headers['retry-after']]).toEqual([
        503,
        '10',
        '5',
      ]);
    });

    test('nginx rejects a request that gives its length twice, and lets none hide inside another (T89)', async () => {
      behave = (_req, res) => void res.end('{}');
      const before = seen.length;
      const inside = 'GET /inside HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const head =
        'POST /api/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

      const responses = await Promise.all([
        proxy.sendRaw(
          `${head}Content-Length: ${inside.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inside}`,
        ),
        proxy.sendRaw(`${head}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}`),
        proxy.sendRaw(`${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inside}`),
      ]);

      expect(responses.map((response) => /^HTTP\/1\.1 (\d+)/.exec(response)?.[1])).toEqual([
        '400',
        '400',
        '501',
      ]);
      expect(seen.slice(before)).toEqual([]);
    });

    test('nginx rejects a folded header, and replaces bare line feeds so that none reaches the shop (T89)', async () => {
      behave = (_req, res) => void res.end('{}');
      const before = seen.length;
      const folded =
        'GET /folded HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n Transfer-Encoding: chunked\r\n\r\n';
      const bare = 'GET /bare HTTP/1.1\nHost: localhost\nX-A: b\n\n';

      const responses = await Promise.all([proxy.sendRaw(folded), proxy.sendRaw(bare)]);

      expect(responses.map((response) => response.slice(0, 12))).toEqual([
        'HTTP/1.1 400',
        'HTTP/1.1 200',
      ]);
      expect(
        seen
          .slice(before)
          .map(({ path, headers }) => [path, headers['x-a'], headers['transfer-encoding']]),
      ).toEqual([['/bare', 'b', undefined]]);
    });

    test('nginx rejects headers beyond 16 kB', async () => {
      const before = seen.length;

      const response = await proxy.send('GET', '/', {
        headers: { 'x-large': 'x'.repeat(17 * 1024) },
      });

      expect(response.status).toBe(400);
      expect(seen.length).toBe(before);
    });

    test('nginx shows a person a page when no instance responds', async () => {
      behave = (_req, res) => void res.destroy();

      const response = await proxy.send('GET', '/payments/return?reference=a');

      expect([
        response.status,
        response.headers['content-type'],
        response.headers['retry-after'],
      ]).toEqual([503, 'text/html; charset=utf-8', '5']);
      expect(response.text).toContain('do not pay again');
    });
  },
);

test.skipIf(NGINX_IS_MISSING)(
  'an address that requests pages without end gets 429 in words, and the rest of the shop stays open to it (T74)',
  {
    timeout: 90_000,
  },
  async () => {
    // Nothing stands behind it: what passes the limit is 503 at once, so that the limit is reached
    // on a slow machine, too.
    const proxy = await startNginx([await findFreePort(), await findFreePort()]);
    onTestFinished(() => proxy.stop());
    const startedAt = performance.now();
    const responses = (
      await Promise.all(Array.from({ length: 16 }, () => proxy.flood('/nothing', 900)))
    ).join('');
    const seconds = (performance.now() - startedAt) / 1_000;
    const api = await proxy.send('GET', '/api/catalogue');

    const passed = responses.split('HTTP/1.1 503').length - 1;
    const rejected = responses.split('HTTP/1.1 429').length - 1;
    expect(passed + rejected).toBe(14_400);
    expect(passed).toBeGreaterThan(1_000);
    expect(passed).toBeLessThanOrEqual(1_001 + 500 * (seconds + 1));
    const rejection = responses
      .slice(responses.indexOf('HTTP/1.1 429'))
      .split('HTTP/1.1 503', 1)[0];
    expect(rejection).toMatch(/Content-Type: text\/html.*Retry-After: 5.*do not pay again/s);
    expect(api.status).toBe(503);
  },
);

async function listen(respond: RequestListener): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
