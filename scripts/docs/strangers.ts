import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { expect, vi } from 'vitest';

const PATIENT = { timeout: 90_000, interval: 50 };
const MB = 1024;

/** A signature of the right form, that is not of our API token. */
const SIGNATURE = { 'x-servicepay-signature': 'a'.repeat(128) };
const CHUNKED = { 'transfer-encoding': 'chunked' };
const LARGE = 'x'.repeat(100_000);
const LARGE_IN_CHUNKS = `${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(6)}0\r\n\r\n`;
/** 65 kB in 390 kB: each chunk costs the server time and memory of its own. */
const TINY_CHUNKS = `${'1\r\nx\r\n'.repeat(65_000)}0\r\n\r\n`;

const BODIES: [what: string, headers: Record<string, string>, body: string][] = [
  ['100 kB unsigned', { 'content-length': `${LARGE.length}` }, LARGE],
  ['100 kB unsigned, in chunks', CHUNKED, LARGE_IN_CHUNKS],
  ['100 kB with a false signature', { ...SIGNATURE, 'content-length': `${LARGE.length}` }, LARGE],
  ['100 kB with a false signature, in chunks', { ...SIGNATURE, ...CHUNKED }, LARGE_IN_CHUNKS],
];

/** How much Next.js takes for a while: it gives no access to Node's own request. */
export const MOST_MB_OF_NEXT = 400;

/** 404 where orders are placed without a route. */
const REJECTED = [400, 401, 404, 413, 415];

/** What Node, Python, PHP, Go and frameworks print if a request fails in a way of its own. */
const FAILURE = /uncaught|unhandled|ERR_[A-Z]+|Traceback|panic|Fatal error|request failed/i;

export interface StrangersOptions {
  /** The shop's process. Its memory, with that of its children, is measured. */
  pid: number;
  /** What the shop has printed. */
  output(): string;
  /** The path of an event stream and the cookie of its owner, if the server has event streams. */
  events?: { path: string; cookie: string };
  /** How many connections send tiny chunks at once, and how many customers call before. */
  crowd?: number;
  /** How much its memory may grow. V8 itself takes up to half of this for new objects. */
  mostMb?: number;
  /** False for a server that waits for half a body without an end. */
  closesHalves?: boolean;
}

/**
 * Sends a shop what strangers may send (T142, T147): too large, unsigned and falsely signed bodies,
 * tiny chunks, halves, connections that break, and a slow reader. Expects that each is rejected, and
 * that the shop goes on, with no error and little more memory.
 */
export async function expectStrangersRejected(
  shopUrl: string,
  { pid, output, events, crowd = 100, mostMb = 128, closesHalves = true }: StrangersOptions,
): Promise<void> {
  const sockets: Stranger[] = [];
  const open = (path: string, headers: Record<string, string>, body = '', method = 'POST') => {
    const stranger = new Stranger(shopUrl, method, path, headers, body);
    sockets.push(stranger);
    return stranger;
  };
  const expectServed = async (after: string) => {
    const { responded } = open('/api/payments/none/verify', { 'content-length': '0' });
    expect(await responded, `after ${after}\n${output()}`).toBe(404);
  };
  const customers = Array.from({ length: crowd }, () => expectServed('its start'));
  await Promise.all(customers); // take memory, too
  const before = memoryOf(pid);
  const said = output().length;

  for (const path of ['/webhooks/service-pay', '/api/orders']) {
    for (const [what, headers, body] of BODIES) {
      const { responded } = open(path, headers, body);
      expect(await responded, `${what} to ${path}`).toBeOneOf(REJECTED);
      await expectServed(what);
    }
    const tiny = Array.from({ length: crowd }, () =>
      open(path, { ...SIGNATURE, ...CHUNKED }, TINY_CHUNKS),
    );
    for (const { responded } of tiny)
      expect(await responded, 'tiny chunks').toBeOneOf([...REJECTED, 'closed']);
    await expectServed(`tiny chunks to ${path}`);
  }

  const length = { 'content-length': '60000' };
  const half = 'x'.repeat(30_000);
  const halves = ['/webhooks/service-pay', '/api/orders'].flatMap((path) =>
    [length, { ...SIGNATURE, ...length }].map((headers) => open(path, headers, half)),
  );
  const broken = halves.map(({ path, headers }) => open(path, headers, half));
  for (const stranger of broken) await stranger.breakOff();
  if (events) open(events.path, { cookie: events.cookie }, '', 'GET').stopReading();
  await expectServed('half a body');
  expect(memoryOf(pid) - before, output()).toBeLessThan(mostMb * MB);
  if (closesHalves) await Promise.all(halves.map(({ closed }) => closed));
  await expectServed('all of them');
  expect(output().slice(said)).not.toMatch(FAILURE);
  for (const { socket } of sockets) socket.destroy();
}

class Stranger {
  readonly socket: Socket;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly closed: Promise<void>;
  /** The status that it gets, or `closed`. */
  readonly responded: Promise<number | 'closed'>;

  constructor(
    shopUrl: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string,
  ) {
    const { protocol, hostname, port, host } = new URL(shopUrl);
    const place = { host: hostname, port: Number(port), rejectUnauthorized: false };
    this.path = path;
    this.headers = headers;
    this.socket = protocol === 'https:' ? connectTls(place) : connect(place);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.responded = new Promise((resolve) => {
      let received = '';
      this.socket.on('data', (data) => {
        received += data.toString('latin1');
        const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(received) ?? [];
        if (status) resolve(Number(status));
      });
      this.socket.once('close', () => resolve('closed'));
    });
    this.socket.on('error', () => {});
    const all = { host, 'content-type': 'application/json', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    this.socket.write(body);
  }

  /** Breaks the connection once all is sent. */
  async breakOff(): Promise<void> {
    await vi.waitFor(() => expect(this.socket.writableLength).toBe(0), PATIENT);
    if (this.socket instanceof TLSSocket) this.socket.destroy();
    else this.socket.resetAndDestroy();
  }

  stopReading(): void {
    this.socket.pause();
  }
}

/** Returns the memory of a process and of all that it started, in kB. */
function memoryOf(pid: number): number {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const sum = (parent: number): number =>
    rows
      .filter(([id, ppid]) => id === parent || ppid === parent)
      .reduce((total, [id = 0, , rss = 0]) => total + (id === parent ? rss : sum(id)), 0);
  return sum(pid);
}
