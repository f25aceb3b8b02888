import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Pool, request } from 'undici';

import { ROOT } from '../scripts/run-tool.ts';
import type { Figure } from './figures.ts';
import { closedLoop } from './load.ts';

const STARTS = 10;
const VERIFY_RUNS = 9;
const VERIFIES_PER_RUN = 6_000;
const ADVANCES = 9;
const DUE = 10_000;
const COLLECTIONS = 100_000;
const VERIFIES = { before: 200_000, after: 1_000_000 };
const CONNECTIONS = 16;
const TOKEN = { authorization: 'Bearer sec_sandbox_demo' };

/** B30 to B33: the sandbox as a program, called over HTTP as its users call it; and that a million requests leave nothing behind. */
export async function measureSandbox(): Promise<Figure[]> {
  return [...(await measureStart()), ...(await measureVerify()), ...(await measureAdvance()), ...(await measureMemory())];
}

/** A sandbox that runs as a program of its own. */
interface Program {
  url: string;
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, headers?: Record<string, string>): Promise<unknown>;
  residentMb(): number;
  stop(): Promise<void>;
}

async function start(...args: string[]): Promise<Program> {
  const child = spawn(process.execPath, ['sandbox/src/main.ts', '--port', '0', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => /^http:\S+$/.test(line) && resolve(line));
    child.once('exit', () => reject(new Error('The sandbox ended before it said where it listens.')));
  });
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  return {
    url,
    async call(method, path, body, headers = {}) {
      const answer = await pool.request({
        path,
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body ? JSON.stringify(body) : null,
      });
      const { data, message } = (await answer.body.json()) as { data: unknown; message: string };
      if (answer.statusCode > 201) throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${message}`);
      return data;
    },
    residentMb: () => Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await pool.close();
    },
  };
}

async function measureStart(): Promise<Figure[]> {
  const runs: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    const startedAt = performance.now();
    const program = await start();
    await request(`${program.url}/access/v2/collections`, { headers: TOKEN }).then(({ body }) => body.dump());
    runs.push((performance.now() - startedAt) / 1000);
    await program.stop();
  }
  return [{ id: 'B30', name: 'sandbox, start to first answer', unit: 's', budget: 1, direction: 'at most', runs }];
}

async function measureVerify(): Promise<Figure[]> {
  const program = await start();
  await inParallel(1_000, (at) => program.call('POST', '/_sandbox/collections', { reference: `order-${at}` }));
  const verify = (index: number) => ({
    path: `/access/v2/collections/status/order-${index % 1_000}`,
    method: 'GET' as const,
    headers: TOKEN,
  });
  const runs: number[] = [];
  for (let run = 0; run <= VERIFY_RUNS; run++) {
    const perSecond = await closedLoop(program.url, VERIFIES_PER_RUN, CONNECTIONS, verify);
    if (run > 0) runs.push(perSecond);
  }
  const asked = (VERIFY_RUNS + 1) * VERIFIES_PER_RUN;
  await closedLoop(program.url, VERIFIES.before - asked, CONNECTIONS, verify);
  const before = program.residentMb();
  await closedLoop(program.url, VERIFIES.after - VERIFIES.before, CONNECTIONS, verify);
  const grown = program.residentMb() - before;
  await program.stop();
  return [
    { id: 'B31', name: 'sandbox, verify answers', unit: '/s', budget: 3_000, direction: 'at least', runs },
    { id: '', name: 'sandbox, memory grown between the 200 000th verify and the 1 000 000th', unit: 'MB', runs: [grown] },
  ];
}

/** Nothing but 10 000 retries is due in the one advance, and nothing but 10 000 settlements in the other. */
async function measureAdvance(): Promise<Figure[]> {
  const receiver = await receive();
  const program = await start('--clock', 'virtual', '--webhook-url', receiver.url);
  const [webhooks, settlements]: [number[], number[]] = [[], []];
  for (let run = 0; run < ADVANCES; run++) {
    receiver.answer(500);
    await inParallel(DUE, (at) => pay(program, `retried-${run}-${at}`, card()));
    await receiver.hasTaken(DUE);
    await advance(program, 60);
    receiver.answer(200);
    webhooks.push(await advance(program, 30 * 60));

    await inParallel(DUE, (at) => pay(program, `settled-${run}-${at}`, phone()));
    await advance(program, 3);
    settlements.push(await advance(program, 1));
    await program.call('POST', '/_sandbox/reset');
  }
  await program.stop();
  receiver.close();
  const budget = { unit: 's', budget: 2, direction: 'at most' } as const;
  return [
    { id: 'B33', name: 'sandbox, an advance over 10 000 webhooks', ...budget, runs: webhooks },
    { id: 'B33', name: 'sandbox, an advance over 10 000 settlements', ...budget, runs: settlements },
  ];
}

async function advance(program: Program, seconds: number): Promise<number> {
  const startedAt = performance.now();
  await program.call('POST', '/_sandbox/clock/advance', { seconds });
  return (performance.now() - startedAt) / 1000;
}

async function measureMemory(): Promise<Figure[]> {
  const receiver = await receive();
  const placed = await start();
  await inParallel(COLLECTIONS, (at) => placed.call('POST', '/_sandbox/collections', { reference: `order-${at}` }));
  const placedMb = placed.residentMb();
  await placed.stop();

  const paid = await start('--webhook-url', receiver.url);
  await inParallel(COLLECTIONS, (at) => pay(paid, `order-${at}`, at % 2 ? card() : phone()));
  const paidMb = paid.residentMb();
  await paid.stop();
  receiver.close();
  const budget = { unit: 'MB', budget: 250, direction: 'at most' } as const;
  return [
    { id: 'B32', name: 'sandbox, memory with 100 000 collections placed', ...budget, runs: [placedMb] },
    { id: 'B32', name: 'sandbox, memory with 100 000 collections paid, a webhook each', ...budget, runs: [paidMb] },
  ];
}

async function pay({ call }: Program, reference: string, instrument: object): Promise<void> {
  const order = { key: 'pub_sandbox_demo', email: 'mary@example.com', reference, amount: '10.00' };
  const { token } = (await call('POST', '/checkout/v1/sessions', order)) as { token: string };
  const attempt = { id: randomUUID(), ...instrument };
  await call('POST', '/checkout/v1/sessions/current/attempts', attempt, { authorization: `Bearer ${token}` });
}

function card(): object {
  return { channel: 'card', card: { number: '4242424242424242', expiry: '12/34', securityCode: '123', name: 'Mary Test' } };
}

function phone(): object {
  return { channel: 'mobile-money', mobileMoney: { operator: 'airtel', phone: '0971111111' } };
}

async function inParallel(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

interface Receiver {
  url: string;
  answer(status: number): void;
  /** Resolves once so many webhooks were taken since the last `answer`. */
  hasTaken(count: number): Promise<void>;
  close(): void;
}

/** Takes webhooks and acknowledges each, unless told to answer otherwise. */
async function receive(): Promise<Receiver> {
  let [status, taken] = [200, 0];
  const server = createServer((req, res) => {
    req.resume().once('end', () => {
      res.writeHead(status).end();
      taken += 1;
      server.emit('taken');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer(next) {
      [status, taken] = [next, 0];
    },
    async hasTaken(count) {
      while (taken < count) await once(server, 'taken');
    },
    close: () => void server.close(),
  };
}
