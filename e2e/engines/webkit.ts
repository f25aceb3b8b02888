import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { remote } from 'webdriverio';

import type { WebKitPrograms } from '../../scripts/find-engines.ts';
import { findFreePort } from '../../scripts/server-program.ts';
import { findByRole } from './find-by-role.ts';
import type { EngineBrowser, Finder, Key, Place, Tab } from './tab.ts';

/** How long the driver may take to answer for the first time. */
const START_MS = 30_000;

/** WebDriver's own letters for keys without one. */
const KEYS = {
  Tab: '\uE004',
  Shift: '\uE008',
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowRight: '\uE014',
} as const;

/** By this member WebDriver names an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

type Session = Awaited<ReturnType<typeof remote>>;
type ElementReference = { [ELEMENT]: string };

/**
 * Starts WebKitGTK's own small browser on a screen that nobody sees, driven by classic WebDriver.
 */
export async function startWebKit({
  driver,
  browser,
  screen,
}: WebKitPrograms): Promise<EngineBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'service-pay-webkit-'));
  const display = spawn(
    screen,
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = await once(display.stdio[3] as Readable, 'data');
  const port = await findFreePort();
  const server = spawn(driver, [`--port=${port}`], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      DISPLAY: `:${String(number).trim()}`,
      LANGUAGE: 'en_GB',
      NO_AT_BRIDGE: '1',
    },
    stdio: 'ignore',
  });
  await untilAnswers(`http://127.0.0.1:${port}/status`);
  const session = await remote({
    hostname: '127.0.0.1',
    port,
    logLevel: 'silent',
    capabilities: {
      browserName: 'MiniBrowser',
      'wdio:enforceWebDriverClassic': true,
      'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
    } as WebdriverIO.Capabilities,
  });
  return {
    openTab: () => WebKitTab.open(session),
    close: async () => {
      await session.deleteSession();
      await stop(server);
      await stop(display);
      await rm(home, { recursive: true, force: true });
    },
  };
}

class WebKitTab implements Tab {
  readonly #session: Session;
  /**
   * Where the session is, or undefined where that is not sure: each switch of frames is a call or
   * two of its own.
   */
  #place: string | undefined;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** The tab before is left once this one is there: a session ends with its last tab. */
  static async open(session: Session): Promise<WebKitTab> {
    const before = await session.getWindowHandle();
    const { handle } = await session.createWindow('tab');
    await session.switchToWindow(before);
    await session.deleteAllCookies();
    await session.closeWindow();
    await session.switchToWindow(handle);
    return new WebKitTab(session);
  }

  async open(url: string): Promise<void> {
    this.#place = undefined;
    await this.#session.navigateTo(url);
  }

  async reload(): Promise<void> {
    await this.#enter([]);
    this.#place = undefined;
    await this.#session.refresh();
  }

  async run<Result>(act: (argument: any) => Result, argument: unknown): Promise<Awaited<Result>> {
    await this.#enter([]);
    return (await this.#execute(act, argument)) as Awaited<Result>;
  }

  async read<Argument, Result>(
    place: Place,
    find: Finder<Argument>,
    argument: Argument,
    read: (element: Element, argument: Argument) => Result,
  ) {
    await this.#enter(place);
    const element = await this.#find(find, argument);
    return element && ((await this.#execute(read, element, argument)) as Result);
  }

  async press<Argument>(place: Place, find: Finder<Argument>, argument: Argument): Promise<void> {
    await this.#enter(place);
    const origin = await this.#find(find, argument);
    if (!origin) throw new Error(`Nothing to press is ${JSON.stringify(argument)}.`);
    await this.#execute(bringIntoSight, origin);
    // Not the driver's own click: it takes what is in a shadow root for covered by its host.
    await this.#pressMouse({ origin, x: 0, y: 0 });
  }

  async pressAt({ x, y }: { x: number; y: number }): Promise<void> {
    await this.#enter([]);
    await this.#pressMouse({ origin: 'viewport', x, y });
  }

  async type(text: string): Promise<void> {
    await this.#strike([...text].flatMap((value) => [down(value), up(value)]));
  }

  async pressKey(key: Key): Promise<void> {
    const keys = key.split('+').map((name) => KEYS[name as keyof typeof KEYS]);
    await this.#strike([...keys.map(down), ...keys.reverse().map(up)]);
  }

  async screenshot(file: string): Promise<void> {
    await this.#enter([]);
    await this.#session.saveScreenshot(file);
  }

  /** Nothing is closed: the next tab does it, since the session needs one. */
  async close(): Promise<void> {
    await this.#enter([]);
  }

  async #pressMouse(at: {
    origin: ElementReference | 'viewport';
    x: number;
    y: number;
  }): Promise<void> {
    const actions = [
      { type: 'pointerMove', ...at },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#session.performActions([
      { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions },
    ]);
  }

  async #strike(actions: object[]): Promise<void> {
    await this.#session.performActions([{ type: 'key', id: 'keyboard', actions }]);
  }

  async #enter(place: Place): Promise<void> {
    const wanted = JSON.stringify(place);
    if (wanted === this.#place) return;
    this.#place = undefined;
    await this.#session.switchFrame(null);
    for (const name of place) {
      const frame = await this.#find(findByRole, { role: 'iframe', name });
      if (!frame) throw new Error(`There is no frame ${name}.`);
      await this.#session.switchFrame(frame as unknown as WebdriverIO.Element);
    }
    this.#place = wanted;
  }

  async #find<Argument>(
    find: Finder<Argument>,
    argument: Argument,
  ): Promise<ElementReference | undefined> {
    const element = (await this.#execute(find, argument)) as ElementReference | null;
    if (!element) this.#place = undefined;
    return element ?? undefined;
  }

  /** Runs a function where the session is; an element goes in and comes out by reference. */
  async #execute(act: (...given: any[]) => unknown, ...given: any[]): Promise<unknown> {
    try {
      return await this.#session.executeScript(`return (${act})(...arguments)`, given);
    } catch (error) {
      this.#place = undefined;
      throw error;
    }
  }
}

function bringIntoSight(element: Element): void {
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
}

function down(value: string): object {
  return { type: 'keyDown', value };
}

function up(value: string): object {
  return { type: 'keyUp', value };
}

async function untilAnswers(url: string): Promise<void> {
  const end = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > end) throw new Error(`${url} does not answer.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}
