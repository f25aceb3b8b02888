import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';
import { pay, TestClient } from '../test/client.ts';

const PATIENT = { timeout: 60_000 };

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

let sandbox: Sandbox;
let receiver: Server;
let received: Received[];
let respond: (res: ServerResponse, req: IncomingMessage) => void;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  receiver = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await readText(req) });
    respond(res, req);
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  sandbox = await startSandbox({ webhookUrl: address('/hook') });
});
afterAll(async () => {
  await sandbox.close();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(async () => {
  received = [];
  respond = (res) => res.end('ok');
  await sandbox.control.reset();
  await sandbox.control.setClock({ mode: 'virtual' });
});
afterEach(() => vi.restoreAllMocks());

function address(path: string): string {
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;
}

async function payByPhone(reference: string): Promise<void> {
  await client.attempt(await client.visit(reference), pay.phone('0971111111', 'airtel'));
  await sandbox.control.advance(3);
}

test('the sandbox sends one signed event with the same collection as the merchant API (D40, D41)', async () => {
  await payByPhone('notified');

  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  expect(headers['content-type']).toBe('application/json');
  expect(headers[SIGNATURE_HEADER.toLowerCase()]).toBe(signWebhook(body, 'sec_sandbox_demo'));
  const { event, data } = JSON.parse(body);
  const now = await client.collection('notified');
  expect(event).toBe('collection.successful');
  expect(data).toEqual({
    ...now,
    settlementStatus: 'pending',
    settlement: { ...now.settlement, status: 'pending', settledAt: null },
  });
  expect(await sandbox.control.webhooks()).toMatchObject([
    {
      event,
      reference: 'notified',
      url: address('/hook'),
      status: 'acknowledged',
      nextAttemptAt: null,
      attempts: [{ status: 200, body: 'ok', error: null }],
    },
  ]);
});

test('the sandbox sends nothing for a decline, an open session or a merchant without a URL', async () => {
  await client.attempt(await client.visit('declined'), pay.card('4000000000000002'));
  await client.attempt(
    await client.visit('theirs', { key: 'pub_sandbox_other' }),
    pay.card('4242424242424242'),
  );
  await sandbox.control.advance(60 * 60);

  expect(received).toEqual([]);
});

test.each([200, 201, 202])('the status %i acknowledges a webhook (D42)', async (status) => {
  respond = (res) => res.writeHead(status).end();
  await payByPhone('acknowledged');
  await sandbox.control.advance(24 * 60 * 60);

  expect(received).toHaveLength(1);
});

test.each([204, 302, 404, 500])(
  'the status %i does not acknowledge a webhook, which comes again half an hour later (D42, T57)',
  async (status) => {
    respond = (res, req) =>
      res.writeHead(req.url === '/hook' ? status : 200, { location: address('/elsewhere') }).end();
    await payByPhone('not-acknowledged');
    await sandbox.control.advance(30 * 60);

    const error = expect.stringContaining(String(status));
    const attempt = { status, error };
    expect(received).toHaveLength(2);
    expect(await sandbox.control.webhooks()).toMatchObject([
      { status: 'waiting', nextAttemptAt: expect.any(String), attempts: [attempt, attempt] },
    ]);
  },
);

test('a receiver that comes back gets the same bytes once', async () => {
  respond = (res) => res.writeHead(received.length < 3 ? 500 : 200).end();
  await payByPhone('again');
  await sandbox.control.advance(24 * 60 * 60);

  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(await sandbox.control.webhooks()).toMatchObject([
    { status: 'acknowledged', attempts: [{ status: 500 }, { status: 500 }, { status: 200 }] },
  ]);
});

test('a rejected connection is a failed attempt, which is retried', async () => {
  await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: 'http://127.0.0.1:9/' });
  await payByPhone('nobody');

  expect(await sandbox.control.webhooks()).toMatchObject([
    {
      status: 'waiting',
      attempts: [{ status: null, error: expect.stringContaining('ECONNREFUSED') }],
    },
  ]);
});

test('a receiver that hangs or drips has 10 s and holds up no other (T58)', async () => {
  const realTimeout = globalThis.setTimeout;
  const deadlines: (() => void)[] = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    if (ms === 10_000) deadlines.push(run);
    return realTimeout(run, ms);
  }) as typeof setTimeout);
  respond = (res, req) => {
    if (req.url === '/hook') res.writeHead(200).write('drip');
    else res.end('ok');
  };
  await sandbox.control.putMerchant('pub_sandbox_other', { webhookUrl: address('/quick') });
  await client.attempt(await client.visit('slow'), pay.phone('0971111111', 'airtel'));
  await client.attempt(
    await client.visit('quick', { key: 'pub_sandbox_other' }),
    pay.phone('0971111111', 'airtel'),
  );

  const advanced = sandbox.control.advance(3);
  await vi.waitFor(async () => {
    expect(
      (await sandbox.control.webhooks()).find(({ reference }) => reference === 'quick'),
    ).toMatchObject({ status: 'acknowledged' });
  }, PATIENT);
  expect(deadlines).not.toEqual([]);
  for (const pass of deadlines) pass();
  await advanced;

  expect(
    (await sandbox.control.webhooks()).find(({ reference }) => reference === 'slow'),
  ).toMatchObject({
    status: 'waiting',
    attempts: [{ status: 200, error: expect.stringContaining('10 s') }],
  });
});

test('an advance waits for earlier webhooks, however slow the receiver, and then sends what follows from them (T60)', async () => {
  const slowMs = 1_200;
  respond = (res) => {
    if (received.length > 1) res.end();
    else setTimeout(() => res.writeHead(500).end(), slowMs);
  };
  await sandbox.control.putCollection({ reference: 'slow', notify: true });
  await vi.waitFor(() => expect(received).toHaveLength(1), PATIENT);

  await sandbox.control.advance(30 * 60);

  expect(await sandbox.control.webhooks()).toMatchObject([
    { status: 'acknowledged', attempts: [{ status: 500 }, { status: 200 }] },
  ]);
});

test('responses count in the order of sending, so that the same calls give the same events (T60)', async () => {
  const waiting: ServerResponse[] = [];
  respond = (res) => {
    waiting.push(res);
    if (waiting.length === 3)
      for (const late of waiting.splice(0).reverse()) late.writeHead(500).end();
  };
  await sandbox.control.setFaults({ webhooks: { delaySeconds: 60 } });
  const references = ['one', 'two', 'three'];
  for (const reference of references)
    await sandbox.control.putCollection({ reference, notify: true });

  await sandbox.control.advance(60 + 30 * 60);

  const stories = await Promise.all(
    references.map((reference) => sandbox.control.collection('pub_sandbox_demo', reference)),
  );
  const responses = stories
    .flatMap(({ story }) => story)
    .filter(({ kind, detail }) => kind === 'delivery' && detail?.['attempt']);
  const recorded = responses
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ reference }) => reference);
  expect(recorded).toEqual([...references, ...references]);
});

test('the sandbox sends 64 at a time of what is due at one instant, all of it before the advance ends', async () => {
  const held: ServerResponse[] = [];
  respond = (res) => held.push(res);
  await sandbox.control.putMerchant('pub_sandbox_demo', { events: ['collection.settled'] });
  for (let at = 0; at < 100; at++)
    await client.attempt(await client.visit(`burst-${at}`), pay.card('4242424242424242'));

  const advanced = sandbox.control.advance(24 * 60 * 60);
  await vi.waitFor(() => expect(held.length).toBeGreaterThanOrEqual(64), PATIENT);
  for (let look = 0; look < 5; look++) await sandbox.control.webhooks();
  expect(held).toHaveLength(64);
  respond = (res) => res.end('ok');
  for (const res of held) res.end('ok');
  await advanced;

  expect((await sandbox.control.webhooks()).map(({ status }) => status)).toEqual(
    Array(100).fill('acknowledged'),
  );
});

test('the sandbox keeps 64 kB of a response (T57)', async () => {
  respond = (res) => res.writeHead(500).end('x'.repeat(1_000_000));
  await payByPhone('long');

  const [delivery] = await sandbox.control.webhooks();
  expect(delivery!.attempts[0]!.body).toHaveLength(64 * 1024);
});

test('the sandbox cuts an endless response at 64 kB, and its status counts (T58)', async () => {
  let isCut = false;
  respond = (res) => {
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const more = () => {
      while (!res.destroyed && res.write(chunk));
    };
    res.on('drain', more);
    res.on('close', () => {
      isCut = true;
    });
    res.writeHead(200);
    more();
  };
  await payByPhone('endless');

  expect(await sandbox.control.webhooks()).toMatchObject([
    { status: 'acknowledged', attempts: [{ body: 'x'.repeat(64 * 1024) }] },
  ]);
  await vi.waitFor(() => expect(isCut).toBe(true), PATIENT);
});

test.each([
  ['nothing and hangs up', ''],
  ['what is no HTTP', 'SSH-2.0-none\r\n\r\n'],
  ['half a response', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
  ['a head that does not end', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}`],
])('the sandbox retries a receiver that responds with %s (T58)', async (_what, bytes) => {
  const odd = createRawServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.end(bytes)),
  );
  await new Promise<void>((resolve) => {
    odd.listen(0, '127.0.0.1', resolve);
  });
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    webhookUrl: `http://127.0.0.1:${(odd.address() as AddressInfo).port}/`,
  });
  await payByPhone('odd');
  odd.close();

  const [delivery] = await sandbox.control.webhooks();
  expect(delivery).toMatchObject({
    status: 'waiting',
    nextAttemptAt: expect.any(String),
    attempts: [{ error: expect.stringMatching(/^Could not be delivered: .+\.$/) }],
  });
});

test('each attempt shows the request, the response and its useful headers', async () => {
  respond = (res) =>
    res
      .writeHead(503, {
        'content-type': 'text/plain',
        'retry-after': '5',
        'set-cookie': 'session=secret',
        'x-internal': 'secret',
      })
      .end('busy');
  await payByPhone('shown');

  const [{ headers, body }] = received as [Received];
  const [delivery] = await sandbox.control.webhooks();
  const [attempt] = delivery!.attempts;
  expect(attempt).toMatchObject({
    request: { method: 'POST', url: address('/hook'), body },
    status: 503,
    body: 'busy',
    error: expect.stringContaining('503'),
    tookMs: expect.any(Number),
    faults: [],
  });
  expect(attempt!.headers).toEqual({ 'content-type': 'text/plain', 'retry-after': '5' });
  for (const [name, value] of Object.entries(attempt!.request.headers))
    expect(headers[name.toLowerCase()]).toBe(value);
  expect(Object.keys(attempt!.request.headers)).toContain(SIGNATURE_HEADER);
});

test("the sandbox keeps finished deliveries up to the history's limit, and every unfinished one", async () => {
  const small = await startSandbox({ webhookUrl: address('/hook'), historyLimit: 3 });
  try {
    respond = (res, _req) => res.writeHead(received.length > 2 ? 200 : 500).end();
    for (let at = 0; at < 8; at++)
      await small.control.putCollection({ reference: `r-${at}`, notify: true });
    await vi.waitFor(async () => {
      const kept = (await small.control.webhooks()).map(
        ({ reference, status }) => `${reference} ${status}`,
      );
      expect(kept.filter((one) => one.endsWith('waiting'))).toHaveLength(2);
      expect(kept.filter((one) => one.endsWith('acknowledged'))).toHaveLength(3);
    }, PATIENT);
  } finally {
    await small.close();
  }
});

test('the sandbox reuses connections for what is due together, then closes them, so that a receiver may restart', async () => {
  const start = async (port: number) => {
    const shop = createServer((_req, res) => res.end('ok'));
    let connections = 0;
    const open = new Set<Socket>();
    shop.on('connection', (socket) => {
      connections++;
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    await new Promise<void>((resolve) => {
      shop.listen(port, '127.0.0.1', resolve);
    });
    return {
      shop,
      open,
      connections: () => connections,
      port: (shop.address() as AddressInfo).port,
    };
  };
  const before = await start(0);
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    webhookUrl: `http://127.0.0.1:${before.port}/`,
  });
  await sandbox.control.setFaults({ webhooks: { delaySeconds: 60 } });
  for (let at = 0; at < 100; at++)
    await sandbox.control.putCollection({ reference: `r-${at}`, notify: true });
  await sandbox.control.advance(60);

  expect(before.connections()).toBeLessThan(100);
  await vi.waitFor(() => expect(before.open.size).toBe(0), PATIENT);
  before.shop.close();
  const after = await start(before.port);
  await sandbox.control.putCollection({ reference: 'restarted', notify: true });
  await sandbox.control.advance(60);

  expect((await sandbox.control.webhooks()).map(({ status }) => status)).toEqual(
    Array(101).fill('acknowledged'),
  );
  expect(after.connections()).toBe(1);
  after.shop.close();
});

test('the sandbox shows a dropped webhook but never sends it', async () => {
  await sandbox.control.setFaults({ webhooks: { drop: 1 } });
  await payByPhone('lost');
  await sandbox.control.advance(24 * 60 * 60);

  expect(received).toEqual([]);
  expect(await sandbox.control.webhooks()).toMatchObject([
    { reference: 'lost', status: 'dropped', attempts: [] },
  ]);
});

test('the sandbox sends nothing planned before a reset (T59)', async () => {
  respond = (res) => res.writeHead(500).end();
  await payByPhone('before');
  await sandbox.control.reset();
  await sandbox.control.setClock({ mode: 'virtual' });
  await sandbox.control.advance(24 * 60 * 60);

  expect(received).toHaveLength(1);
  expect(await sandbox.control.webhooks()).toEqual([]);
});

test('the sandbox sends at once in real time, and other events if enabled (D43)', async () => {
  await sandbox.control.setClock({ mode: 'real' });
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    events: ['collection.failed', 'collection.settled'],
  });
  const visitor = await client.visit('failing');
  for (let attempt = 0; attempt < 5; attempt++)
    await client.attempt(visitor, pay.card('4000000000000002'));

  await vi.waitFor(
    () => expect(received.map(({ body }) => JSON.parse(body).event)).toEqual(['collection.failed']),
    PATIENT,
  );
});
