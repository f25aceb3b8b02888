import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../bff-example/src/main.ts', import.meta.url));
const GOODS = fileURLToPath(new URL('goods-hook.ts', import.meta.url));

export class ShopProgram {
  readonly lines: Record<string, unknown>[] = [];
  readonly exit: Promise<number | null>;
  readonly errors: Promise<string>;
  readonly url: Promise<string>;
  readonly #child: ChildProcess;

  constructor(environment: Record<string, string>, nodeArguments: string[] = []) {
    const parameters = [...nodeArguments, '--import', GOODS, MAIN];
    const env = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...environment };
    const child = spawn(process.execPath, parameters, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const listening = Promise.withResolvers<string>();
    this.#child = child;
    this.url = listening.promise;
    this.url.catch(() => {}); // for those who do not wait for it
    this.errors = text(child.stderr);
    this.exit = once(child, 'close').then(([code]) => code as number | null);
    void this.exit.then(async () =>
      listening.reject(new Error(`The shop has ended: ${await this.errors}`)),
    );
    createInterface(child.stdout).on('line', (line) => {
      const entry = JSON.parse(line) as Record<string, unknown>;
      this.lines.push(entry);
      if (entry.msg === 'listening') listening.resolve(String(entry.url));
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  logged(message: string): Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  end(signal: NodeJS.Signals): Promise<number | null> {
    this.signal(signal);
    return this.exit;
  }
}
