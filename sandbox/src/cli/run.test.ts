import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Socket,
} from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { startSandbox } from '../app/start.ts';
import { TestClient } from '../test/client.ts';

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** Without the settings of whoever runs the tests; the cache spares each program its compiling. */
const BASIC = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'sandbox-program-'));
afterAll(() => rmSync(folder, { recursive: true }));

const running = new Set<ChildProcess>();
afterEach(async () => {
  const left = [...running].filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  );
  running.clear();
  await Promise.all(left.map((program) => [once(program, 'exit'), program.kill('SIGKILL')][0]));
});

function run(args: string[], env: Record<string, string> = {}): Program {
  const program = spawn(process.execPath, [MAIN, ...args], {
    env: { ...BASIC, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(program);
  return program;
}

async function ended(
  program: Program,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const [stdout, stderr, [status]] = await Promise.all([
    readText(program.stdout),
    readText(program.stderr),
    once(program, 'close'),
  ]);
  return { status, stdout, stderr };
}

async function serve(args: string[] = [], env: Record<string, string> = {}) {
  const program = run(['--port', '0', ...args], env);
  const [printed] = (await once(program.stdout.setEncoding('utf8'), 'data')) as [string];
  const lines = printed.trim().split('\n');
  const url = lines[1]!;
  return { program, lines, url, client: new TestClient(() => ({ url }) as never) };
}

describe('the program', { timeout: 90_000 }, () => {
  test('the program prints its address on a line of its own once it responds, and ends on SIGINT', async () => {
    const { program, url, client } = await serve();
    const response = await client.call('/access/v2/collections');
    const exit = once(program, 'exit');
    program.kill('SIGINT');

    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(response.status).toBe(401);
    expect(await exit).toEqual([0, null]);
  });

  test('the program ends on SIGTERM while calls hang', async () => {
    const { program, client } = await serve();
    await client.control('PUT', '/faults', { merchantApi: { rate: 1, kind: 'hang' } });
    const hanging = client
      .merchant('/collections/status/hangs')
      .catch((error: NodeJS.ErrnoException) => error.code);
    await client.control('GET', '/webhooks');
    const exit = once(program, 'exit');
    program.kill('SIGTERM');

    expect(await exit).toEqual([0, null]);
    expect(await hanging).toBe('ECONNRESET');
  });

  test('the program ends when its parent has gone, killed or not', async () => {
    const { program } = await serve();
    const exit = once(program, 'exit');
    program.stdout.destroy();

    expect(await exit).toEqual([0, null]);
  });

  test('the program keeps running if its reader only reads, as a journal does', async () => {
    const journal = createSocketServer({ allowHalfOpen: true }).listen(join(folder, 'journal'));
    await once(journal, 'listening');
    const stdout = connect(join(folder, 'journal'));
    const [reader] = (await once(journal, 'connection')) as [Socket];
    reader.end();
    const program = spawn(process.execPath, [MAIN, '--port', '0'], {
      env: { ...BASIC, LOG_LEVEL: 'warn' },
      stdio: ['ignore', stdout, 'pipe'],
    });
    running.add(program);
    stdout.destroy();
    const exit = once(program, 'exit');
    let url = '';
    // The program writes an empty line to find out whether anyone still reads.
    for await (const line of createInterface({ input: reader })) {
      if (line.startsWith('http')) url = line;
      if (line === '') break;
    }
    const response = await new TestClient(() => ({ url }) as never).call('/access/v2/collections');

    expect(response.status).toBe(401);
    program.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    reader.destroy();
    journal.close();
  });

  test('the program prints nothing after SIGTERM, even if its reader hangs up at once', async () => {
    const listener = createSocketServer({ allowHalfOpen: true }).listen(join(folder, 'reader'));
    await once(listener, 'listening');
    const stdout = connect(join(folder, 'reader'));
    const [reader] = (await once(listener, 'connection')) as [Socket];
    const program = spawn(process.execPath, [MAIN, '--port', '0'], {
      env: { ...BASIC, LOG_LEVEL: 'info' },
      stdio: ['ignore', stdout, 'pipe'],
    });
    running.add(program);
    stdout.destroy();
    let printed = String(await once(reader, 'data'));
    reader.on('data', (chunk) => {
      printed += chunk;
    });
    const introduced = printed;
    const exit = once(program, 'exit');
    reader.end();
    program.kill('SIGTERM');

    expect(await exit).toEqual([0, null]);
    expect(printed).toBe(introduced);
    listener.close();
  });

  test('the program stops when npx stops, if npx started it', async () => {
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${MAIN}" --port 0; exit`], {
      env: { ...BASIC, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(shell);
    // Both pipes end once the sandbox has closed them, too.
    const logged = readText(shell.stderr);
    await once(shell.stdout, 'data');
    const printed = readText(shell.stdout);
    shell.kill('SIGTERM');

    expect(await printed).toBe('');
    expect(await logged).toContain('npx ended');
  });

  test('the program starts with the options of its flags', async () => {
    const deliveries: string[] = [];
    const receiver = createServer((req, res) => {
      deliveries.push(`${req.method} ${req.url}`);
      res.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const webhookUrl = `http://127.0.0.1:${port}/hook`;
    const { client } = await serve([
      ...['--clock', 'virtual', '--history', '5', '--webhook-url', webhookUrl],
    ]);
    await client.control('POST', '/collections', { reference: 'notified', notify: true });

    const clock = await client.control('POST', '/clock/advance', { seconds: 1 });

    expect(clock.json.data.mode).toBe('virtual');
    expect(deliveries).toEqual(['POST /hook']);
    for (let at = 0; at < 12; at++)
      await client.control('POST', '/collections', { reference: `order-${at}` });
    const stories = await Promise.all(
      [0, 11].map((at) => client.control('GET', `/collections/pub_sandbox_demo/order-${at}`)),
    );
    expect(stories.map(({ json }) => json.data.story.length > 0)).toEqual([false, true]);
    await client.control('POST', '/reset');
    expect((await client.control('POST', '/clock/advance', { seconds: 0 })).json.data.mode).toBe(
      'virtual',
    );
    receiver.close();
  });

  test('the program prints a token it generated for --host and how to send it, but never a given one (T54)', async () => {
    const [made, given] = await Promise.all([
      serve(['--host', '0.0.0.0']),
      serve(['--host', '0.0.0.0'], { SANDBOX_TOKEN: 'canary-of-a-token' }),
    ]);
    const token = /^X-Sandbox-Token: ([\w-]{32})$/m.exec(made.lines.join('\n'))?.[1] ?? '';
    const reset = ({ client }: typeof made, value: string) =>
      client.call('/_sandbox/reset', { method: 'POST', headers: { 'x-sandbox-token': value } });

    expect(await reset(made, token)).toMatchObject({ status: 200 });
    expect(await reset(given, 'canary-of-a-token')).toMatchObject({ status: 200 });
    expect(await reset(given, token)).toMatchObject({ status: 401, json: { errorCode: '13' } });
    expect(given.lines.join('\n')).not.toContain('canary');
    expect(given.lines.join('\n')).toContain('X-Sandbox-Token');
  });

  test('the program prints the names it responds to for other machines, and responds to each', async () => {
    const { lines, url } = await serve(['--host', '0.0.0.0', '--host', 'Sandbox.internal']);
    const local = `http://localhost:${new URL(url).port}`;
    const client = new TestClient(() => ({ url: local }) as never);
    const named = /^Other machines can connect, under these names: (.+)\. For another name/m.exec(
      lines.join('\n'),
    );
    const names = named?.[1]?.split(', ') ?? [];

    expect(names).toEqual(expect.arrayContaining(['sandbox.internal', hostname().toLowerCase()]));
    expect(names.filter((name) => /^(?:localhost|127\.0\.0\.1|::1)$/.test(name))).toEqual([]);
    expect(new URL(url).hostname).toBe('sandbox.internal');
    for (const name of [...names, 'localhost']) {
      const host = name.includes(':') ? `[${name}]` : name;
      expect((await client.call('/openapi.json', { headers: { host } })).status, name).toBe(200);
    }
    expect(await client.call('/openapi.json', { headers: { host: 'other' } })).toMatchObject({
      status: 401,
      json: { message: expect.stringContaining('--host <name>') },
    });
  });

  test('the program ends with --exit-with-stdin when the parent closes stdin, as a parent that dies does', async () => {
    const program = spawn(process.execPath, [MAIN, '--port', '0', '--exit-with-stdin'], {
      env: { ...BASIC, LOG_LEVEL: 'info' },
      stdio: 'pipe',
    });
    running.add(program);
    const logged = readText(program.stderr);
    const [printed] = await once(program.stdout.setEncoding('utf8'), 'data');
    const client = new TestClient(() => ({ url: String(printed).split('\n')[1] }) as never);
    program.stdin.write('anything\n');
    expect((await client.call('/healthz')).status).toBe(200);
    const exit = once(program, 'exit');
    program.stdin.end();

    expect(await exit).toEqual([0, null]);
    expect(await logged).toContain('stdin ended');
  });

  test('the program logs JSON lines on stderr without path or token, and prints nothing more on stdout', async () => {
    const { program, client } = await serve([], { LOG_LEVEL: 'debug' });
    let more = '';
    program.stdout.on('data', (chunk) => {
      more += chunk;
    });
    const logged = readText(program.stderr);
    await client.merchant('/collections/status/canary?canary=1');
    program.kill('SIGTERM');
    const lines = (await logged).trim().split('\n');

    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'request completed',
      'shutting down',
    ]);
    expect(lines.join()).not.toMatch(/canary|sec_sandbox/);
    expect(more).toBe('');
  });

  test('the program resumes from --state, and rejects a file that another one uses', async () => {
    const file = join(folder, 'state.json');
    const first = await serve(['--state', file, '--clock', 'virtual']);
    await first.client.control('POST', '/collections', { reference: 'kept' });
    const { now } = (await first.client.control('POST', '/clock/advance', { seconds: 3600 })).json
      .data;
    const second = await ended(run(['--port', '0', '--state', file]));
    const exit = once(first.program, 'exit');
    first.program.kill('SIGTERM');
    await exit;
    const again = await serve(['--state', file]);

    expect(second).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Another sandbox .+\.\n$/),
    });
    expect((await again.client.collection('kept')).status).toBe('successful');
    expect((await again.client.control('GET', '/clock')).json.data).toMatchObject({
      mode: 'virtual',
      now,
    });
  });

  test('the program does not claim that the clock is stopped if the stored clock runs', async () => {
    const file = join(folder, 'real.json');
    await (await startSandbox({ state: file })).close();
    const again = await serve(['--state', file, '--clock', 'virtual']);

    expect((await again.client.control('GET', '/clock')).json.data.mode).toBe('real');
    expect(again.lines.join('\n')).not.toContain('is stopped');
    expect(again.lines.join('\n')).toContain('Its clock overrides --clock');
  });

  test('the program exits with 2, and names every problem of its arguments and the command that lists the flags', async () => {
    const args = ['--port', 'x', '--prot', '1'];
    const [byPath, byNpx] = await Promise.all(
      [{ LOG_LEVEL: 'canary' }, { npm_lifecycle_event: 'npx' }].map((env) => ended(run(args, env))),
    );

    expect(byPath).toMatchObject({ status: 2, stdout: '' });
    expect(byPath!.stderr).toMatch(
      /^--prot is not a flag[\s\S]+--port must be[\s\S]+LOG_LEVEL must be/,
    );
    expect(byPath!.stderr).toContain(`See node ${MAIN} --help.`);
    expect(byPath!.stderr).not.toMatch(/canary|\.ts:\d/);
    expect(byNpx).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('See npx --no -- service-pay-sandbox --help.'),
    });
  });

  test('the program exits with 1 and a helpful sentence if it cannot start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    expect(await ended(run(['--port', `${port}`]))).toEqual({
      status: 1,
      stdout: '',
      stderr: `Port ${port} is in use. Stop the other program, or pass another port, such as --port 0 for a free one.\n`,
    });
    other.close();
  });

  test.skipIf(!existsSync('/dev/full'))(
    'exits with 1 and a sentence if it cannot print its address',
    async () => {
      const full = openSync('/dev/full', 'w');
      const program = spawn(process.execPath, [MAIN, '--port', '0'], {
        env: { ...BASIC, LOG_LEVEL: 'warn' },
        stdio: ['ignore', full, 'pipe'],
      });
      running.add(program);
      closeSync(full);
      const [stderr, [status]] = await Promise.all([
        readText(program.stderr!),
        once(program, 'close'),
      ]);

      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'Could not write to stdout (ENOSPC). Free some space, or redirect stdout.\n',
      });
    },
  );

  test('the program prints help and version', async () => {
    const [help, version] = await Promise.all([ended(run(['-h'])), ended(run(['--version']))]);
    const manifest = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );

    expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('Usage') });
    expect(version).toEqual({ status: 0, stderr: '', stdout: `${manifest.version}\n` });
  });
});
