import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findFreePort } from '../../scripts/programs/server-program.ts';
import { endProgram, startProgram, untilAnswered } from './programs.ts';
import type { EngineBrowser } from './tab.ts';
import { driveBrowser } from './web-driver.ts';

/** As in a new profile: a framed site's storage is separate for each page that frames it. */
const PARTITIONED_STORAGE = {
  'browser.contentblocking.category': 'custom',
  'network.cookie.cookieBehavior': 5,
};

/** Motion takes most of the time of a machine without a graphics card. */
const STILL = { 'ui.prefersReducedMotion': 1 };

/**
 * Starts Firefox, driven by its built-in WebDriver, Marionette. Playwright 1.65 (`channel:
 * 'moz-firefox'`) cannot start Debian's Firefox 140: it calls `network.addDataCollector`, which
 * that one lacks.
 */
export async function startFirefox(executablePath: string): Promise<EngineBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'service-pay-firefox-'));
  const port = await findFreePort();
  const settings = {
    ...PARTITIONED_STORAGE,
    ...STILL,
    'intl.accept_languages': 'en-GB',
    'marionette.port': port,
  };
  await writeFile(
    join(profile, 'user.js'),
    Object.entries(settings)
      .map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
      .join(''),
  );
  const browser = startProgram(
    executablePath,
    ['--headless', '--marionette', '--no-remote', '--profile', profile],
    { stdio: 'ignore' },
  );
  const socket = await untilAnswered(() => open(port));
  const marionette = new Marionette(socket);
  await marionette.send('WebDriver:NewSession', {});
  return driveBrowser(
    async (command, parameters) => {
      const result = await marionette.send(`WebDriver:${command}`, parameters ?? {});
      return 'value' in result ? result.value : result;
    },
    async () => {
      socket.destroy();
      await endProgram(browser);
      await rm(profile, { recursive: true, force: true });
    },
  );
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/**
 * Speaks Marionette's protocol: each message is JSON, with its length and a colon before it. A
 * command is `[0, id, name, parameters]`, its answer `[1, id, error, result]`.
 */
class Marionette {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: [error: any, result: any]) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
  }

  async send(name: string, parameters: object): Promise<any> {
    const id = ++this.#lastId;
    const message = JSON.stringify([0, id, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    const [error, result] = await new Promise<[any, any]>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    if (error) throw new Error(`${error.error}: ${error.message}`);
    return result;
  }

  #read(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const colon = this.#received.indexOf(':');
      const end = colon + 1 + Number(this.#received.toString('utf8', 0, Math.max(0, colon)));
      if (colon < 0 || this.#received.length < end) return;
      const message = JSON.parse(this.#received.toString('utf8', colon + 1, end));
      this.#received = this.#received.subarray(end);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message;
      this.#waiting.get(id)?.([error, result]);
      this.#waiting.delete(id);
    }
  }
}
