import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type RequestHandler, type Response } from 'express';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../test/patience.ts';
import { EVENT_STREAM_HEADERS, OpenStreams } from '../events/open-streams.ts';
import { watchState, writeEvents } from '../events/watch.ts';
import type { ShownPayment } from '../payments/payment.ts';
import { PaymentFeed } from '../payments/payment-feed.ts';
import { NoResponseError } from '../support/database-failure.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { toRequestHandler } from './request-handler.ts';

const PENDING: ShownPayment = {
  reference: 'shop-1',
  status: 'pending',
  amount: '92.50',
  currency: 'ZMW',
  isWaitingForCustomer: false,
};
const HEARTBEAT_MS = 15_000;

let clock: ManualClock;
let streams: OpenStreams;
let compress: boolean;
let feed: PaymentFeed;
let shown: ShownPayment;
let reads: number;
let failures: number;
let responses: Response[];
let port: number;
let close: () => void;

beforeEach(async () => {
  clock = new ManualClock();
  streams = new OpenStreams();
  compress = false;
  feed = new PaymentFeed();
  shown = PENDING;
  reads = 0;
  failures = 0;
  responses = [];
  const app = express().set('trust proxy', 1);
  const compressed: RequestHandler = (_req, res, next) => {
    if (compress) compressResponse(res);
    next();
  };
  const read = async () => {
    reads++;
    if (failures) throw new NoResponseError(`${failures--} more`);
    return shown;
  };
  const watch = (listener: () => void) => feed.watch(listener);
  const route = toRequestHandler({
    ...{ name: 'events', method: 'GET', path: '/' },
    async respond({ address, signal }) {
      const begin = async () => writeEvents(watchState({ read, watch }, clock, signal), clock);
      const body = await streams.hold(address, signal, begin);
      return { status: 200, headers: EVENT_STREAM_HEADERS, body };
    },
  });
  app.get('/', compressed, (req, res, next) => {
    responses.push(res);
    return route(req, res, next);
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  close = () => server.close().closeAllConnections();
});

afterEach(() => close());

/** Compresses as the package `compression` does: everything, at the end, but for `no-transform`. */
function compressResponse(res: Response): void {
  const write = res.write.bind(res);
  res.write = ((chunk: string) => {
    const mayNot = /(?:^|,)\s*no-transform\s*(?:,|$)/i.test(`${res.get('Cache-Control')}`);
    return mayNot ? write(chunk) : true;
  }) as typeof res.write;
}

function read(headers = ''): { socket: Socket; received(): string; events(): string[] } {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  return {
    socket,
    received: () => received,
    events: () =>
      Array.from(
        received.matchAll(/event: payment\ndata: (.*)\n\n/g),
        ([, data]) => (JSON.parse(data!) as ShownPayment).amount,
      ),
  };
}

function countOpen(): number {
  return responses.filter(({ closed }) => !closed).length;
}

function move(amount: string, status: ShownPayment['status'] = 'pending'): void {
  shown = { ...PENDING, amount, status };
  feed.tell('shop-1');
}

describe('an event stream', () => {
  test('an event stream cut at each event tells the state again on each connect, and nothing is missed (T51)', async () => {
    const seen: string[] = [];
    for (let at = 0; at < 10; at++) {
      const reader = read();
      await vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);
      move(`${at}.50`);
      await vi.waitFor(() => expect(reader.events()).toHaveLength(2), PATIENT);
      seen.push(...reader.events());
      reader.socket.resetAndDestroy();
      move(`${at}.75`);
      await vi.waitFor(() => expect(countOpen()).toBe(0), PATIENT);
    }

    const states = [
      '92.50',
      ...Array.from({ length: 10 }, (_, at) => [`${at}.50`, `${at}.75`]).flat(),
    ];
    expect(seen).toEqual(states.slice(0, -1));
  });

  test.each([
    'Last-Event-ID: 7',
    'Last-Event-ID: \u00ff\u0001',
    `Last-Event-ID: ${'x'.repeat(10_000)}`,
    'Last-Event-ID: {"$ne":1}',
  ])('an event stream takes no notice of a junk %.20s (T51)', async (header) => {
    const reader = read(header.includes('\u0001') ? 'Last-Event-ID: \u00ff\r\n' : `${header}\r\n`);

    await vi.waitFor(() => expect(reader.events()).toEqual(['92.50']), PATIENT);
  });

  test('an event stream that is silent beats every 15 s, re-reads what nobody reported to it, and sends nothing twice (T51)', async () => {
    const reader = read();
    await vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);

    for (let beats = 1; beats <= 4; beats++) {
      await clock.advance(HEARTBEAT_MS);
      await vi.waitFor(
        () => expect(reader.received().match(/: still here/g)).toHaveLength(beats),
        PATIENT,
      );
    }
    shown = { ...PENDING, amount: '1.00' };
    await clock.advance(HEARTBEAT_MS);

    await vi.waitFor(() => expect(reader.events()).toEqual(['92.50', '1.00']), PATIENT);
  });

  test('an event stream whose state could not be read when it changed reads it again soon, as long as somebody listens (F12)', async () => {
    const reader = read();
    await vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);

    failures = 2;
    move('10.50', 'successful');
    await vi.waitFor(() => expect(reads).toBe(2), PATIENT);
    await clock.advance(3_000);
    await clock.advance(3_000);
    await vi.waitFor(() => expect(reader.events()).toEqual(['92.50', '10.50']), PATIENT);

    shown = PENDING;
    const gone = read();
    await vi.waitFor(() => expect(gone.events()).toHaveLength(1), PATIENT);
    failures = 1;
    const readsBefore = reads;
    feed.tell('shop-1');
    gone.socket.destroy();
    await vi.waitFor(() => expect(countOpen()).toBe(0), PATIENT);
    await clock.advance(3_000);
    expect(reads).toBe(readsBefore + 1);
  });

  test('an event stream whose state cannot be read for long is read no more often as time passes (F12)', async () => {
    failures = Number.POSITIVE_INFINITY;
    const reader = read();
    await vi.waitFor(() => expect(reads).toBe(1), PATIENT);

    await clock.advance(10 * 60_000);
    expect(reads).toBeGreaterThan(150);
    expect(reads).toBeLessThan(250);

    failures = 0;
    await clock.advance(3_000);
    await vi.waitFor(() => expect(reader.events()).toEqual(['92.50']), PATIENT);
  });

  test('an event stream ends with the payment, and after half an hour (T51)', async () => {
    const [paid, waiting] = [read(), read()];
    await vi.waitFor(
      () => expect([paid, waiting].map((reader) => reader.events().length)).toEqual([1, 1]),
      PATIENT,
    );

    await clock.advance(30 * 60_000);
    await vi.waitFor(() => expect(countOpen()).toBe(0), PATIENT);
    const later = read();
    await vi.waitFor(() => expect(later.events()).toHaveLength(1), PATIENT);
    move('92.50', 'successful');

    await vi.waitFor(() => expect(countOpen()).toBe(0), PATIENT);
    expect(later.received()).toMatch(/"status":"successful".*\n\n\r\n0\r\n\r\n$/s);
  });

  test('an event stream reads once at a time, however often it is notified, and sees the last state (T51)', async () => {
    const reader = read();
    await vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);
    const before = reads;

    for (let at = 0; at <= 100; at++) move(`${at}.00`);

    await vi.waitFor(() => expect(reader.events().at(-1)).toBe('100.00'), PATIENT);
    expect(reads - before).toBeLessThanOrEqual(2);
  });

  test('an event stream whose reader is 64 kB behind is cut (T51)', async () => {
    const reader = read();
    await vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);
    reader.socket.pause();

    const large = 'x'.repeat(256 * 1024);
    for (let at = 0; countOpen() > 0; at++) {
      move(large + at);
      await new Promise(setImmediate);
      expect(responses[0]!.writableLength).toBeLessThan(1024 * 1024);
    }

    expect(responses[0]!.destroyed).toBe(true);
  });

  test('an event stream arrives behind a layer that compresses what it may (T144)', async () => {
    compress = true;
    const reader = read();

    await vi.waitFor(() => expect(reader.events()).toEqual(['92.50']), PATIENT);
  });

  test('an event stream whose reader went before it began is not counted (T51)', async () => {
    const gone = AbortSignal.abort();
    const one = new OpenStreams(1);

    await one.hold('192.0.2.1', gone, async () => {});
    await one.hold('192.0.2.1', gone, async () => {});
  });
});

describe('event streams', () => {
  test('event streams are limited per address behind a proxy, and another address opens its own (T121)', async () => {
    streams = new OpenStreams(3);
    const from = (address: string) => read(`X-Forwarded-For: 198.51.100.7, ${address}\r\n`);
    const isRejected = ({ received }: ReturnType<typeof read>) =>
      vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 500/), PATIENT);
    const isOpen = (reader: ReturnType<typeof read>) =>
      vi.waitFor(() => expect(reader.events()).toHaveLength(1), PATIENT);

    const held = [from('192.0.2.1'), from('192.0.2.1'), from('192.0.2.1')];
    await Promise.all(held.map(isOpen));
    await isRejected(from('192.0.2.1'));
    await isOpen(from('192.0.2.2'));

    held[0]!.socket.destroy();
    await vi.waitFor(() => expect(countOpen()).toBe(3), PATIENT);
    await isOpen(from('192.0.2.1'));
  });

  test('event streams are limited per network of IPv6, since one customer has all its addresses (T121)', async () => {
    streams = new OpenStreams(3);
    const readers = [1, 2, 3, 4].map((at) => read(`X-Forwarded-For: 2001:db8::${at}\r\n`));

    await vi.waitFor(
      () => expect(readers.filter(({ received }) => received()).length).toBe(4),
      PATIENT,
    );

    expect(countOpen()).toBe(3);
  });
});
