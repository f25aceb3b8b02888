import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { Findings, HarnessOptions } from '../harness.ts';
import { Scene } from '../shop/scene.ts';
import { type ShopProcess, TOKEN } from '../shop/shop-process.ts';
import { Shopping } from '../shop/shopping.ts';
import { CANARIES } from './canaries.ts';
import type { Answer } from './mutated-answers.ts';

const SECRETS = [
  TOKEN,
  createHash('sha256').update(TOKEN).digest('hex'),
  'a-session-secret-of-the-faults',
];
const SAMPLED_AT_ONCE = 500;

export class GarbageScene {
  readonly shop: ShopProcess;
  readonly port: number;
  readonly shopping: Shopping;
  readonly database: Scene['database'];
  readonly findings: Findings;
  readonly answers = new Map<string, () => Answer>();
  readonly #scene: Scene;
  readonly #service: Server;
  #leaks = 0;

  private constructor(
    scene: Scene,
    service: Server,
    shop: ShopProcess,
    port: number,
    findings: Findings,
  ) {
    this.#scene = scene;
    this.#service = service;
    this.shop = shop;
    this.port = port;
    this.shopping = new Shopping(port, findings.random);
    this.database = scene.database;
    this.findings = findings;
    shop.onLine = (line) => this.searchForSecrets(line, 'a log line');
  }

  static async open(options: HarnessOptions, findings: Findings): Promise<GarbageScene> {
    const scene = await Scene.open(options);
    const service = createServer((req, res) => {
      const { httpStatus, headers, body, cutAt } =
        garbage.answers.get(req.url?.split('/').at(-1) ?? '')?.() ?? UNKNOWN;
      res.writeHead(httpStatus, { 'content-length': body.length, ...headers });
      if (cutAt === undefined) res.end(body);
      else res.write(body.subarray(0, cutAt), () => res.destroy());
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const settings = await scene.settings({
      serviceUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      environment: { LOG_LEVEL: 'debug' },
    });
    const garbage = new GarbageScene(
      scene,
      service,
      await scene.start(settings),
      settings.port,
      findings,
    );
    return garbage;
  }

  /** Gives `count` draws to `take`, several at once. A seed repeats them. */
  async feed<Value>(
    arbitrary: fc.Arbitrary<Value>,
    count: number,
    atOnce: number,
    take: (value: Value) => Promise<void>,
  ): Promise<void> {
    const seed = Number(this.findings.figures.seed);
    for (let from = 0; from < count && this.shop.isRunning; from += SAMPLED_AT_ONCE) {
      const values = fc.sample(arbitrary, {
        seed: seed + from,
        numRuns: Math.min(SAMPLED_AT_ONCE, count - from),
      });
      const takeNext = async () => {
        while (values.length) await take(values.pop()!);
      };
      await Promise.all(Array.from({ length: atOnce }, takeNext));
    }
  }

  /** Notes a failure with its input. The first few of each kind are enough to play again. */
  fail(what: string, cause: unknown): void {
    const before = this.findings.failures.filter((failure) => failure.startsWith(what)).length;
    if (before < 3) this.findings.failures.push(`${what}: ${JSON.stringify(cause)?.slice(0, 600)}`);
  }

  searchForSecrets(text: string, where: string): void {
    if (![...SECRETS, ...CANARIES].some((secret) => text.includes(secret))) return;
    this.#leaks += 1;
    this.fail(`${where} shows a secret`, text.slice(0, 300));
  }

  conclude(): void {
    this.findings.limit('secrets shown', this.#leaks, 0);
    if (!this.shop.isRunning)
      this.findings.failures.push(
        `the shop ended by itself:\n${this.shop.lines.slice(-10).join('\n')}`,
      );
  }

  async readMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.shop.pid}/status`, 'utf8').catch(() => '');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024);
  }

  async close(): Promise<void> {
    await this.shopping.close();
    await this.#scene.close();
    this.#service.closeAllConnections();
    await new Promise((resolve) => void this.#service.close(resolve));
  }
}

const UNKNOWN: Answer = {
  httpStatus: 404,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"status":false,"message":"","errorCode":"11"}'),
  cutAt: undefined,
};
