import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { TestClient } from '../test/client.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './start.ts';

const running: Sandbox[] = [];
const start = async (options?: SandboxOptions) => {
  const sandbox = await startSandbox(options);
  running.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});

describe('as a library', () => {
  test('the sandbox responds on localhost over IPv4 and IPv6, and not after close', async () => {
    const { url } = await start();
    const { port } = new URL(url);

    expect(url).toBe(`http://localhost:${port}`);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const response = await request(`http://${host}:${port}/access/v2/collections`);
      expect(response.statusCode, host).toBe(401);
      await response.body.dump();
    }
    await running.pop()!.close();
    await expect(request(url)).rejects.toThrow();
  });

  test('the sandbox keeps an idle connection longer than a client does, so that no call finds it closed', async () => {
    const { url } = await start();
    const { headers, body } = await request(`${url}/access/v2/collections`);
    await body.dump();

    expect(headers['keep-alive']).toBe('timeout=75');
  });

  test('the sandbox runs twenty times side by side on different ports, independently and without warnings', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => void warnings.push(warning);
    process.on('warning', keep);
    const sandboxes = await Promise.all(Array.from({ length: 20 }, () => start()));

    await Promise.all(
      sandboxes.map(async ({ control }, at) => {
        await control.setClock({ mode: 'virtual' });
        await control.advance(at * 3600);
        await control.putCollection({ reference: `order-${at}`, amount: `${at + 1}.00` });
        await control.putMerchant('pub_sandbox_demo', { name: `Shop ${at}` });
        if (at % 2)
          await control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });
      }),
    );
    const seen = await Promise.all(
      sandboxes.map(async (sandbox, at) => {
        const client = new TestClient(() => sandbox);
        const own = await client.merchant(`/collections/status/order-${at}`);
        const others = await client.merchant(`/collections/status/order-${(at + 2) % 20}`);
        const { now } = await sandbox.control.advance(0);
        return {
          own: own.json.data?.amount ?? own.status,
          others: others.status,
          hours: (Date.parse(now) - Date.now()) / 3_600_000,
        };
      }),
    );
    process.off('warning', keep);

    expect(new Set(sandboxes.map(({ url }) => url)).size).toBe(20);
    expect(seen.map(({ own }) => own)).toEqual(
      sandboxes.map((_, at) => (at % 2 ? 503 : `${at + 1}.00`)),
    );
    expect(seen.map(({ others }) => others)).toEqual(
      sandboxes.map((_, at) => (at % 2 ? 503 : 404)),
    );
    for (const [at, { hours }] of seen.entries()) expect(hours).toBeCloseTo(at, 1);
    expect(warnings).toEqual([]);
  });

  test('the sandbox closes at the end of an await using block, and closing again does nothing', async () => {
    let url: string;
    {
      await using sandbox = await startSandbox();
      url = sandbox.url;
      expect((await request(`${url}/access/v2/collections`)).statusCode).toBe(401);
      await Promise.all([sandbox.close(), sandbox.close()]);
    }

    await expect(request(url)).rejects.toThrow();
  });

  test('the sandbox closes while calls hang and while an advance waits for a receiver', async () => {
    let isAsked = () => {};
    const requested = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const receiver = createServer(() => isAsked()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const sandbox = await start({ clock: 'virtual', webhookUrl: `http://127.0.0.1:${port}/` });
    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'hang' } });
    await sandbox.control.putCollection({ reference: 'waits', notify: true });
    const hanging = new TestClient(() => sandbox).merchant('/collections/status/waits');
    const advancing = sandbox.control.advance(86_400);
    const cut = Promise.allSettled([hanging, advancing]);
    await requested;

    await sandbox.close();

    expect((await cut).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    receiver.closeAllConnections();
    receiver.close();
  });

  test('the sandbox keeps as many finished collections as collectionLimit allows', async () => {
    const sandbox = await startSandbox({ collectionLimit: 1 });
    for (const reference of ['the-first', 'the-second'])
      await sandbox.control.putCollection({ reference, amount: '10.00' });

    const statusOf = async (reference: string) => {
      const path = `${sandbox.url}/access/v2/collections/status/${reference}`;
      return (await fetch(path, { headers: { authorization: 'Bearer sec_sandbox_demo' } })).status;
    };

    expect([await statusOf('the-first'), await statusOf('the-second')]).toEqual([404, 200]);
    await sandbox.close();
  });

  test('the sandbox names every problem of its options without values (T57)', async () => {
    const wrong = {
      port: -1,
      host: 'canary canary',
      token: 'canary',
      webhookUrl: 'file:///canary',
      state: '',
      seed: 0.5,
      historyLimit: 0,
      collectionLimit: 0,
      clock: 'canary',
      widgetDist: 7,
      log: {},
      canary: 1,
    };
    const error: Error = await startSandbox(wrong as object).catch((cause) => cause);

    expect(
      error.message
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(Object.keys(wrong).sort());
    expect(error.message.replace('canary is not an option', '')).not.toContain('canary');
  });

  test.each([
    [{ webhookUrl: '' }, 'webhookUrl must be an http(s) URL'],
    [{ webhookUrl: 'http://user:secret@localhost/' }, 'webhookUrl must be'],
    [{ webhookUrl: null }, 'webhookUrl must be'],
    [{ port: Number.NaN }, 'port must be a whole number from 0 to 65535'],
    [{ port: '4010' }, 'port must be'],
    [{ host: '' }, 'host must be'],
    [{ host: 'localhost:4010' }, 'without port'],
    [{ host: ['sandbox', 'a b'] }, 'host must be'],
    [{ host: 7 }, 'host must be'],
    [
      { webhookURL: 'http://localhost/' },
      'webhookURL is not an option. The options are port, host,',
    ],
    [null, 'The options must be an object'],
    ['4010', 'The options must be an object'],
  ])('startSandbox rejects %j with a sentence', async (options, sentence) => {
    await expect(startSandbox(options as object)).rejects.toThrow(sentence);
  });

  test('the sandbox responds to each of several hosts, and prints the first that a machine can look up', async () => {
    const sandbox = await start({
      host: ['localhost', '0.0.0.0', 'a.example.test', 'B.example.test'],
    });
    const { hostname, port } = new URL(sandbox.url);
    const client = new TestClient(() => ({ url: `http://127.0.0.1:${port}` }));
    const under = async (host: string) =>
      (await client.call('/openapi.json', { headers: { host } })).status;

    expect(hostname).toBe('a.example.test');
    expect(sandbox.token).not.toBe(null);
    expect(await under('a.example.test')).toBe(200);
    expect(await under('b.example.test')).toBe(200);
    expect(await under('c.example.test')).toBe(401);
  });

  test('the sandbox is open to no other machine if all its hosts are this machine', async () => {
    expect((await start({ host: ['localhost', '127.0.0.1'] })).token).toBe(null);
    expect((await start({ host: [] })).token).toBe(null);
  });

  test('the sandbox names its hosts and requires a token for controls and phone if open to other machines (T54)', async () => {
    const sandbox = await start({ host: 'pay.example.test' });
    const at = (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const { port } = new URL(sandbox.url);
      return new TestClient(() => ({ ...sandbox, url: `http://127.0.0.1:${port}` })).call(path, {
        method,
        headers: { host: `pay.example.test:${port}`, ...headers },
      });
    };
    const token = sandbox.token!;

    expect(token).toMatch(/^[\w-]{32}$/);
    expect(sandbox.url).toMatch(/^http:\/\/pay\.example\.test:\d+$/);
    expect((await at('/access/v2/collections')).json.errorCode).toBe('09');
    expect(await at('/access/v2/collections', { host: 'evil.example' })).toMatchObject({
      status: 401,
      json: { errorCode: '13' },
    });
    for (const headers of [{}, { 'x-sandbox-token': 'guessed' }]) {
      expect(await at('/_sandbox/reset', headers, 'POST')).toMatchObject({
        status: 401,
        json: { errorCode: '13' },
      });
      expect(await at('/phone/0961111111', headers)).toMatchObject({
        status: 401,
        json: { errorCode: '13' },
      });
    }
    expect(
      (await at('/_sandbox/reset', { 'x-sandbox-token': token, via: '1.1 proxy' }, 'POST')).status,
    ).toBe(200);
    expect((await at('/phone/0961111111', { 'x-sandbox-token': token })).status).toBe(200);
    expect(
      (await at('/phone/0961111111', { accept: 'text/html' })).headers['content-type'],
    ).toMatch(/^text\/html/);
    await sandbox.control.reset();
  });
});
