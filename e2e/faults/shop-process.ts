import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { FailpointName } from '@service-pay/server/internal/support/failpoint';
import { SOUND } from './harness.ts';
import type { ClockPlan } from './moved-clock.ts';

/**
 * Starts whatever it is given as `npm start` does: with what was compiled before at hand, so that a
 * shop is back as soon as a merchant's.
 */
const STARTER = fileURLToPath(new URL('../../scripts/run.js', import.meta.url));
const PROGRAM = fileURLToPath(new URL('shop-program.ts', import.meta.url));
const KEPT_LINES = 200;

export const TOKEN = 'sec_sandbox_demo';

/** What the program of the shop is told to do. */
export interface ShopPlan {
  /** The folder of sources it runs. */
  source: string;
  /**
   * Where each call of the merchant's function is written before it ends: the system keeps that
   * when a process dies.
   */
  ledger: string;
  /** How long the merchant's function takes before it writes. */
  fulfilMs?: number;
  /**
   * Where it kills itself, or `waits` until it is told to go on: at so many visits of a failpoint.
   */
  failpoint?: { name: FailpointName; visit: number; waits?: boolean };
  /** The machine's time by default. */
  clock?: ClockPlan;
}

export interface ShopSettings extends ShopPlan {
  /** A port of its own, the same in each life, so that senders find it again. */
  port: number;
  databaseUrl: string;
  serviceUrl: string;
  environment?: Record<string, string>;
  /**
   * A program and its arguments that the shop runs under, such as one that writes down its calls to
   * the system.
   */
  under?: readonly string[];
  /** Lets it be asked for its heap. */
  isProbed?: boolean;
}

export type ToShop = { advance?: number; goOn?: true; heap?: true; stop?: true };
export type FromShop = {
  url?: string;
  advanced?: number;
  waitsAt?: FailpointName;
  heapMb?: number;
};

/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * The real shop in a process of its own: it can be killed, frozen, and moved in time. It ends with
 * the process that started it.
 */
export class ShopProcess {
  /** The last lines it logged. */
  readonly lines: string[] = [];
  /** Is given every line it logs. */
  onLine: (line: string) => void = () => {};
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #answers: Promise<boolean>;
  readonly #waits: Promise<boolean>;
  #isRunning = true;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      this.#isRunning = false;
      return { code, signal } as Ending;
    });
    this.#answers = Promise.race([
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

  /** Begins a life, which may be over before the shop answers. */
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
        PORT: String(port),
        PUBLIC_URL: `http://localhost:${port}`,
        DATABASE_URL: databaseUrl,
        SERVICE_PAY_API_URL: serviceUrl,
        SERVICE_PAY_SCRIPT_URL: `${serviceUrl}/js/v1/inline.js`,
        SERVICE_PAY_API_TOKEN: TOKEN,
        SESSION_SECRET: 'a-session-secret-of-the-faults-0123456789',
        TRUST_PROXY: '1', // orders are limited by address: each comes from one of its own
        LOG_LEVEL: 'info',
        ...(plan.source !== SOUND && {
          NODE_COMPILE_CACHE: join(plan.source, 'compiled'),
        }), // is removed with the copy
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

  /** Resolves once it takes requests; false where it ended before. */
  answers(): Promise<boolean> {
    return this.#answers;
  }

  /** Sends a signal: `SIGKILL` kills, `SIGSTOP` freezes, `SIGCONT` thaws. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Asks it to stop, and gives how it did. */
  async stop(): Promise<Ending> {
    if (this.#isRunning) this.#child.send({ stop: true } satisfies ToShop);
    return this.ended;
  }

  /** What it keeps in memory, after its garbage was collected. */
  async heapMb(): Promise<number> {
    const heard = this.#hear('heapMb');
    this.#child.send({ heap: true } satisfies ToShop);
    return (await heard).heapMb!;
  }

  /** How many files and sockets it holds open. */
  descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Moves its clock, where it was given one that can be moved. */
  async advance(ms: number): Promise<void> {
    const advanced = this.#hear('advanced');
    this.#child.send({ advance: ms } satisfies ToShop);
    await advanced;
  }

  /** Resolves once it waits at its failpoint; false where it ended before. */
  waits(): Promise<boolean> {
    return this.#waits;
  }

  /** Lets it go on from its failpoint. */
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
