import { ERROR_CODES, type ErrorCode } from '@service-pay/contract/envelope';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../app/start.ts';
import { PRINTED_ERROR, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';
import type { Fault } from './fault-settings.ts';

const sandbox = shareSandbox();
const client = new TestClient(() => sandbox);

test('the sandbox fails calls as configured, except the control API, until DELETE', async () => {
  await sandbox.control.setFaults({
    merchantApi: { rate: 1, kind: 'status', status: 503, errorCode: '10' },
    checkoutApi: { rate: 1, kind: 'reset' },
  });

  const broken = await client.merchant('/collections');
  expect(broken).toMatchObject(rejected(503, '10'));
  expect(broken.headers['retry-after']).toBe('1');
  await expect(client.openSession('x')).rejects.toThrow();

  await sandbox.control.clearFaults();
  expect((await client.merchant('/collections')).status).toBe(200);
});

test('the history names the parts whose faults a control call set', async () => {
  await sandbox.control.setFaults({ checkoutApi: { rate: 1, kind: 'reset' }, seed: 7 });

  for await (const happening of sandbox.control.events({ last: 1 })) {
    expect(happening).toMatchObject({
      summary: 'A control call set the faults.',
      detail: { parts: ['checkoutApi'] },
    });
    break;
  }
});

test.each(Object.entries(ERROR_CODES))(
  'the sandbox sends errorCode %s with its HTTP status, or with a configured one (D38)',
  async (errorCode, { httpStatus }) => {
    await sandbox.control.setFaults({
      merchantApi: { rate: 1, kind: 'status', errorCode: errorCode as ErrorCode },
    });
    expect(await client.merchant('/collections')).toMatchObject(rejected(httpStatus, errorCode));

    await sandbox.control.setFaults({
      merchantApi: { rate: 1, kind: 'status', errorCode: errorCode as ErrorCode, status: 503 },
    });
    expect(await client.merchant('/collections')).toMatchObject(rejected(503, errorCode));
  },
);

test('a call fails with 429·10 and Retry-After if configured (D44)', async () => {
  await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 429 } });

  const response = await client.merchant('/collections');

  expect(response).toMatchObject(rejected(429, '10'));
  expect(response.headers['retry-after']).toBe('1');
});

test('the sandbox gives the same faults for the same seed and calls (T61)', async () => {
  const run = async () => {
    await sandbox.control.setFaults({ merchantApi: { rate: 0.5, kind: 'status' }, seed: 7 });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++)
      statuses.push((await client.merchant('/collections')).status);
    return statuses;
  };

  const first = await run();

  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await run()).toEqual(first);
});

describe('every kind of fault on every API, over real sockets', () => {
  const FACES = {
    merchantApi: {
      path: '/access/v2/collections',
      headers: { authorization: 'Bearer sec_sandbox_demo' },
    },
    checkoutApi: {
      path: '/checkout/v1/sessions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        key: 'pub_sandbox_demo',
        email: 'ada@shop.example',
        reference: 'faulted',
        amount: '10.00',
      }),
    },
    checkoutPage: { path: '/checkout/v1/' },
    script: { path: '/js/v1/inline.js' },
  } as const;
  type Face = keyof typeof FACES;
  const LATENCY_MS = 40;

  async function read(face: Face, isEnough: (chunks: Buffer[]) => boolean = () => false) {
    const { path, ...options } = FACES[face];
    const response = await request(`${sandbox.url}${path}`, { method: 'GET', ...options });
    const chunks: Buffer[] = [];
    let isWhole = true;
    try {
      for await (const chunk of response.body) {
        chunks.push(chunk);
        if (isEnough(chunks)) break;
      }
    } catch {
      isWhole = false;
    }
    return {
      status: response.statusCode,
      headers: response.headers,
      chunks,
      body: Buffer.concat(chunks),
      isWhole,
    };
  }

  async function readFaulted(
    face: Face,
    fault: Omit<Fault, 'rate'>,
    isEnough?: (chunks: Buffer[]) => boolean,
  ) {
    await read(face);
    const whole = await read(face);
    await sandbox.control.setFaults({ [face]: { rate: 1, ...fault } });
    return { whole, faulted: await read(face, isEnough) };
  }

  describe.each(Object.keys(FACES) as Face[])('%s', (face) => {
    test('latency delays the whole response', async () => {
      const startedAt = performance.now();
      const { whole, faulted } = await readFaulted(face, {
        kind: 'latency',
        latencyMs: LATENCY_MS,
      });

      expect(performance.now() - startedAt).toBeGreaterThan(LATENCY_MS - 1);
      expect(faulted).toMatchObject({ status: whole.status, isWhole: true });
      expect(faulted.body).toHaveLength(whole.body.length);
    });

    test('status returns an error in the envelope with the configured status and code', async () => {
      const { faulted } = await readFaulted(face, { kind: 'status', status: 429, errorCode: '10' });

      expect(faulted).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        isWhole: true,
      });
      const body = faulted.body.toString();
      if (face === 'script') expect(body).toMatch(PRINTED_ERROR);
      else {
        expect(JSON.parse(body)).toEqual({
          status: false,
          message: expect.any(String),
          errorCode: '10',
        });
      }
    });

    test('hang never responds, while other calls get responses', async () => {
      await sandbox.control.setFaults({ [face]: { rate: 1, kind: 'hang' } });
      const { path, ...options } = FACES[face];
      const given = new AbortController();
      let hasResponded = false;
      const hanging = request(`${sandbox.url}${path}`, {
        method: 'GET',
        ...options,
        signal: given.signal,
      }).then(() => {
        hasResponded = true;
      });

      for (let call = 0; call < 20; call++) await sandbox.control.clock();

      expect(hasResponded).toBe(false);
      given.abort();
      await expect(hanging).rejects.toThrow();
    });

    test('reset breaks the connection without a response', async () => {
      await sandbox.control.setFaults({ [face]: { rate: 1, kind: 'reset' } });

      await expect(read(face)).rejects.toMatchObject({
        code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/),
      });
    });

    test('truncate sends the full status and length and half the body', async () => {
      const { whole, faulted } = await readFaulted(face, { kind: 'truncate' });

      expect(faulted).toMatchObject({ status: whole.status, isWhole: false });
      expect(faulted.headers['content-length']).toBe(whole.headers['content-length']);
      expect(faulted.body.length).toBeLessThan(whole.body.length);
    });

    test('garbage sends the full status and length and other bytes', async () => {
      const { whole, faulted } = await readFaulted(face, { kind: 'garbage' });

      expect(faulted).toMatchObject({ status: whole.status, isWhole: true });
      expect(faulted.headers['content-length']).toBe(whole.headers['content-length']);
      expect(faulted.body).toHaveLength(whole.body.length);
      expect(() => JSON.parse(faulted.body.toString())).toThrow();
      expect(faulted.body.equals(whole.body)).toBe(false);
    });

    test('drip sends status and headers and then the body byte by byte', async () => {
      const { whole, faulted } = await readFaulted(
        face,
        { kind: 'drip', latencyMs: 1 },
        (chunks) => chunks.length >= 20,
      );

      expect(faulted).toMatchObject({ status: whole.status, isWhole: true });
      expect(faulted.headers['content-length']).toBe(whole.headers['content-length']);
      if (face !== 'checkoutApi')
        expect(whole.body.subarray(0, faulted.body.length)).toEqual(faulted.body);
      expect(faulted.chunks.length).toBeGreaterThanOrEqual(20);
      expect(faulted.body.length).toBeLessThan(whole.body.length);
    });
  });

  test('the fault drip sends the whole body', async () => {
    const { whole, faulted } = await readFaulted('merchantApi', { kind: 'drip', latencyMs: 0 });

    expect(faulted.body.toString()).toBe(whole.body.toString());
  });
});

describe('the fault change', () => {
  const CHANGES = { reference: 'another', status: 'failed', amount: '1.00', currency: 'USD' };
  const readAll = async () => [
    (await client.merchant('/collections/status/changed')).json,
    (await client.merchant('/collections')).json,
  ];

  test('the fault change replaces fields of a collection and of each in a list, by default its reference', async () => {
    await sandbox.control.putCollection({ reference: 'changed' });
    const [one, list] = await readAll();

    const expectChanged = async (fault: object, changes: object) => {
      await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'change', ...fault } });
      expect(await readAll()).toEqual([
        { ...one, data: { ...one.data, ...changes } },
        { ...list, data: list.data.map((each: object) => ({ ...each, ...changes })) },
      ]);
    };
    await expectChanged({ changes: CHANGES }, CHANGES);
    await expectChanged({}, { reference: 'another' });
  });

  test('the fault change leaves a rejected call and a page alone', async () => {
    const change = { rate: 1, kind: 'change' } as const;
    await sandbox.control.setFaults({ merchantApi: change, checkoutPage: change });

    expect(await client.merchant('/collections/status/none')).toMatchObject(rejected(404, '11'));
    expect((await client.call('/checkout/v1/')).text).toContain('<!doctype html>');
  });
});

test('a fault never affects the controls, the pages and their files; a sandbox that hangs everywhere still closes (T61)', async () => {
  const other = await startSandbox();
  const hang = { rate: 1, kind: 'hang' } as const;
  await other.control.setFaults({
    merchantApi: hang,
    checkoutApi: hang,
    checkoutPage: hang,
    script: hang,
  });
  const hanging = [
    '/access/v2/collections',
    '/checkout/v1/sessions',
    '/checkout/v1/',
    '/js/v1/inline.js',
  ].map((path) => request(other.url + path));
  const ended = Promise.allSettled(hanging);

  for (const path of [
    '/_sandbox/clock',
    '/_sandbox/faults',
    '/_sandbox/webhooks',
    '/dashboard',
    '/phone/0971111111',
    '/favicon.ico',
    '/openapi.json',
  ]) {
    const response = await request(other.url + path);
    await response.body.dump();
    expect(response.statusCode, path).toBe(200);
  }
  await other.close();

  expect((await ended).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
});

test('the sandbox keeps the faults of one API independent of calls to another (T61)', async () => {
  const run = async (beside: () => Promise<unknown>) => {
    await sandbox.control.setFaults({
      merchantApi: { rate: 0.5, kind: 'status' },
      script: { rate: 0.5, kind: 'status' },
      seed: 3,
    });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) {
      statuses.push((await client.merchant('/collections')).status);
      await beside();
    }
    return statuses;
  };

  expect(await run(() => client.call('/js/v1/inline.js', { method: 'HEAD' }))).toEqual(
    await run(async () => undefined),
  );
});

test.each(['garbage', 'truncate', 'drip'] as const)(
  'the sandbox passes a response without a body through %s (T61)',
  async (kind) => {
    await sandbox.control.setFaults({ script: { rate: 1, kind } });

    const response = await client.call('/js/v1/inline.js', { method: 'HEAD' });

    expect(response).toMatchObject({ status: 200, text: '' });
  },
);

test.each([
  { merchantApi: { rate: 2, kind: 'status' } },
  { merchantApi: { rate: -1, kind: 'status' } },
  { merchantApi: { rate: 'x', kind: 'status' } },
  { merchantApi: { rate: 1, kind: 'fire' } },
  { merchantApi: { rate: 1, kind: 'drip', latencyMs: -1 } },
  { merchantApi: { rate: 1, kind: 'latency', latencyMs: 600_001 } },
  { merchantApi: { rate: 1, kind: 'status', status: 200 } },
  { merchantApi: { rate: 1, kind: 'status', errorCode: '14' } },
  { merchantApi: { rate: 1, kind: 'change', changes: { id: 'x' } } },
  { merchantApi: { rate: 1, kind: 'change', changes: 'reference' } },
  { seed: 0.5 },
  { webhooks: { drop: 2 } },
  { webhooks: { lose: 1 } },
  { controlApi: { rate: 1, kind: 'hang' } },
])('the control API rejects the faults %j with 400·01 (T61)', async (faults) => {
  expect(await client.control('PUT', '/faults', faults)).toMatchObject(rejected(400, '01'));
});
