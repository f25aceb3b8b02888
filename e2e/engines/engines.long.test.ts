import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { findFreePort } from '../../scripts/programs/server-program.ts';
import { MerchantSite, type SitePage } from '../support/merchant-site.ts';

/**
 * The engines of distributions, which Playwright does not drive: it brings builds of its own, for
 * systems that it knows (CI runs all journeys in those).
 */
const FIREFOX = findCommand('firefox-esr') ?? findCommand('firefox');
const WEBKIT_DRIVER = findCommand('WebKitWebDriver');
const SCREEN = findCommand('Xvfb');
const [MINI_BROWSER] = globSync('/usr/lib{,64,exec,/*}/webkit2gtk-4.1/MiniBrowser');
const MISSING = {
  firefox: FIREFOX ? '' : ' (skipped: install firefox-esr)',
  webkit:
    WEBKIT_DRIVER && SCREEN && MINI_BROWSER ? '' : ' (skipped: install webkit2gtk-driver and xvfb)',
};

const DRIVERS = { puppeteer: 'puppeteer-core@24.43.1', webdriverio: 'webdriverio@9.33.1' };
const INSTALLS_WITHIN_MS = 15 * 60_000;
const PATIENT = { timeout: 60_000, interval: 200 };

interface Engine {
  page: SitePage;
  /** Runs a function in the frame of the popup. */
  inFrame<Result>(act: (given: any) => Result, given: unknown): Promise<Result>;
  close(): Promise<void>;
}

let folder: string;
let sandbox: Sandbox;
let site: MerchantSite;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engines-'));
  sandbox = await startSandbox();
  site = await MerchantSite.start(`${sandbox.url}/js/v1/inline.js`);
});

afterAll(async () => {
  await site.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(MISSING.firefox)(`Firefox${MISSING.firefox}`, () => {
  testPayments(async () => {
    const { default: puppeteer } = await install('puppeteer');
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: FIREFOX,
      extraPrefsFirefox: { 'ui.prefersReducedMotion': 1 },
    });
    const page = await browser.newPage();
    const inFrame: Engine['inFrame'] = (act, given) => {
      const frame = page.frames().find((one: any) => one.url().includes('/checkout/v1/'));
      if (!frame) throw new Error('There is no frame yet.');
      return frame.evaluate(act, given);
    };
    return { page, inFrame, close: () => browser.close() };
  });
});

describe.skipIf(MISSING.webkit)(`WebKitGTK${MISSING.webkit}`, () => {
  testPayments(async () => {
    const { remote } = await install('webdriverio');
    const screen = spawn(SCREEN!, ['-displayfd', '3', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [display] = await once(screen.stdio[3] as Readable, 'data');
    const port = await findFreePort();
    const driver = spawn(WEBKIT_DRIVER!, [`--port=${port}`], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, DISPLAY: `:${String(display).trim()}` },
      stdio: 'ignore',
    });
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/status`), PATIENT);
    const browser = await remote({
      hostname: '127.0.0.1',
      port,
      logLevel: 'error',
      capabilities: {
        browserName: 'MiniBrowser',
        'wdio:enforceWebDriverClassic': true,
        'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] },
      },
    });
    let url = '';
    return {
      page: {
        url: () => url,
        goto(to) {
          url = to;
          return browser.url(to);
        },
        evaluate: (act, given) => browser.execute(act, given ?? null),
      },
      async inFrame(act, given) {
        await browser.switchFrame(await browser.$('service-pay-popup > iframe'));
        return browser.execute(act, given).finally(() => browser.switchFrame(null));
      },
      async close() {
        await browser.deleteSession();
        for (const program of [driver, screen]) await end(program);
      },
    };
  });
});

/** Declares that a customer pays once by card and once by phone in an engine. */
function testPayments(start: () => Promise<Engine>): void {
  let engine: Engine;

  beforeEach(async () => {
    engine = await start();
  }, INSTALLS_WITHIN_MS);

  afterEach(() => engine.close());

  const pay = async (reference: string, fields: Record<string, string>, press: string[]) => {
    await site.pay(engine.page, {
      key: 'pub_sandbox_demo',
      email: 'mary@example.com',
      amount: '10.00',
      currency: 'ZMW',
      reference,
    });
    for (const label of press.slice(0, -1)) await use({ label });
    for (const [label, text] of Object.entries(fields)) await use({ label, text });
    await use({ label: press.at(-1)! });
  };
  const use = (given: { label: string; text?: string }) =>
    vi.waitFor(
      async () => expect(await engine.inFrame(useField, given), given.label).toBe(true),
      PATIENT,
    );
  const expectPaid = (reference: string) =>
    vi.waitFor(async () => {
      const calls = await site.calls(engine.page);
      expect(calls.map(({ name }) => name)).toEqual(['onSuccess']);
      const { rows } = await sandbox.control.collections({ search: reference });
      expect(rows).toMatchObject([{ status: 'successful' }]);
    }, PATIENT);

  test('a card pays in another engine', { timeout: 180_000 }, async () => {
    const reference = `card-${crypto.randomUUID()}`;

    await pay(
      reference,
      {
        'Card number': '4242424242424242',
        'Expiry date': '12/34',
        'Security code': '123',
        'Name on card': 'Mary Banda',
      },
      ['Pay'],
    );

    await expectPaid(reference);
  });

  test('mobile money pays in another engine', { timeout: 180_000 }, async () => {
    const reference = `phone-${crypto.randomUUID()}`;

    await pay(reference, { 'Phone number': '0961111111' }, ['Mobile money', 'MTN', 'Pay']);

    await expectPaid(reference);
  });
}

/**
 * Fills the visible field with a label, or presses that control, also below open shadow roots.
 * Returns false if it is not there yet. Runs in the browser, so it uses nothing from outside.
 */
function useField({ label, text }: { label: string; text?: string }): boolean {
  const nameOf = (element: HTMLInputElement) =>
    (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent ?? '').trim();
  const find = (root: Document | ShadowRoot): HTMLInputElement | undefined => {
    for (const element of root.querySelectorAll<HTMLInputElement>('*')) {
      const isNamed = element.matches('button, input') && nameOf(element).startsWith(label);
      if (isNamed && element.checkVisibility() && !element.disabled) return element;
      const within = element.shadowRoot && find(element.shadowRoot);
      if (within) return within;
    }
    return undefined;
  };
  const field = find(document);
  if (!field) return false;
  if (text === undefined) field.click();
  else {
    field.value = text;
    field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  }
  return true;
}

/** Installs a driver into a folder of this test, and imports it. */
async function install(name: keyof typeof DRIVERS): Promise<any> {
  const entry = join(folder, `${name}.mjs`);
  if (!existsSync(entry)) {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, '--prefix', folder, DRIVERS[name]]);
    const from = JSON.stringify(DRIVERS[name].split('@')[0]);
    const standard = name === 'puppeteer' ? `export { default } from ${from};` : '';
    await writeFile(entry, `export * from ${from};\n${standard}`);
  }
  return import(pathToFileURL(entry).href);
}

function findCommand(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((one) => join(one, name)).find((path) => existsSync(path));
}

async function end(program: ChildProcess): Promise<void> {
  const ended = once(program, 'exit');
  program.kill();
  await ended;
}
