import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseConfig } from '@service-pay/bff-example/config';
import { expect, onTestFinished, test } from 'vitest';
import { listRoutes } from '../../shop-http/routes.ts';
import { PATHS, send } from './garbage-requests.ts';

test('garbage is sent to every route of the shop (F7)', () => {
  const config = parseConfig({
    PORT: '0',
    SERVICE_PAY_API_URL: 'http://localhost:4010',
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SESSION_SECRET: 'a-session-secret-of-the-faults-0123456789',
  });
  const paths = listRoutes(config).map((route) =>
    route.split(' ')[1]!.replace(':reference', 'REF'),
  );

  expect(
    paths.filter(
      (path) =>
        !PATHS.some((sent) => (path === '/assets/' ? sent.startsWith(path) : sent === path)),
    ),
  ).toEqual([]);
});

test('the fuzzer leaves an event stream when it begins, also after Expect: 100-continue (F7)', async () => {
  const server = createServer((_req, res) =>
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());

  const answer = await send(
    (server.address() as AddressInfo).port,
    'GET / HTTP/1.1\r\nHost: shop\r\nExpect: 100-continue\r\n\r\n',
  );

  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});
