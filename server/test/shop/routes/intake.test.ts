import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildHttpServer } from '../../../src/express/http-server.ts';
import { PATIENT } from '../../manual-clock.ts';
import { buildTestLog } from '../../parts.ts';

const MB = 1024 * 1024;
const BEFORE_TIMEOUT = { timeout: 7_000, interval: 5 };

const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

function open(port: number | string, bytes: string): { socket: Socket; heard(): string } {
  const socket = connect(Number(port), '127.0.0.1');
  let heard = '';
  sockets.add(socket);
  socket.on('data', (data) => {
    heard += data;
  });
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
  socket.write(bytes);
  return { socket, heard: () => heard };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

async function serve(app: RequestListener, mostHeldBytes?: number): Promise<number> {
  const http = buildHttpServer({
    log: buildTestLog(),
    ...(mostHeldBytes && { mostHeldBytes }),
  });
  http.serve(app);
  await http.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => http.close(0));
  return (http.server.address() as AddressInfo).port;
}

test('a connection that does not wait for its answers is closed, and nothing more is passed on (T119)', async () => {
  let passedOn = 0;
  const port = await serve(() => void passedOn++);

  const peer = open(port, get('/').repeat(300));
  await vi.waitFor(() => expect(peer.socket.closed).toBe(true), PATIENT);

  expect(passedOn).toBe(1);
  expect(peer.heard()).toBe('');
});

describe('bodies that never end', () => {
  test('are cut where they take too much memory, the oldest first, and a whole one is answered (T120)', async () => {
    const port = await serve(
      (req, res) => void req.resume().once('end', () => res.end('answered')),
      MB,
    );
    const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n';
    const peers = [];
    for (let at = 0; at < 100; at++) {
      const peer = open(port, half);
      await vi.waitFor(() => expect(peer.socket.readyState).toBe('open'), PATIENT);
      peer.socket.write('x'.repeat(40_000));
      peers.push(peer);
    }

    await vi.waitFor(() => expect(sockets.size).toBeLessThan(30), BEFORE_TIMEOUT);
    const honest = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: 'x'.repeat(30_000),
    });

    expect(await honest.text()).toBe('answered');
    expect(peers[0]!.socket.closed).toBe(true);
    expect(peers.at(-1)!.socket.closed).toBe(false);
  });

  test('are cut by their number of pieces, too, since each piece takes more memory than its bytes (T120)', async () => {
    const port = await serve(() => {}, MB);
    const peer = open(port, 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');

    peer.socket.write('1\r\nx\r\n'.repeat(10_000));

    await vi.waitFor(() => expect(peer.socket.closed).toBe(true), BEFORE_TIMEOUT);
  });
});
