import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { ROOT } from './programs/run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-start-'));
const FREE_PORTS = {
  PORT: '0',
  SANDBOX_PORT: '0',
  DEMO_PORT: '0',
  DATABASE_URL: `file:${folder}/shop.db`,
};

const START = ['scripts/run.js', 'scripts/start.ts'];

const OLD_NODE =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})';

let running: Demo | undefined;

afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('npm start', () => {
  test('npm start starts service, shop and demo pages, prints addresses, keys and test numbers once, and stops all of it', async () => {
    running = new Demo(FREE_PORTS);
    await running.says('Ctrl-C stops it');
    const [shop, pages, sandbox] = ['Shop', 'Demo pages', 'Sandbox'].map((name) =>
      running!.addressOf(name),
    ) as [string, string, string];

    const responses = await Promise.all(
      [`${shop}/`, `${pages}/script-tag.html`, `${sandbox}/js/v1/inline.js`].map((url) =>
        fetch(url),
      ),
    );
    const page = await responses[1]!.text();

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(page).toContain(`<script src="${sandbox}/js/v1/inline.js">`);
    for (const text of [
      `${shop}\n`,
      `${pages}\n`,
      `${pages}/gallery/\n`,
      `${sandbox}/dashboard\n`,
      `${sandbox}/js/v1/inline.js\n`,
      'pub_sandbox_demo',
      'sec_sandbox_demo',
      '4242 4242 4242 4242',
    ])
      expect(running.output.split(text), text).toHaveLength(2);
    expect(running.output.match(/\b09\d ?\d{3} ?\d{4}\b/g)).toEqual(['0961111111']);
    expect(new Set([shop, pages, sandbox]).size).toBe(3);
    const settings = join(ROOT, /orders --env-file (\S+)/.exec(running.output)?.[1] ?? '');
    const orders = await promisify(execFile)('npm', ['run', '--silent', 'orders'], {
      cwd: join(ROOT, 'bff-example'),
      env: { PATH: process.env.PATH },
    });
    const doctor = await promisify(execFile)(process.execPath, [
      join(ROOT, 'server/src/cli/main.ts'),
      'doctor',
      '--env-file',
      settings,
    ]);
    expect(orders.stdout).toMatch(/^awaiting-payment +0$/m);
    expect(orders.stdout).toContain(`Read from the file ${folder}/shop.db.`);
    expect(doctor.stdout).toMatch(/^ok +Webhook +A signed event arrives and is stored\.$/m);
    expect(await running.stop('SIGTERM')).toBe(0);
    await expect(fetch(shop)).rejects.toThrow();
    await expect(fetch(sandbox)).rejects.toThrow();
  }, 90_000);

  test('npm start says in one sentence which port is taken, and goes', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };

    running = new Demo({ ...FREE_PORTS, SANDBOX_PORT: String(port) });
    const exitCode = await running.gone;
    holder.close();

    expect(exitCode).toBe(1);
    expect(running.output.trim()).toBe(
      `Port ${port} is in use. Set SANDBOX_PORT to another port (0 picks a free one), or stop the other program.`,
    );
  });
});

describe('options', () => {
  test('npm start -- --help prints the usage and starts nothing', async () => {
    const demo = new Demo({}, [...START, '--help']);

    expect(await demo.gone).toBe(0);
    expect(demo.output).toMatch(/^npm start .+PORT, SANDBOX_PORT, DEMO_PORT/s);
  });

  test('an unknown option of npm start gets one sentence', async () => {
    const demo = new Demo({}, [...START, '--port']);

    expect(await demo.gone).toBe(1);
    expect(demo.output.trim()).toMatch(/^Unknown option '--port'.*$/);
  });
});

describe('a Node that is too old', () => {
  test.each(['start', 'test', 'check', 'build'])(
    'a Node that is too old gets one sentence from npm run %s',
    async (name) => {
      const demo = new Demo({}, ['--import', OLD_NODE, 'scripts/run.js', `scripts/${name}.ts`]);

      expect(await demo.gone).toBe(1);
      expect(demo.output.trim().split('\n')).toHaveLength(1);
      expect(demo.output).toMatch(
        /needs Node 22\.19 or newer, and this is 20\.19\.0\. Install Node 24 .+ "npm ci"/,
      );
    },
  );
});

class Demo {
  output = '';
  readonly gone: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(env: Record<string, string>, args = START) {
    this.#child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => this.#receive(chunk));
    this.gone = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  async says(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const event = await Promise.race([once(this.#child, 'output'), this.gone]);
      if (!Array.isArray(event))
        throw new Error(`It went without saying "${text}":\n${this.output}`);
    }
  }

  addressOf(name: string): string {
    return new RegExp(`${name} +(http\\S+)`).exec(this.output)?.[1] ?? '';
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.gone;
  }

  #receive(chunk: Buffer): void {
    this.output += chunk;
    this.#child.emit('output');
  }
}
