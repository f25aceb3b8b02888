import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';

import { buildHttpServer, type HttpServer } from './http-server.ts';

const SILENT = buildTestLog();
const LONG_MS = 8_000;
const MUCH_LONGER_MS = 120_000;

const started: HttpServer[] = [];

afterAll(() =>
  Promise.all(started.filter(({ isStopping }) => !isStopping).map((http) => http.close(0))),
);

async function start(
  app: RequestListener,
  { at = 0, connections = 1_000 } = {},
): Promise<{ http: HttpServer; port: number }> {
  const http = buildHttpServer({ connections, log: SILENT });
  http.serve(app);
  await http.listen({ port: at, host: '127.0.0.1' });
  started.push(http);
  return { http, port: (http.server.address() as AddressInfo).port };
}

function open(
  port: number,
  bytes = '',
): { socket: Socket; received(): string; closed: Promise<unknown> } {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  return { socket, received: () => received, closed };
}

function drip(socket: Socket, bytes: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(bytes), everyMs);
  socket.once('close', () => clearInterval(timer));
  socket.once('end', () => clearInterval(timer));
}

const respondToAll: RequestListener = (req, res) =>
  void req.resume().once('end', () => res.end('done'));

/** Starts a server whose limits of time are a tenth of what they are. */
async function startHasty(): Promise<number> {
  const { http, port } = await start(respondToAll);
  const { headersTimeout, requestTimeout } = http.server;
  expect([headersTimeout, requestTimeout]).toEqual([5_000, 10_000]);
  Object.assign(http.server, { headersTimeout: 500, requestTimeout: 1_000 });
  return port;
}

describe.concurrent('a connection', () => {
  test('a connection that brings its headers line by line is cut off, as are two hundred, and others are served meanwhile (T90)', async () => {
    const port = await startHasty();
    const slow = Array.from({ length: 200 }, () => open(port, 'POST / HTTP/1.1\r\nHost: x\r\n'));
    for (const { socket } of slow) drip(socket, 'X-Slow: 1\r\n', 50);

    const honest = await fetch(`http://127.0.0.1:${port}/`);
    await Promise.all(slow.map(({ closed }) => closed));

    expect(await honest.text()).toBe('done');
    for (const { received } of slow)
      expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  test('a connection that brings its body chunk by chunk is cut off (T89)', async () => {
    const port = await startHasty();
    const { socket, received, closed } = open(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    drip(socket, '1\r\nx\r\n', 50);

    await closed;

    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    [
      'both lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc',
      400,
    ],
    [
      'a folded header',
      'POST / HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n',
      400,
    ],
    ['bare line feeds', 'POST / HTTP/1.1\nHost: x\nContent-Length: 0\n\n', 400],
    [
      'a bare line feed in a chunk',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n',
      400,
    ],
    ['a blank before the colon', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 0\r\n\r\n', 400],
    [
      'larger headers than 16 kB',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ])('a connection with %s is rejected and closed (T89)', async (_name, bytes, status) => {
    const { port } = await start(respondToAll);
    const { received, closed } = open(port, bytes);

    await closed;

    expect(received()).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} .*\r\nConnection: close\r\n\r\n$`),
    );
  });
});

describe('a server', () => {
  test('the HTTP server holds as many connections as it may and no more, and another when one is gone (T90)', async () => {
    const { port } = await start(respondToAll, { connections: 20 });
    const held = Array.from({ length: 20 }, () => open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    for (const { received } of held)
      await vi.waitFor(() => expect(received()).toContain('done'), LONG_MS);
    for (const { socket } of held) socket.write('GET / HTTP/1.1\r\n'); // no longer idle

    const rejected = open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await rejected.closed;
    expect(rejected.received()).toBe('');

    held[0]?.socket.destroy();
    await held[0]?.closed;
    await vi.waitFor(
      async () => expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('done'),
      LONG_MS,
    );
  });

  test('the HTTP server leaves a port to the program that has it, also where that is a shop', async () => {
    const { port } = await start(respondToAll);

    await expect(start(respondToAll, { at: port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

describe('a server that stops', () => {
  test('an HTTP server that stops responds to a request that arrives on an idle connection during shutdown, then closes the connection (T93)', async () => {
    const { http, port } = await start(respondToAll);
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const peer = open(port, request);
    http.server.once('request', (_req, res: ServerResponse) =>
      res.once('finish', () => http.drain()),
    );
    await vi.waitFor(() => expect(peer.received()).toContain('done'), LONG_MS);

    peer.socket.write(request);
    await peer.closed;

    await http.close(0);
    expect(peer.received().split('done')).toHaveLength(3);
    expect(peer.received()).toMatch(/keep-alive.*Connection: close/s);
  });

  test('an HTTP server that stops completes what is in flight, and closes that connection, idle ones, and those of streams that end (T93)', async () => {
    const held: ServerResponse[] = [];
    const { http, port } = await start((_req, res) => void held.push(res));
    const idle = open(port);
    const request = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    const waiting = open(port, request);
    await vi.waitFor(() => expect(held).toHaveLength(1), LONG_MS);
    const streaming = open(port, request);
    await vi.waitFor(() => expect(held).toHaveLength(2), LONG_MS);
    held[1]?.write('begun');
    await vi.waitFor(() => expect(streaming.received()).toContain('begun'), LONG_MS);

    const stopped = http.close(MUCH_LONGER_MS);
    held[0]?.end('in the end');
    held[1]?.end('ended');
    await Promise.all([stopped, idle.closed, waiting.closed, streaming.closed]);

    expect(waiting.received()).toMatch(/\r\nConnection: close\r\n.*in the end/s);
    expect(streaming.received()).toContain('ended');
    expect(http.isStopping).toBe(true);
  });

  test('an HTTP server that stops cuts what does not end (T93)', async () => {
    const hung = Promise.withResolvers<void>();
    const { http, port } = await start(() => hung.resolve());
    const hanging = open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await hung.promise;

    await Promise.all([http.close(50), hanging.closed]);

    expect(hanging.received()).toBe('');
  });
});
