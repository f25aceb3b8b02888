import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { FailpointName } from '@service-pay/server/testing';

import { shopEnvironment } from '../../lab/shop-launcher.ts';

/**
 * Starts a program as `npm start` does, with its compile cache, so that a shop is back as soon as a
 * merchant's.
 */
const STARTER = fileURLToPath(new URL('../../../scripts/run.js', import.meta.url));
const PROGRAM = fileURLToPath(new URL('shop-program.ts', import.meta.url));
const KEPT_LINES = 200;

export const TOKEN = 'sec_sandbox_demo';

export interface ShopPlan {
  mutant?: string | undefined;
  /**
   * The file in which the merchant's function records each call before it ends: the system keeps
   * that when a process dies.
   */
  ledger: string;
  fulfilMs?: number;
  /** At this visit of a failpoint, the process kills itself, or waits for a message to continue. */
  failpoint?: { name: FailpointName; visit: number; waits?: boolean };
  /** The start of a clock that moves only when it is advanced. */
  startAt?: number;
  /** The time that a running clock is ahead of this machine's. */
  aheadMs?: number;
}

export interface ShopSettings extends ShopPlan {
  port: number;
  databaseUrl: string;
  serviceUrl: string;
  environment?: Record<string, string>;
  /** A program and its arguments that the shop runs under, such as `strace`. */
  under?: readonly string[];
  isProbed?: boolean;
}

export type ToShop = { advance?: number; goOn?: true; heap?: true; stop?: true };
export type FromShop = {
  url?: string;
  advanced?: number;
  waitsAt?: FailpointName;
  heapMb?: number;
};

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * The real shop in a process of its own that can be killed, frozen and moved in time. It ends with
 * the process that started it.
 */
export class ShopProcess {
  readonly lines: string[] = [];
  onLine: (line: string) => void = () => {};
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #responds: Promise<boolean>;
  readonly #waits: Promise<boolean>;
  #isRunning = true;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      this.#isRunning = false;
      return { code, signal } as Ending;
    });
    this.#responds = Promise.race([
      this.#hear('url').then(() => true),
      this.ended.then(() => false),
    ]);
    this.#waits = Promise.race([
      this.#hear('waitsAt').then(() => true),
      this.ended.then(() => false),
    ]);
    for (const out of [child.stdout!, child.stderr!]) {
      createInterface({ input: out }).on('line', (line) => {
        this.onLine(line);
        this.lines.push(line);
        if (this.lines.length > KEPT_LINES) this.lines.shift();
      });
    }
  }

  static begin({
    port,
    databaseUrl,
    serviceUrl,
    environment = {},
    under = [],
    isProbed = false,
    ...plan
  }: ShopSettings): ShopProcess {
    const [program, ...args] = [
      ...under,
      process.execPath,
      ...(isProbed ? ['--expose-gc'] : []),
      STARTER,
      PROGRAM,
      JSON.stringify(plan),
    ];
    const child = spawn(program!, args, {
      env: {
        PATH: process.env.PATH ?? '',
        ...shopEnvironment({ databaseUrl, serviceUrl }),
        PORT: String(port),
        PUBLIC_URL: `http://localhost:${port}`,
        TRUST_PROXY: '1', // orders are limited by address: each comes from one of its own
        LOG_LEVEL: 'info',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return new ShopProcess(child);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Resolves once it takes requests, with false if it ended before. */
  responds(): Promise<boolean> {
    return this.#responds;
  }

  /** Sends a signal: `SIGKILL` kills, `SIGSTOP` freezes, `SIGCONT` thaws. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  async stop(): Promise<Ending> {
    if (this.#isRunning) this.#child.send({ stop: true } satisfies ToShop);
    return this.ended;
  }

  async heapMb(): Promise<number> {
    const received = this.#hear('heapMb');
    this.#child.send({ heap: true } satisfies ToShop);
    return (await received).heapMb!;
  }

  descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  async advance(ms: number): Promise<void> {
    const advanced = this.#hear('advanced');
    this.#child.send({ advance: ms } satisfies ToShop);
    await advanced;
  }

  /** Resolves once it waits at its failpoint, with false if it ended before. */
  waits(): Promise<boolean> {
    return this.#waits;
  }

  goOn(): void {
    this.#child.send({ goOn: true } satisfies ToShop);
  }

  #hear(name: keyof FromShop): Promise<FromShop> {
    return new Promise((resolve) => {
      const listen = (message: FromShop) => {
        if (message[name] === undefined) return;
        this.#child.off('message', listen);
        resolve(message);
      };
      this.#child.on('message', listen);
    });
  }
}
