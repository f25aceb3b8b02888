import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../app/start.ts';
import type { News } from '../control/event-reader.ts';
import { History } from '../storage/history.ts';
import { rejected, TestClient } from '../test/client.ts';
import { Clock } from '../time/clock.ts';
import { EventStreams } from './sse.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function start(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  ending.push(() => sandbox.close());
  return sandbox;
}

async function serve(heartbeatMs: number) {
  const history = new History({ clock: new Clock('virtual') });
  const streams = new EventStreams({ history, heartbeatMs });
  const server = createServer(express().get('/', streams.respond)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  ending.push(() => {
    streams.close();
    server.close();
    server.closeAllConnections();
  });
  const happen = (summary: string) =>
    history.record({ kind: 'control', merchant: null, reference: null, summary, detail: null });
  return { history, happen, port };
}

function causeEvent({ control }: Sandbox): Promise<void> {
  return control.clearFaults();
}

async function take(news: AsyncIterator<News>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) {
    const { value } = await news.next();
    taken.push(typeof value === 'object' ? value.seq : value);
  }
  return taken;
}

async function readFirst(
  { url }: Sandbox,
  lastEventId = '0',
): Promise<{ event: string; id: string; seq: number }> {
  const { body } = await request(`${url}/_sandbox/events`, {
    headers: { 'last-event-id': lastEventId },
  });
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    const [, event, id, data] = /^event: (\w+)\nid: (\S+)\ndata: (.*)\n\n/m.exec(text) ?? [];
    if (event && id && data) return { event, id, seq: JSON.parse(data).seq };
  }
  throw new Error('The stream ended before it said anything.');
}

async function openSlowly(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return socket;
}

test('the event stream sends events once and in order, and announces a reset', async () => {
  const sandbox = await start();
  await causeEvent(sandbox);
  const news = sandbox.control.events({ after: 0 });
  expect(await take(news, 1)).toEqual([1]);

  await causeEvent(sandbox);
  await causeEvent(sandbox);
  expect(await take(news, 2)).toEqual([2, 3]);
  await sandbox.control.reset();
  await causeEvent(sandbox);
  expect(await take(news, 2)).toEqual(['reset', 4]);
  await news.return();
});

test('a returning reader misses nothing, or gets a gap', async () => {
  const sandbox = await start({ historyLimit: 3 });
  for (let at = 0; at < 5; at++) await causeEvent(sandbox);

  expect(await take(sandbox.control.events({ after: 2 }), 3)).toEqual([3, 4, 5]);
  expect(await take(sandbox.control.events({ after: 1 }), 1)).toEqual(['gap']);
  expect(await take(sandbox.control.events({ after: 6 }), 1)).toEqual(['gap']);
  const gone = sandbox.control.events({ after: 0 });
  expect(await take(gone, 1)).toEqual(['gap']);
  await causeEvent(sandbox);
  expect(await take(gone, 1)).toEqual([6]);
});

test.each(['', 'x', '-1', '1.5', '1e9', '9'.repeat(16), '0x1', 'é'])(
  'a Last-Event-ID of %j gives a gap, not an error (T51)',
  async (id) => {
    const sandbox = await start();
    await causeEvent(sandbox);

    const { statusCode, headers, body } = await request(`${sandbox.url}/_sandbox/events`, {
      headers: { 'last-event-id': id },
    });

    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
    });
    const [first] = (await once(body, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^event: gap\nid: [0-9a-f]{12}-1\ndata: {"seq":1}\n\n$/);
    body.destroy();
  },
);

test('an id of another run gives a gap, except ids of the run that the state came from (T51)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-events-'));
  ending.push(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  const kept = await start({ state });
  const [before] = await Promise.all([readFirst(kept), causeEvent(kept)]);
  await causeEvent(kept);
  await kept.close();

  const stranger = await start();
  const restored = await start({ state });
  for (let at = 0; at < 3; at++)
    for (const sandbox of [stranger, restored]) await causeEvent(sandbox);

  expect(await readFirst(stranger, before.id)).toMatchObject({ event: 'gap' });
  expect(await readFirst(restored, before.id)).toMatchObject({
    event: 'happening',
    seq: before.seq + 1,
  });
  const beyond = before.id.replace(/[0-9]+$/, '4');
  expect(await readFirst(restored, beyond)).toMatchObject({ event: 'gap' });
});

test('an id from before a reset gives a gap, even if it is the newest', async () => {
  const sandbox = await start();
  const [before] = await Promise.all([readFirst(sandbox), causeEvent(sandbox)]);

  await sandbox.control.reset();
  const [first] = await Promise.all([readFirst(sandbox, before.id), causeEvent(sandbox)]);

  expect(first).toMatchObject({ event: 'gap' });
});

test('a new reader gets as many of the newest events as it requests and as are kept', async () => {
  const sandbox = await start({ historyLimit: 3 });
  const newest = async (options: { last: number; after?: number }, count: number) => {
    const news = sandbox.control.events({ ...options, signal: leave.signal });
    return take(news, count);
  };
  const leave = new AbortController();
  ending.push(() => leave.abort());
  for (let at = 0; at < 5; at++) await causeEvent(sandbox);

  expect(await newest({ last: 2 }, 2)).toEqual([4, 5]);
  expect(await newest({ last: 1000 }, 3)).toEqual([3, 4, 5]);
  // A reader that knows its place resumes there; one that lost it starts like a new one.
  expect(await newest({ last: 1, after: 2 }, 3)).toEqual([3, 4, 5]);
  expect(await newest({ last: 1, after: 9 }, 2)).toEqual(['gap', 5]);
});

test.each(['last=-1', 'last=1001', 'last=1.5', 'last=', 'last=all', 'last=1&last=2', 'first=1'])(
  'last accepts whole numbers to 1000 and nothing else: %s',
  async (query) => {
    const sandbox = await start();
    const client = new TestClient(() => sandbox);

    expect(await client.call(`/_sandbox/events?${query}`)).toMatchObject(rejected(400, '01'));
  },
);

test('a new reader gets a position, so that it can return before the first event', async () => {
  const sandbox = await start();
  await causeEvent(sandbox);

  const { body } = await request(`${sandbox.url}/_sandbox/events`);

  const [first] = (await once(body, 'data')) as [Buffer];
  expect(String(first)).toMatch(/^event: open\nid: [0-9a-f]{12}-1\ndata: {"seq":1}\n\n$/);
  body.destroy();
});

test('a large burst arrives complete and in order', async () => {
  const sandbox = await start();
  const news = sandbox.control.events({ after: 0 });
  const all = Array.from({ length: 200 }, (_, at) => at + 1);

  await Promise.all(all.map(() => causeEvent(sandbox)));

  expect(await take(news, 200)).toEqual(all);
  await news.return();
});

test('the event stream requires the token if other machines can connect (T54)', async () => {
  const sandbox = await start({ host: 'pay.example.test' });
  const { port } = new URL(sandbox.url);
  const client = new TestClient(() => ({ ...sandbox, url: `http://127.0.0.1:${port}` }));

  expect(await client.call('/_sandbox/events')).toMatchObject(rejected(401, '13'));
  const news = sandbox.control.events({ after: 0 });
  await causeEvent(sandbox);
  expect(await take(news, 1)).toEqual([1]);
});

test('an event stream fails with 503·10 and Retry-After beyond 100 open streams (T51)', {
  timeout: 60_000,
}, async () => {
  const sandbox = await start();
  const client = new TestClient(() => sandbox);
  const open = () => request(`${sandbox.url}/_sandbox/events`);
  const streams = await Promise.all(Array.from({ length: 100 }, open));

  const over = await client.control('GET', '/events');
  expect(over).toMatchObject(rejected(503, '10'));
  expect(over.headers['retry-after']).toMatch(/^[0-9]+$/);
  expect((await client.control('GET', '/clock')).status).toBe(200);

  streams[0]!.body.destroy();
  const statusOfOneMore = async () => {
    const { statusCode, body } = await open();
    body.destroy();
    return statusCode;
  };
  await expect.poll(statusOfOneMore, { timeout: 60_000 }).toBe(200);
  for (const { body } of streams) body.destroy();
});

test('HEAD gets a response without an open stream', async () => {
  const sandbox = await start();

  const response = await new TestClient(() => sandbox).call('/_sandbox/events', { method: 'HEAD' });

  expect(response).toMatchObject({ status: 200, text: '' });
});

test('the sandbox ends every event stream on close', async () => {
  const sandbox = await start();
  const news = sandbox.control.events({ after: 0 });
  await causeEvent(sandbox);
  await take(news, 1);

  const [end] = await Promise.all([news.next(), sandbox.close()]);

  expect(end.done).toBe(true);
});

test('the typed client stops when its signal aborts or its loop ends, and rejects if the sandbox does', async () => {
  const sandbox = await start();
  const stopping = new AbortController();
  const news = sandbox.control.events({ after: 0, signal: stopping.signal });
  await causeEvent(sandbox);
  await take(news, 1);

  const last = news.next();
  stopping.abort();
  expect(await last).toEqual({ done: true, value: undefined });
  for await (const one of sandbox.control.events({ after: 0 })) {
    expect(one).toMatchObject({ seq: 1 });
    break;
  }
  const full = await start();
  const streams = await Promise.all(
    Array.from({ length: 100 }, () => request(`${full.url}/_sandbox/events`)),
  );
  await expect(full.control.events().next()).rejects.toMatchObject({
    name: 'ControlError',
    httpStatus: 503,
    errorCode: '10',
  });
  for (const { body } of streams) body.destroy();
});

test('the event stream sends heartbeats on an idle stream (T51)', async () => {
  const { port } = await serve(10);
  const { body } = await request(`http://127.0.0.1:${port}/`);
  let text = '';

  for await (const chunk of body) {
    text += chunk;
    if (text.endsWith('\n\n:\n\n:\n\n')) break;
  }

  expect(text).toMatch(/^event: open\nid: [0-9a-f]{12}-0\ndata: .+\n\n(?::\n\n)+$/);
});

test('the event stream cuts off a reader that takes nothing, at no cost to others (T51)', {
  timeout: 60_000,
}, async () => {
  // Far longer than the process may stall, so that a reader that reads is never full for two beats.
  const { happen, history, port } = await serve(1_000);
  const slow = await openSlowly(port);
  const { body } = await request(`http://127.0.0.1:${port}/`, {
    headers: { 'last-event-id': '0' },
  });
  let seen = '';
  body.on('data', (chunk) => {
    seen = (seen + chunk).slice(-2_000);
  });
  const happenMuch = () => {
    for (let at = 0; at < 20; at++) happen('x'.repeat(50_000));
  };

  const cut = once(slow, 'close').catch(() => undefined);
  await expect
    .poll(
      () => {
        happenMuch();
        return history.listenerCount;
      },
      { timeout: 60_000 },
    )
    .toBe(1);

  happen('last');
  await expect.poll(() => seen, { timeout: 60_000 }).toContain('"last"');
  slow.resume();
  await cut;
  body.destroy();
});

test('the event stream sends everything kept to a slow reader', {
  timeout: 60_000,
}, async () => {
  const { happen, port } = await serve(5_000);
  const socket = await openSlowly(port);
  for (let at = 1; at <= 400; at++) happen('x'.repeat(50_000));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.resume();

  await expect.poll(() => text.match(/^id: .+$/gm)?.length, { timeout: 60_000 }).toBe(400);

  expect(text.match(/^id: .+$/gm)!.map((id) => Number(id.split('-')[1]))).toEqual(
    Array.from({ length: 400 }, (_, at) => at + 1),
  );
  socket.destroy();
});
