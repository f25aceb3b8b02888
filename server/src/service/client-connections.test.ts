import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PaymentsError } from '../errors.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';
import { buildServiceClient, type ServiceClient } from './client.ts';

const SHORT_MS = 1_000;
/** By how much faster than the real one the deadline passes, but in `test:all`. */
const HASTE = process.env.DRAW_ANEW ? 1 : 16;

/** For tests of anything but its deadline: there, how busy the machine is decides nothing. */
const PATIENT_CLIENT = { deadlineMs: 60 * 60_000 };

const RESPONSE = toHttp(collectionResponse('forged'));

const closers: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function clientOfTcp(
  speak: (socket: Socket) => void,
  limits: { deadlineMs?: number } = PATIENT_CLIENT,
): Promise<{ client: ServiceClient; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    speak(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = buildServiceClient({ apiUrl, apiToken: TOKEN, ...limits });
  closers.push(
    () => new Promise((resolve) => void server.close(() => resolve())),
    async () => sockets.forEach((socket) => void socket.destroy()),
    () => client.close(),
  );
  return { client, sockets };
}

async function clientOf(
  respond: Parameters<typeof startUpstream>[0],
  limits: { deadlineMs?: number } = PATIENT_CLIENT,
) {
  const upstream = await startUpstream(respond);
  const client = buildServiceClient({ apiUrl: upstream.url, apiToken: TOKEN, ...limits });
  closers.push(upstream.close, () => client.close());
  return { client, calls: upstream.calls };
}

async function endOf(client: ServiceClient, reference: string): Promise<string> {
  return client.verify(reference).then(
    (collection) => collection?.reference ?? 'unknown to the service',
    (error: PaymentsError) => error.reason ?? error.code,
  );
}

function httpResponse(request: Buffer): string {
  return toHttp(collectionResponse(/status\/(\S+)/.exec(request.toString())?.[1] ?? ''));
}

function toHttp(body: string, more = 0): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length + more}\r\n\r\n${body}`;
}

describe('the connections of the verify call', () => {
  test('the connections of the verify call end by themselves within ten seconds with no response, with drips, with half a response and with a greeting nobody returns (T104)', {
    timeout: 40_000,
  }, async () => {
    const deadlines: number[] = [];
    const { timeout } = AbortSignal;
    const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      deadlines.push(ms);
      return timeout.call(AbortSignal, ms / HASTE);
    });
    onTestFinished(() => void spy.mockRestore());
    const silent = await clientOf(() => {}, {});
    const dripping = await clientOf((_req, res) => drip(res), {});
    const half = await clientOf((_req, res) => void res.write('{"status":true'), {});
    const headersOnly = await clientOfTcp(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-'),
      {},
    );

    const ends = await Promise.all(
      [silent, dripping, half, headersOnly].map(({ client }) => endOf(client, 'ref')),
    );

    expect(ends).toEqual(['timeout', 'timeout', 'timeout', 'timeout']);
    expect(deadlines).toEqual(Array(4).fill(8_000));
  });

  test('verify calls that wait for a connection behind a full pool end with the others (F6)', async () => {
    const { client, calls } = await clientOf(() => {}, { deadlineMs: SHORT_MS });
    const startedAt = performance.now();

    const ends = await Promise.all(Array.from({ length: 500 }, () => endOf(client, 'ref')));

    expect(new Set(ends)).toEqual(new Set(['timeout']));
    expect(calls.length).toBeLessThanOrEqual(100);
    expect(performance.now() - startedAt).toBeLessThan(SHORT_MS + 11_000);
  });

  test.concurrent.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy(), 'unreachable'],
    ['closed without a word', (socket: Socket) => socket.end(), 'unreachable'],
    [
      'no HTTP',
      (socket: Socket) => socket.write('220 mail.example ESMTP ready\r\n'),
      'unreachable',
    ],
    [
      'reset in the body',
      (socket: Socket) => socket.write(half(200), () => socket.resetAndDestroy()),
      'unreachable',
    ],
    ['ended in the body', (socket: Socket) => socket.end(half(200)), 'unreachable'],
    ['ended in the body of a 503', (socket: Socket) => socket.end(half(503)), 'busy'],
  ])(
    'the connections of the verify call %s: not known yet (T104)',
    async (_name, respond, code) => {
      const { client } = await clientOfTcp(
        (socket) => void socket.on('data', () => respond(socket)),
      );

      expect(await endOf(client, 'ref')).toBe(code);
    },
  );

  test.concurrent.each([
    [
      'one huge header',
      RESPONSE.replace('OK\r\n', `OK\r\nX-Filler: ${'x'.repeat(1_000_000)}\r\n`),
      ['unreachable'],
    ],
    [
      'many headers',
      RESPONSE.replace('OK\r\n', `OK\r\n${'X-Filler: 0123456789abcdef\r\n'.repeat(1_000)}`),
      ['unreachable'],
    ],
    [
      '100 Continue again and again, then a response',
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9) + RESPONSE,
      ['unreachable', 'forged'],
    ],
    [
      '100 Continue again and again, then nothing',
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3_000),
      ['unreachable', 'timeout'],
    ],
    [
      '103 Early Hints again and again, then a response',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(9) + RESPONSE,
      ['forged'],
    ],
    [
      '103 Early Hints again and again, then nothing',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3_000),
      ['timeout'],
    ],
    [
      'a response, and one for the next call',
      RESPONSE + toHttp(collectionResponse('next-0', { status: 'failed' })),
      ['forged'],
    ],
    ['bare line feeds', RESPONSE.replaceAll('\r\n', '\n'), ['unreachable']],
    ['a bare line feed in the headers', RESPONSE.replace('OK\r\n', 'OK\n'), ['unreachable']],
    ['a body longer than was said', toHttp(collectionResponse('forged'), -5), ['garbled']],
    ['a body shorter than was said', toHttp(collectionResponse('forged'), +5), ['timeout']],
    ['two lengths', RESPONSE.replace('OK\r\n', 'OK\r\nContent-Length: 5\r\n'), ['unreachable']],
    [
      'the preface of HTTP/2',
      `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${collectionResponse('forged')}`,
      ['unreachable'],
    ],
    ['the first frame of HTTP/2', `\0\0\0\x04\0\0\0\0\0${RESPONSE}`, ['unreachable']],
  ])(
    'a response of %s: not known yet, or what HTTP says it means, and the next calls get their own responses (T104, T106)',
    async (_name, response, ends) => {
      const limits = ends.includes('timeout') ? { deadlineMs: SHORT_MS } : PATIENT_CLIENT;
      const { client } = await clientOfTcp((socket) => {
        socket.on(
          'data',
          (request) =>
            void socket.write(
              request.includes('/forged ') ? response : httpResponse(request),
              'latin1',
            ),
        );
      }, limits);

      expect(ends).toContain(await endOf(client, 'forged'));

      expect(client.circuit).toBe('closed');
      for (const reference of ['next-0', 'next-1', 'next-2']) {
        expect(await client.verify(reference)).toMatchObject({ reference, status: 'successful' });
      }
    },
  );

  test('the connections of the verify call are cut at 64 kB, and one that was cut takes no other call (T104)', async () => {
    let sent = 0;
    const { client, sockets } = await clientOfTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n');
        const more = (): void => {
          while (!socket.destroyed && sent < 1e9) {
            sent += 65_536;
            if (!socket.write(Buffer.alloc(65_536, 32))) return void socket.once('drain', more);
          }
        };
        more();
      });
    });

    const ends = [await endOf(client, 'one'), await endOf(client, 'two')];

    expect(ends).toEqual(['garbled', 'garbled']);
    expect(sockets.size).toBe(2);
    expect(sent).toBeLessThan(40_000_000);
  });

  test('the connections of the verify call reject a compressed response unread, a bomb or not (T104)', async () => {
    const packed = (text: Buffer) => (_req: unknown, res: ServerResponse) =>
      void res
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
        .end(gzipSync(text));
    const bomb = await clientOf(packed(Buffer.alloc(50_000_000, 32)));
    const honest = await clientOf(packed(Buffer.from(collectionResponse('ref'))));

    expect([await endOf(bomb.client, 'ref'), await endOf(honest.client, 'ref')]).toEqual([
      'garbled',
      'garbled',
    ]);
  });

  test('the connections of the verify call fail with a 503 at once, without waiting for its body (T103, T104)', async () => {
    const { client } = await clientOf((_req, res) => {
      res.writeHead(503, { 'retry-after': '5' });
      drip(res); // longer than this test may take
    });

    expect(await endOf(client, 'ref')).toBe('told_to_wait');
  });

  test('a response that comes unrequested on a kept connection is never taken for the next reference (T106)', async () => {
    const { client } = await clientOfTcp((socket) => {
      socket.on('data', (request) => void socket.write(httpResponse(request).repeat(2)));
    });
    const { client: late } = await clientOfTcp((socket) => {
      socket.on('data', (request) => {
        const response = httpResponse(request);
        socket.write(response);
        setImmediate(() => socket.write(response));
      });
    });

    for (let at = 0; at < 60; at++) {
      for (const each of [client, late])
        expect([`ref-${at}`, 'garbled', 'unreachable']).toContain(await endOf(each, `ref-${at}`));
    }
  });

  test('a connection closed as it is used again costs a silent retry and no error (T106)', async () => {
    const calls = process.env.DRAW_ANEW ? 10_000 : 600;
    let used = 0;
    let closed = 0;
    const { client } = await clientOfTcp((socket) => {
      let uses = 0;
      socket.on('data', (request) => {
        uses += 1;
        const isStale = uses > 1 && ++used % 12 === 0;
        if (!isStale) return void socket.write(httpResponse(request));
        closed += 1;
        socket.destroy();
      });
    });

    let next = 0;
    const wrong: string[] = [];
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        while (next < calls) {
          const reference = `ref-${next++}`;
          const end = await endOf(client, reference);
          if (end !== reference) wrong.push(end);
        }
      }),
    );

    expect(wrong).toEqual([]);
    expect(closed).toBeGreaterThan(calls / 20);
  }, 180_000);

  test('connections dead all at once cost one try each: the second takes a new one (T106)', async () => {
    let areDead = false;
    const { client, sockets } = await clientOfTcp((socket) => {
      const isNew = areDead;
      socket.on('data', (request) => {
        if (areDead && !isNew) return void socket.resetAndDestroy();
        setImmediate(() => socket.write(httpResponse(request)));
      });
    });
    const verify = (name: string) =>
      Promise.all(Array.from({ length: 8 }, (_, at) => endOf(client, `${name}-${at}`)));
    await verify('before');
    const before = sockets.size;

    areDead = true;

    expect(await verify('after')).toEqual(Array.from({ length: 8 }, (_, at) => `after-${at}`));
    expect(sockets.size).toBe(before + 8);
  });

  test('a connection closed after each response without saying so costs no error (T106)', async () => {
    const { client } = await clientOfTcp((socket) => {
      socket.on('data', (request) => void socket.end(httpResponse(request)));
    });

    for (let at = 0; at < 60; at++) expect(await endOf(client, `ref-${at}`)).toBe(`ref-${at}`);
  });
});

function half(status: number): string {
  return `HTTP/1.1 ${status} As said\r\nContent-Length: 100\r\n\r\n{"status":true`;
}

function drip(res: ServerResponse): void {
  const timer = setInterval(() => res.write(' '), 300);
  res.once('close', () => clearInterval(timer));
}
