import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { buildOwnPagesOnly } from '../express/request-guards.ts';
import { createPayments, type Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionAnswer, signedWebhook, startUpstream, TOKEN } from '../testing/upstream.ts';
import { buildFetchHandler, type FetchOptions } from './handler.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const WEBHOOK = '/webhooks/service-pay';
const ANY_SIGNATURE = { 'x-servicepay-signature': 'a'.repeat(128) };
const MB = 1024 * 1024;

type Controller = ReadableStreamDefaultController<Uint8Array>;

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let payments: Payments;
let clock: ManualClock;
let lines: string[];
let handle: (request: Request) => Promise<Response>;

beforeEach(async () => {
  database = await makeDatabaseUrl('sqlite');
  clock = new ManualClock();
  lines = [];
  service = await startUpstream((req, res) =>
    res.end(collectionAnswer(req.url!, { status: 'pending' })),
  );
  payments = await createPayments({
    apiUrl: service.url,
    apiToken: TOKEN,
    publicKey: 'pub_test',
    database: database.url,
    fulfil: async () => {},
    log: buildTestLog(lines),
    clock,
    ...PATIENT_DATABASE,
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

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return handle(new Request(`https://shop.example${path}`, { method: 'POST', ...init }));
}

/** Asks with a body that a test makes piece by piece. */
function send(
  path: string,
  body: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0],
  headers: Record<string, string> = ANY_SIGNATURE,
): Promise<Response> {
  const stream = new ReadableStream(body, { highWaterMark: 0 });
  return ask(path, { body: stream, headers, duplex: 'half' } as RequestInit);
}

/** Serves the handler as frameworks do: the body becomes a web stream. */
async function serve(): Promise<(bytes: string) => { socket: Socket; heard(): string }> {
  const server = createServer(async (req, res) => {
    const body = Readable.toWeb(req);
    const init = { method: req.method, headers: req.headers, body, duplex: 'half' };
    const answer = await handle(new Request(`http://x${req.url}`, init as RequestInit));
    res.writeHead(answer.status).end();
  }).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return (bytes) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (data) => {
      heard += data;
    });
    socket.on('error', () => {});
    socket.write(bytes);
    return { socket, heard: () => heard };
  };
}

function head(headers: Record<string, string | number>): string {
  const all = Object.entries({ host: 'x', ...headers });
  return `POST ${WEBHOOK} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

describe('a body sent to the fetch handler', () => {
  test('is cut if it comes in thousands of tiny chunks, and fifty such take little memory (T142)', async () => {
    const open = await serve();
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapUsed();
    const bytes =
      head({ ...ANY_SIGNATURE, 'transfer-encoding': 'chunked' }) + '1\r\nx\r\n'.repeat(10_000);
    const peers = Array.from({ length: 50 }, () => open(bytes));

    for (const { heard } of peers)
      await vi.waitFor(() => expect(heard()).toMatch(/^HTTP\/1\.1 400 /), PATIENT);

    expect(heapUsed() - before).toBeLessThan(16 * MB);
  });

  test('is cut if too many others arrive after it, and a whole one is received meanwhile (T120, T142)', async () => {
    const open = await serve();
    const half = `${head({ ...ANY_SIGNATURE, 'content-length': 60_000 })}${'x'.repeat(40_000)}`;
    const peers: ReturnType<typeof open>[] = [];
    for (let at = 0; at < 300; at++) peers.push(open(half));
    const cut = () => peers.filter(({ heard }) => heard().startsWith('HTTP/1.1 400 '));
    await vi.waitFor(() => expect(cut()).toHaveLength(300 - 128), PATIENT);

    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    const honest = open(head({ ...headers, 'content-length': body.length }) + body);

    await vi.waitFor(() => expect(honest.heard()).toMatch(/^HTTP\/1\.1 200 /), PATIENT);
    expect(cut()).toHaveLength(300 - 127);
  });

  test('is cut if it has not arrived within 12 s (T142)', async () => {
    const isCancelled = vi.fn();
    const answer = send(WEBHOOK, { cancel: isCancelled });

    await clock.advance(11_999);
    expect(isCancelled).not.toHaveBeenCalled();
    await clock.advance(1);

    expect((await answer).status).toBe(400);
    expect(isCancelled).toHaveBeenCalledOnce();
  });

  test.each([
    ['breaks off', new Error('aborted')],
    ['ends in something that is no error', undefined],
  ])('is 400 and no alert if it %s (T142)', async (_what, reason) => {
    lines.length = 0; // without those of the start
    const answer = await send(WEBHOOK, {
      pull: (controller: Controller) => controller.error(reason),
    });

    expect([answer.status, await answer.json()]).toMatchObject([400, { errorCode: '01' }]);
    expect(lines).toEqual([]);
    expect((await payments.metrics()).body).not.toMatch(/not_stored"\} [1-9]/);
  });

  test('is not waited for if it is encoded, or too long by its own account (T142)', async () => {
    const encoded = await send(WEBHOOK, {}, { ...ANY_SIGNATURE, 'content-encoding': 'gzip' });
    const large = await send(WEBHOOK, {}, { ...ANY_SIGNATURE, 'content-length': '65537' });
    const odd = await send(
      WEBHOOK,
      { pull: (controller: Controller) => controller.close() },
      {
        ...ANY_SIGNATURE,
        'content-length': 'many',
      },
    );

    expect([encoded.status, large.status, odd.status]).toEqual([415, 413, 401]);
  });

  test.each([
    ['a call that takes none', '/api/payments/x/verify', {}],
    ['an unsigned webhook', WEBHOOK, {}],
    ['an encoded one', WEBHOOK, { ...ANY_SIGNATURE, 'content-encoding': 'gzip' }],
    ['a path without a route', '/elsewhere', {}],
  ])('of %s does not stay in memory unread (T142)', async (_what, path, headers) => {
    const isReleased = Promise.withResolvers<void>();
    let left = 20;
    const pull = (controller: Controller) => {
      controller.enqueue(new Uint8Array(1_000));
      left -= 1;
      if (left) return;
      controller.close();
      isReleased.resolve();
    };
    const answer = await send(path, { pull, cancel: () => isReleased.resolve() }, headers);

    await isReleased.promise;

    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

describe('a page of another origin', () => {
  const CROSS = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };

  test.each([
    ['cross-site', CROSS],
    ['same-site, which another port of this host is', { 'sec-fetch-site': 'same-site' }],
    ['without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['in an old browser', { origin: 'https://evil.example' }],
  ])('(%s) is refused by verify and retry with 401·13 (T73, T142)', async (_what, headers) => {
    handle = build({ publicUrl: 'https://shop.example' });
    const { reference } = await payments.create(ORDER);

    for (const action of ['verify', 'retry']) {
      const answer = await ask(`/api/payments/${reference}/${action}`, { headers });
      expect([answer.status, await answer.json()]).toMatchObject([401, { errorCode: '13' }]);
    }
    expect(service.calls).toEqual([]);
  });

  test('may call if its origin is allowed, and so may own pages and programs', async () => {
    handle = build({
      publicUrl: 'https://shop.example',
      allowedOrigins: ['https://app.shop.example'],
    });
    for (const headers of [
      { 'sec-fetch-site': 'same-site', origin: 'https://app.shop.example' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
      { 'sec-fetch-site': 'none' },
      {},
    ]) {
      const { reference } = await payments.create(ORDER);
      expect((await ask(`/api/payments/${reference}/verify`, { headers })).status).toBe(200);
    }
  });

  test.each<[string, Partial<FetchOptions<unknown>>]>([
    ['publicUrl', { publicUrl: 'shop.example' }],
    ['publicUrl', { publicUrl: 'localhost:3000' }],
    ['publicUrl', { publicUrl: '' }],
    ['allowedOrigins', { allowedOrigins: ['https://app.shop.example/'] }],
    ['allowedOrigins', { allowedOrigins: ['app.shop.example'] }],
    ['basePath', { basePath: 'shop' }],
  ])('is not guarded against with a bad %s: building the handler fails (%j)', (name, options) => {
    expect(() => build(options)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        problems: [expect.objectContaining({ path: name })],
      }),
    );
    if (name !== 'basePath')
      expect(() => buildOwnPagesOnly(options.publicUrl, options.allowedOrigins)).toThrow(name);
  });

  test('does not matter to the webhook, which the signature guards', async () => {
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });

    const answer = await ask(WEBHOOK, { body, headers: { ...headers, ...CROSS } });

    expect(answer.status).toBe(200);
  });
});

describe('event streams of the fetch handler', () => {
  const open = async (address = '') => {
    const { reference } = (await payments.findOpen({ owner: 'ann' }))!;
    const headers = { 'x-real-ip': address };
    return ask(`/api/payments/${reference}/events`, { method: 'GET', headers });
  };

  beforeEach(() => payments.create(ORDER));

  test('are limited per address, where that is known (T121, T142)', async () => {
    handle = build({ findAddress: (request) => request.headers.get('x-real-ip') || undefined });
    const held: Response[] = [];
    while (held.length < 2_000) held.push(await open('192.0.2.1'));

    const refused = await open('192.0.2.1');
    const other = await open('192.0.2.2');
    await held[0]!.body!.cancel();
    const again = await open('192.0.2.1');

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect([other.status, again.status]).toEqual([200, 200]);
    for (const { body } of [...held.slice(1), other, again]) await body!.cancel();
  });

  test('a reader that takes nothing for 30 s is cut, and one event waits for it meanwhile (T142)', async () => {
    const answer = await open();
    await clock.advance(29_000);
    const reader = answer.body!.getReader();

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

  for (let at = 0; at < 100; at++) expect((await ask('/api/payments/x/verify')).status).toBe(500);

  expect(lines.filter((line) => line.includes('request failed'))).toHaveLength(1);
});
