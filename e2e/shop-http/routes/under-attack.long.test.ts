import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { shopEnvironment } from '../../lab/shop-launcher.ts';
import { ONE_HONEY, TestBrowser } from '../shop.ts';
import { ShopProgram } from '../shop-program.ts';

// The shop alone, with the heap of a small container. F14 attacks one that has customers meanwhile,
// and measures how long they wait.

const SIGNED = `X-ServicePay-Signature: ${'a'.repeat(128)}\r\n`;
const MB = 1024 * 1024;

/** The heap of Node in a container with 1 GB. With more memory it collects garbage later. */
const NODE_ARGUMENTS = ['--max-old-space-size=512'];

const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

function send(port: string, bytes: string): void {
  const socket = connect(Number(port), '127.0.0.1');
  sockets.add(socket);
  socket.resume().on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
  socket.write(bytes);
}

describe('a shop under attack', () => {
  const start = async (
    environment: Record<string, string> = {},
    nodeArguments = NODE_ARGUMENTS,
  ) => {
    const home = await makeDatabaseUrl('sqlite');
    const program = new ShopProgram(
      {
        ...shopEnvironment({ databaseUrl: home.url, serviceUrl: 'http://127.0.0.1:9' }),
        ...environment,
      },
      nodeArguments,
    );
    onTestFinished(async () => {
      program.signal('SIGKILL');
      await program.exit;
      await home.drop();
    });
    return { program, url: await program.url };
  };

  test.skipIf(process.platform !== 'linux').each([
    ['one address', {}, () => ''],
    [
      'many addresses behind a proxy',
      { TRUST_PROXY: '1' },
      (at: number) => `X-Forwarded-For: 198.51.${at >> 8}.${at & 255}\r\n`,
    ],
  ])(
    'a shop grows by 64 MB at most while thousands of bodies come from %s and never end (T120)',
    { timeout: 60_000 },
    async (_name, environment, forwarded) => {
      const { program, url } = await start(environment);
      const { port } = new URL(url);
      const browser = new TestBrowser(url);
      for (let times = 0; times < 90; times++) await browser.post('/api/orders', ONE_HONEY);
      // its heap has grown to what so many requests take, whoever sends them
      for (let times = 0; times < 1_500; times++) await browser.get('/healthz');
      const before = residentBytes(program.pid);
      let peak = 0;

      const targets = [
        ['/api/orders', 'Content-Type: application/json\r\n'],
        ['/webhooks/service-pay', SIGNED],
        ['/api/payments/x/verify', ''],
        ['/', ''],
      ];
      for (let at = 0; at < 2_400; at++) {
        const [path, headers] = targets[at % targets.length]!;
        send(
          port,
          `POST ${path} HTTP/1.1\r\nHost: x\r\n${forwarded(at)}${headers}Content-Length: 65000\r\n\r\n${' '.repeat(64_000)}`,
        );
        if (at % 20) continue;
        expect((await browser.get('/healthz')).status).toBe(200);
        peak = Math.max(peak, residentBytes(program.pid));
      }

      expect((peak - before) / MB).toBeLessThan(64);
    },
  );

  test('a shop keeps bodies that never end outside its heap, which is small (T76, T90)', async () => {
    const { url } = await start({}, ['--max-old-space-size=64']);
    const { host, hostname, port, origin } = new URL(url);
    const head = `POST /api/orders HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 65000\r\n\r\n`;
    const peers = Array.from({ length: 1_000 }, () =>
      connect(Number(port), hostname).on('error', () => {}),
    );

    const sent = peers.map(
      (socket) =>
        new Promise(
          (resolve) => void socket.once('close', resolve).write(head + 'x'.repeat(64_000), resolve),
        ),
    );
    await Promise.all(sent);
    const { status } = await new TestBrowser(origin).get('/healthz');
    for (const socket of peers) socket.destroy();

    expect(status).toBe(200);
  });
});

function residentBytes(pid: number): number {
  return (
    1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  );
}
