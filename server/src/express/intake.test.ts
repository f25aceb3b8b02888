import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { openPayments } from '../../test/payments.ts';
import type { Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { readNodeBody } from '../transport/node-body.ts';
import { errorHandler } from './errors.ts';
import { buildHttpServer } from './http-server.ts';
import { paymentRoutes, webhookRoute } from './router.ts';

const sockets = new Set<Socket>();
let database: TestDatabase;
let payments: Payments;

beforeAll(async () => {
  database = await makeDatabaseUrl('sqlite');
  payments = await openPayments({ database: database.url });
});

afterAll(async () => {
  await payments.close();
  await database.drop();
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

function open(port: number | string, bytes: string): { socket: Socket; received(): string } {
  const socket = connect(Number(port), '127.0.0.1');
  let received = '';
  sockets.add(socket);
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
  socket.write(bytes);
  return { socket, received: () => received };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Serves without a limit on time, so that only what arrives decides. */
async function serve(app: RequestListener): Promise<number> {
  const http = buildHttpServer({ log: buildTestLog() });
  Object.assign(http.server, { headersTimeout: 0, requestTimeout: 0 });
  http.serve(app);
  await http.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => http.close(0));
  return (http.server.address() as AddressInfo).port;
}

test('a connection that does not wait for its responses is closed, and nothing more is passed on (T119)', async () => {
  let passedOn = 0;
  const port = await serve(() => void passedOn++);

  const peer = open(port, get('/').repeat(300));
  await vi.waitFor(() => expect(peer.socket.closed).toBe(true), PATIENT);

  expect(passedOn).toBe(1);
  expect(peer.received()).toBe('');
});

describe('bodies', () => {
  const clock = new ManualClock();
  const respondWithSize: RequestListener = (req, res) =>
    void readNodeBody(req, clock).then(
      ({ length }) => res.end(`${length} bytes`),
      ({ code }) => res.end(code),
    );

  test('bodies of requests that never end are cut where too many arrive, the oldest first, and a whole one gets a response (T120)', async () => {
    const port = await serve(respondWithSize);
    const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n';
    const peers: ReturnType<typeof open>[] = [];
    for (let at = 0; at < 150; at++) {
      const peer = open(port, `${half}${'x'.repeat(40_000)}`);
      await vi.waitFor(() => expect(peer.socket.readyState).toBe('open'), PATIENT);
      peers.push(peer);
    }

    const isRejected = (peer: ReturnType<typeof open>) =>
      peer.received().includes('invalid_request');
    await vi.waitFor(() => expect(peers.filter(isRejected)).toHaveLength(22), PATIENT);
    await clock.advance(2_000);
    await vi.waitFor(() => expect(sockets.size).toBe(128), PATIENT);
    const honest = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: 'x'.repeat(30_000),
    });

    expect(await honest.text()).toBe('30000 bytes');
    expect(peers[0]!.socket.closed).toBe(true);
    expect(peers.at(-1)!.socket.closed).toBe(false);
  });

  test('bodies of requests that come in many small chunks take no more memory than others (T120)', async () => {
    const port = await serve(respondWithSize);
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapUsed();
    for (let at = 0; at < 100; at++) open(port, chunked + '1\r\nx\r\n'.repeat(1_000));
    const peer = open(port, `${chunked}${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`);
    await vi.waitFor(() => expect(peer.received()).toContain('1000 bytes'), PATIENT);

    expect(sockets.size).toBe(101);
    expect(heapUsed() - before).toBeLessThan(6 * 1024 * 1024);
  });

  test('bodies of requests that come in thousands of tiny chunks are cut, since each chunk costs time (T142)', async () => {
    const port = await serve(respondWithSize);
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

    const peer = open(port, chunked + '1\r\nx\r\n'.repeat(10_000));

    await vi.waitFor(() => expect(peer.socket.closed).toBe(true), PATIENT);
  });

  test('bodies of requests that are cut off, or were read already, keep nobody waiting', async () => {
    const results: string[] = [];
    const port = await serve((req, res) => {
      const readTwice = async () => {
        await readNodeBody(req).catch(({ code }) => results.push(code));
        await readNodeBody(req).then(
          ({ length }) => results.push(`${length} bytes`),
          ({ code }) => results.push(code),
        );
        res.end();
      };
      void readTwice();
    });

    open(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx').socket.end();
    await vi.waitFor(
      () => expect(results).toEqual(['invalid_request', 'body_already_read']),
      PATIENT,
    );
    open(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nxx');

    await vi.waitFor(() => expect(results).toHaveLength(3), PATIENT);
    expect(results[2]).toBe('body_already_read');
  });

  test.each([
    ['an unsigned webhook', '/webhooks/service-pay'],
    ['a verify call', '/api/payments/none/verify'],
  ])(
    'bodies of requests of %s in thousands of tiny chunks are stopped, and one of 100 kB is discarded (T142)',
    async (_what, path) => {
      const app = express();
      const routes = { findOwner: () => 'ann', checkoutOptions: () => ({}) };
      app.use(webhookRoute(payments)).use(paymentRoutes(payments, routes)).use(errorHandler);
      const port = await serve(app);
      const post = `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
      const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;

      const tiny = open(port, chunked + '1\r\nx\r\n'.repeat(10_000));
      await vi.waitFor(() => expect(tiny.socket.closed).toBe(true), PATIENT);
      const large = open(port, `${post}Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`);
      const statuses = () => large.received().match(/HTTP\/1\.1 \d{3}/g);
      await vi.waitFor(() => expect(statuses()).toHaveLength(1), PATIENT);
      large.socket.write(`${post}Content-Length: 0\r\n\r\n`);

      await vi.waitFor(() => expect(statuses()).toHaveLength(2), PATIENT);
      expect(statuses()).toEqual(Array(2).fill(expect.stringMatching(/ 40[14]$/)));
    },
  );
});
