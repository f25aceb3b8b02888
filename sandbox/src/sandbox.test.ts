import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';

import { parseConfig } from './config.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
import { TestClient } from './test-client.ts';

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
  test('answers on localhost by either address family, and nowhere after close', async () => {
    const { url } = await start();
    const { port } = new URL(url);

    expect(url).toBe(`http://localhost:${port}`);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const answer = await request(`http://${host}:${port}/access/v2/collections`);
      expect(answer.statusCode, host).toBe(401);
      await answer.body.dump();
    }
    await running.pop()!.close();
    await expect(request(url)).rejects.toThrow();
  });

  test('two run side by side and know nothing of each other', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    await one.control.putCollection({ reference: 'mine' });

    expect((await new TestClient(() => two).merchant('/collections/status/mine')).status).toBe(404);
  });

  test('a taken port is said so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    await expect(startSandbox({ port })).rejects.toThrow(`Port ${port} is taken`);
    other.close();
  });

  test.each([
    [{ webhookUrl: 'file:///etc/passwd' }, 'webhookUrl must'],
    [{ webhookUrl: '' }, 'webhookUrl must'],
    [{ port: -1 }, 'port must'],
    [{ port: Number.NaN }, 'port must'],
    [{ host: '' }, 'host must'],
    [{ host: 'two words' }, 'host must'],
  ])('%j is refused with a sentence', async (options, sentence) => {
    await expect(startSandbox(options)).rejects.toThrow(sentence);
  });

  test('opened beyond loopback it names its hosts and wants a token for controls and handset (T54)', async () => {
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
    expect(await at('/access/v2/collections', { host: 'evil.example' })).toMatchObject({ status: 401, json: { errorCode: '13' } });
    for (const headers of [{}, { 'x-sandbox-token': 'guessed' }]) {
      expect(await at('/_sandbox/reset', headers, 'POST')).toMatchObject({ status: 401, json: { errorCode: '13' } });
      expect(await at('/phone/0961111111', headers)).toMatchObject({ status: 401, json: { errorCode: '13' } });
    }
    expect((await at('/_sandbox/reset', { 'x-sandbox-token': token, via: '1.1 proxy' }, 'POST')).status).toBe(200);
    expect((await at('/phone/0961111111', { 'x-sandbox-token': token })).status).toBe(200);
    expect((await at('/phone/0961111111', { accept: 'text/html' })).headers['content-type']).toMatch(/^text\/html/);
    await sandbox.control.reset();
  });
});

describe('settings', () => {
  test('have defaults, take flags before the environment', () => {
    const options = (args: string[], env = {}) => parseConfig(args, env).options;

    expect(parseConfig([], {})).toEqual({ task: 'serve', logLevel: 'info', options: { port: 4010 } });
    expect(options([], { SANDBOX_PORT: '0', SANDBOX_TOKEN: 'long-enough' })).toEqual({ port: 0, token: 'long-enough' });
    expect(options(['--port', '5000'], { SANDBOX_PORT: '0' }).port).toBe(5000);
    expect(
      options(['--webhook-url', 'http://localhost:3000/x', '--state=a.json', '--seed', '7', '--history', '9', '--clock', 'virtual']),
    ).toEqual({ port: 4010, webhookUrl: 'http://localhost:3000/x', state: 'a.json', seed: 7, historyLimit: 9, clock: 'virtual' });
  });

  test('every problem is named at once, and no value', () => {
    const read = () =>
      parseConfig(['--port', 'canary', '--host', 'a b', '--webhook-url', 'ftp://canary'], { SANDBOX_TOKEN: 'canary', LOG_LEVEL: 'canary' });

    expect(read).toThrow(/--port[\s\S]*--host[\s\S]*SANDBOX_TOKEN[\s\S]*--webhook-url[\s\S]*LOG_LEVEL/);
    expect(read).not.toThrow(/canary/);
    expect(() => parseConfig(['--prot', '1'], {})).toThrow('--prot is no flag');
    expect(() => parseConfig(['--port', '65536'], {})).toThrow('--port');
  });
});

describe('as a program', () => {
  const run = (...args: string[]) =>
    spawn(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url)), ...args], {
      env: { ...process.env, LOG_LEVEL: 'warn' },
    });

  test('prints its address once it answers, and ends on SIGTERM', { timeout: 20_000 }, async () => {
    const program = run('--port', '0');
    const [printed] = await once(program.stdout.setEncoding('utf8'), 'data');
    const url = /http:\/\/localhost:\d+/.exec(printed)?.[0];
    const answer = await request(`${url}/access/v2/collections`);
    await answer.body.dump();
    program.kill('SIGTERM');

    expect(answer.statusCode).toBe(401);
    expect(await once(program, 'exit')).toEqual([0, null]);
  });

  test('a bad flag ends it with status 2 and one message; --help says how it is called', { timeout: 20_000 }, async () => {
    const bad = run('--port', 'x');
    const [message, [status]] = await Promise.all([readText(bad.stderr), once(bad, 'exit')]);
    const help = run('--help');
    const [usage, [helpStatus]] = await Promise.all([readText(help.stdout), once(help, 'exit')]);

    expect(status).toBe(2);
    expect(message).toContain('--port must be');
    expect(message).not.toContain('main.ts');
    expect(helpStatus).toBe(0);
    expect(usage).toContain('--webhook-url');
  });
});
