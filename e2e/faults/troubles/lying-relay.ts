import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import type { Random } from '../random.ts';

const VERIFY = /^GET \S*\/access\/v2\/collections\/status\/(\S+) HTTP/;

/**
 * The shop verifies a payment at most every two seconds (D59). A call that follows sooner, with
 * some allowance for delay, is a retry of the call before.
 */
const REPEATS_WITHIN_MS = 1_500;

/**
 * A relay between a shop and the service. It passes bytes and broken connections on, counts the
 * calls, and lies when `isLying` is set.
 */
export class LyingRelay {
  calls = 0;
  requests = 0;
  isLying = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #requestedAt = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(serviceUrl: string, random: Random): Promise<LyingRelay> {
    const { hostname, port } = new URL(serviceUrl);
    const server = createServer((socket) => relay.#serve(socket, hostname, Number(port), random));
    const relay = new LyingRelay(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  #serve(socket: Socket, host: string, port: number, random: Random): void {
    this.#sockets.add(socket);
    let service: Socket | undefined;
    socket.on('data', (bytes) => {
      const reference = VERIFY.exec(bytes.toString('latin1'))?.[1];
      if (reference) this.#count(reference);
      if (reference && this.isLying) return void respondWithLie(socket, reference, random);
      service ??= this.#connect(socket, host, port);
      service.write(bytes);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#sockets.delete(socket);
      service?.destroy();
    });
  }

  #count(reference: string): void {
    const now = performance.now();
    this.calls += 1;
    if (now - (this.#requestedAt.get(reference) ?? Number.NEGATIVE_INFINITY) < REPEATS_WITHIN_MS)
      return;
    this.requests += 1;
    this.#requestedAt.set(reference, now);
  }

  #connect(socket: Socket, host: string, port: number): Socket {
    const service = connect(port, host);
    service.on('data', (bytes) => void socket.write(bytes));
    service.on('error', () => void socket.resetAndDestroy());
    service.on('end', () => void socket.end());
    return service;
  }
}

/** Responses that say paid, or nearly, but not of this payment. */
const LIES: readonly ((socket: Socket, reference: string) => void)[] = [
  (socket, reference) => respond(socket, success(`${reference}x`)),
  (socket, reference) => respond(socket, success(reference.toUpperCase())),
  (socket, reference) => respond(socket, success(reference).replace('true', 'false')),
  (socket, reference) =>
    respond(socket, success(reference).replace('"successful"', '"Successful"')),
  (socket, reference) => respond(socket, success(reference).replace('"successful"', '"settled"')),
  (socket, reference) => respond(socket, success(reference).replace('"92.50"', '92.50')),
  (socket, reference) => respond(socket, success(reference).replace('"92.50"', '"9.25e1"')),
  (socket, reference) => respond(socket, success(reference).replace('"ZMW"', 'null')),
  (socket, reference) => respond(socket, `[${success(reference)}]`),
  (socket) => respond(socket, '<!doctype html><title>successful</title>'),
  (socket) => respond(socket, '<h1>Not Found</h1>', '404 Not Found'),
  (socket, reference) =>
    respond(socket, success(reference), '302 Found', 'Location: http://127.0.0.1:1/\r\n'),
  (socket, reference) => respond(socket, success(reference), '402 Payment Required'),
  (socket, reference) =>
    respond(socket, gzipSync(success(reference)), '200 OK', 'Content-Encoding: gzip\r\n'),
  (socket, reference) => respond(socket, success(reference) + ' '.repeat(100_000)),
];

function respondWithLie(socket: Socket, reference: string, random: Random): void {
  LIES[random.below(LIES.length)]!(socket, reference);
}

function success(reference: string): string {
  return JSON.stringify({
    status: true,
    message: '',
    data: { reference, status: 'successful', amount: '92.50', currency: 'ZMW' },
  });
}

function respond(socket: Socket, content: string | Buffer, status = '200 OK', headers = ''): void {
  const body = Buffer.from(content as string);
  socket.write(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\n\r\n`);
  socket.write(body);
}
