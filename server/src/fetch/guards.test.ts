import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FETCH_HOSTS } from '../../test/fetch-hosts.ts';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { openPayments } from '../../test/payments.ts';
import { buildOwnPagesOnly } from '../express/request-guards.ts';
import type { Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream } from '../testing/upstream.ts';
import { buildFetchHandler, type FetchHandler, type FetchOptions } from './handler.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const WEBHOOK = '/webhooks/service-pay';
const ANY_SIGNATURE = { 'x-servicepay-signature': 'a'.repeat(128) };
const MB = 1024 * 1024;

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface Peer {
  socket: Socket;
  received(): string;
}

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let payments: Payments;
let clock: ManualClock;
let lines: string[];
let handle: FetchHandler;

beforeEach(async () => {
  database = await makeDatabaseUrl('sqlite');
  clock = new ManualClock();
  lines = [];
  service = await startUpstream((req, res) =>
    res.end(collectionResponse(req.url!, { status: 'pending' })),
  );
  payments = await openPayments({
    apiUrl: service.url,
    database: database.url,
    log: buildTestLog(lines),
    clock,
  });
  handle = build();
});

afterEach(async () => {
  await payments.close();
  await service.close();
  await database.drop();
});

function build(options: Partial<FetchOptions<unknown>> = {}): typeof handle {
  return buildFetchHandler(payments, {
    findOwner: () => 'ann',
    checkoutOptions: ({ reference }) => ({ reference }),
    ...options,
  });
}

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return handle(new Request(`https://shop.example${path}`, { method: 'POST', ...init }));
}

/** Calls with a body that a test makes piece by piece. */
function send(
  path: string,
  body: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0],
  headers: Record<string, string> = ANY_SIGNATURE,
): Promise<Response> {
  const stream = new ReadableStream(body, { highWaterMark: 0 });
  return call(path, { body: stream, headers, duplex: 'half' } as RequestInit);
}

/** Serves the handler as a framework does, and returns what opens a connection to it. */
async function serve(host: string): Promise<(...bytes: string[]) => Peer> {
  const server = createServer(FETCH_HOSTS[host]!(handle)).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return (...bytes) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', () => {});
    for (const piece of bytes) socket.write(piece);
    return { socket, received: () => received };
  };
}

function head(headers: Record<string, string | number>): string {
  const all = Object.entries({ host: 'x', ...headers });
  return `POST ${WEBHOOK} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

function chunksOf(bytes: string, size: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

const CHUNKED = { 'transfer-encoding': 'chunked' };
const LARGE = 'x'.repeat(100_000);

describe.each(Object.keys(FETCH_HOSTS))('behind %s, a body', (host) => {
  const expectResponse = ({ received, socket }: Peer, status: number) =>
    vi.waitFor(() => {
      const isThere = received().startsWith(`HTTP/1.1 ${status} `);
      expect(isThere, received() || `nothing; closed: ${socket.closed}`).toBe(true);
    }, PATIENT);
  const expectHonest = async (open: (...bytes: string[]) => Peer) => {
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    const honest = open(head({ ...headers, 'content-length': body.length }), body);
    await expectResponse(honest, 200);
  };

  test.each([
    ['without a signature', {}, false, 401],
    ['without a signature, in chunks', {}, true, 401],
    ['with a false signature', ANY_SIGNATURE, false, 413],
    ['with a false signature, in chunks', ANY_SIGNATURE, true, 413],
  ])(
    'a body of 100 kB %s is rejected, and the process lives (T147)',
    async (_what, headers, isChunked, status) => {
      const open = await serve(host);
      const length = isChunked ? CHUNKED : { 'content-length': LARGE.length };

      for (let at = 0; at < 3; at++) {
        const peer = open(
          head({ ...headers, ...length }),
          isChunked ? chunksOf(LARGE, 16_384) : LARGE,
        );
        await expectResponse(peer, status);
      }

      await expectHonest(open);
      expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
    },
  );

  test('a body is stopped if it comes in thousands of tiny chunks, and several such take little memory (T142)', async () => {
    const open = await serve(host);
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapUsed();
    const tiny = '1\r\nx\r\n'.repeat(10_000);
    const peers = Array.from({ length: 15 }, () =>
      open(head({ ...ANY_SIGNATURE, ...CHUNKED }), tiny),
    );

    for (const peer of peers)
      await vi.waitFor(() => expect(peer.socket.closed).toBe(true), PATIENT);

    expect(heapUsed() - before).toBeLessThan(5 * MB);
    await expectHonest(open);
  });

  test('a body is stopped if too many others arrive after it, and a whole one is received meanwhile (T120, T142)', async () => {
    const open = await serve(host);
    const half = [head({ ...ANY_SIGNATURE, 'content-length': 60_000 }), 'x'.repeat(40_000)];
    const peers: Peer[] = [];
    for (let at = 0; at < 140; at++) peers.push(open(...half));
    const stopped = () => peers.filter(({ received }) => received().startsWith('HTTP/1.1 400 '));
    await vi.waitFor(() => expect(stopped()).toHaveLength(140 - 128), PATIENT);

    await expectHonest(open);

    expect(stopped()).toHaveLength(140 - 127);
  });

  test('a body that stops in the middle is rejected after 12 s, and its connection closed (T142)', async () => {
    const open = await serve(host);
    const peer = open(head({ ...ANY_SIGNATURE, 'content-length': 60_000 }), 'x'.repeat(40_000));
    const unsigned = open(head({ 'content-length': 60_000 }), 'x'.repeat(40_000));
    await expectResponse(unsigned, 401);

    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(unsigned.socket.closed).toBe(true);
    }, PATIENT);
    expect(peer.received()).toBe('');
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(peer.socket.closed).toBe(true);
    }, PATIENT);

    expect(peer.received()).toMatch(/^HTTP\/1\.1 400 /);
    const rejected = lines.filter((line) => line.includes('webhook rejected'));
    expect(rejected).toHaveLength(1); // the unsigned one
  });

  test('a body whose connection breaks is no failure (T147)', async () => {
    const open = await serve(host);
    for (const headers of [{}, ANY_SIGNATURE]) {
      const peer = open(head({ ...headers, 'content-length': 60_000 }), 'x'.repeat(40_000));
      await vi.waitFor(() => expect(peer.socket.bytesWritten).toBeGreaterThan(40_000), PATIENT);
      peer.socket.destroy();
    }

    await expectHonest(open);
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });
});

describe('a body sent to the fetch handler', () => {
  test.each([
    ['breaks off', new Error('aborted')],
    ['ends in something that is no error', undefined],
  ])(
    'a body sent to the fetch handler is 400 and no alert if it %s (T142)',
    async (_what, reason) => {
      lines.length = 0; // without those of the start
      const response = await send(WEBHOOK, {
        pull: (controller: Controller) => controller.error(reason),
      });

      expect([response.status, await response.json()]).toMatchObject([400, { errorCode: '01' }]);
      expect(lines).toEqual([]);
      expect((await payments.metrics()).body).not.toMatch(/not_stored"\} [1-9]/);
    },
  );

  test.each([
    ['encoded', { ...ANY_SIGNATURE, 'content-encoding': 'gzip', ...CHUNKED }, 415],
    ['too long by its own account', { ...ANY_SIGNATURE, 'content-length': '65537' }, 413],
    ['without a signature', { 'content-length': '10' }, 401],
    [
      'with a signature of another form',
      { 'x-servicepay-signature': 'z'.repeat(128), ...CHUNKED },
      401,
    ],
    ['with two signatures', { 'x-servicepay-signature': `${'a'.repeat(128)}, b`, ...CHUNKED }, 401],
  ])(
    'a body sent to the fetch handler is not touched if it is %s, and the host closes its connection (T142)',
    async (_what, headers, status) => {
      let pulled = 0;
      const response = await send(WEBHOOK, { pull: () => void pulled++ }, headers);

      expect([response.status, response.headers.get('connection')]).toEqual([status, 'close']);
      expect(pulled).toBe(0);
    },
  );

  test('a body sent to the fetch handler of calls that take none is not touched (T142)', async () => {
    let pulled = 0;
    for (const path of ['/api/payments/x/verify', '/elsewhere']) {
      const response = await send(path, { pull: () => void pulled++ }, { 'content-length': '10' });
      expect(response.headers.get('connection')).toBe('close');
    }
    expect(pulled).toBe(0);
    expect((await call('/api/payments/x/verify')).headers.has('connection')).toBe(false);
  });

  test('a body sent to the fetch handler in a byte stream is cancelled once it has too many pieces, and not while its host may write (T142)', async () => {
    const isCancelled = vi.fn();
    const many = (controller: Controller) => controller.enqueue(new Uint8Array(1));
    const bytes = { type: 'bytes', cancel: isCancelled } as const;

    const stopped = await send(WEBHOOK, { ...bytes, pull: many } as object);
    expect([stopped.status, isCancelled.mock.calls.length]).toEqual([400, 1]);
    const written = await send(WEBHOOK, { pull: many, cancel: isCancelled });
    const waiting = send(WEBHOOK, bytes as object);
    await clock.advance(12_000);

    expect([written.status, (await waiting).status]).toEqual([400, 400]);
    expect(isCancelled).toHaveBeenCalledOnce();
  });

  test('a body sent to the fetch handler with a length that is no number is read', async () => {
    const end = { pull: (controller: Controller) => controller.close() };

    const response = await send(WEBHOOK, end, { ...ANY_SIGNATURE, 'content-length': 'many' });

    expect(response.status).toBe(401);
  });
});

describe('a page of another origin', () => {
  test.each<[string, Partial<FetchOptions<unknown>>]>([
    ['publicUrl', { publicUrl: 'shop.example' }],
    ['publicUrl', { publicUrl: 'localhost:3000' }],
    ['publicUrl', { publicUrl: '' }],
    ['allowedOrigins', { allowedOrigins: ['https://app.shop.example/'] }],
    ['allowedOrigins', { allowedOrigins: ['app.shop.example'] }],
    ['basePath', { basePath: 'shop' }],
  ])(
    'a page of another origin is not guarded against with a bad %s: building the handler fails (%j)',
    (name, options) => {
      expect(() => build(options)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          problems: [expect.objectContaining({ path: name })],
        }),
      );
      if (name !== 'basePath')
        expect(() => buildOwnPagesOnly(options.publicUrl, options.allowedOrigins)).toThrow(name);
    },
  );
});

describe('event streams of the fetch handler', () => {
  const open = async (address = '') => {
    const { reference } = (await payments.findOpen({ owner: 'ann' }))!;
    const headers = { 'x-real-ip': address };
    return call(`/api/payments/${reference}/events`, { method: 'GET', headers });
  };

  beforeEach(() => payments.create(ORDER));

  test('event streams of the fetch handler are limited per address, where that is known (T121, T142)', async () => {
    handle = build({ findAddress: (request) => request.headers.get('x-real-ip') || undefined });
    const held: Response[] = [];
    while (held.length < 2_000) held.push(await open('192.0.2.1'));

    const rejected = await open('192.0.2.1');
    const other = await open('192.0.2.2');
    await held[0]!.body!.cancel();
    const again = await open('192.0.2.1');

    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]));
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60']);
    expect([other.status, again.status]).toEqual([200, 200]);
    for (const { body } of [...held.slice(1), other, again]) await body!.cancel();
  });

  test('a reader that takes nothing for 30 s is cut, and one event waits for it meanwhile (T142)', async () => {
    const response = await open();
    await clock.advance(29_000);
    const reader = response.body!.getReader();

    expect(new TextDecoder().decode((await reader.read()).value)).toBe('retry: 3000\n\n');
    await clock.advance(30_000);
    await clock.advance(30_000);

    await expect(reader.read()).rejects.toThrow('too slow');
  });
});

test('a failure that every request has is one log line a second', async () => {
  handle = build({
    findOwner: () => {
      throw new Error('the session store is away');
    },
  });

  for (let at = 0; at < 100; at++) expect((await call('/api/payments/x/verify')).status).toBe(500);

  expect(lines.filter((line) => line.includes('request failed'))).toHaveLength(1);
});
