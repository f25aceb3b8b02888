import { writeFile } from 'node:fs/promises';

import { findByRole } from './find-by-role.ts';
import type { EngineBrowser, Finder, Key, Place, Tab } from './tab.ts';

export const COMMANDS = {
  GetWindowHandle: 'GET /window',
  NewWindow: 'POST /window/new',
  SwitchToWindow: 'POST /window',
  CloseWindow: 'DELETE /window',
  SwitchToFrame: 'POST /frame',
  DeleteAllCookies: 'DELETE /cookie',
  Navigate: 'POST /url',
  Refresh: 'POST /refresh',
  ExecuteScript: 'POST /execute/sync',
  PerformActions: 'POST /actions',
  TakeScreenshot: 'GET /screenshot',
} as const;

export type Send = (command: keyof typeof COMMANDS, parameters?: object) => Promise<any>;

const KEYS = {
  Tab: '\uE004',
  Shift: '\uE008',
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowRight: '\uE014',
} as const;

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
type ElementReference = { [ELEMENT]: string };

export function driveBrowser(send: Send, close: () => Promise<void>): EngineBrowser {
  return { openTab: () => WebDriverTab.open(send), close };
}

class WebDriverTab implements Tab {
  readonly #send: Send;
  /**
   * The frame the session is in, or undefined if unsure. Each switch of frames costs a call or two.
   */
  #place: string | undefined;

  private constructor(send: Send) {
    this.#send = send;
  }

  /** The tab before closes once this one is there: a session ends with its last tab. */
  static async open(send: Send): Promise<WebDriverTab> {
    const before = await send('GetWindowHandle');
    const { handle } = await send('NewWindow', { type: 'tab' });
    await send('SwitchToWindow', { handle: before });
    await send('DeleteAllCookies');
    await send('CloseWindow');
    await send('SwitchToWindow', { handle });
    return new WebDriverTab(send);
  }

  async open(url: string): Promise<void> {
    this.#place = undefined;
    await this.#send('Navigate', { url });
  }

  async reload(): Promise<void> {
    await this.#enter([]);
    this.#place = undefined;
    await this.#send('Refresh');
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
    await this.#strike(keys.map(down));
    await this.#strike(keys.reverse().map(up)); // a key press may have closed its frame
  }

  async screenshot(file: string): Promise<void> {
    await this.#enter([]);
    await writeFile(file, await this.#send('TakeScreenshot', { full: false }), 'base64');
  }

  /** Closes nothing: the next tab does, since the session needs one. */
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
    const parameters = { pointerType: 'mouse' };
    await this.#perform({ type: 'pointer', id: 'mouse', parameters, actions });
  }

  async #strike(actions: object[]): Promise<void> {
    await this.#enterFocus();
    await this.#perform({ type: 'key', id: 'keyboard', actions });
  }

  async #perform(input: object): Promise<void> {
    await this.#send('PerformActions', { actions: [input] }).catch((error: Error) => {
      if (!error.message.startsWith('no such window')) throw error;
    });
  }

  async #enter(place: Place): Promise<void> {
    const wanted = JSON.stringify(place);
    if (wanted === this.#place) return;
    this.#place = undefined;
    await this.#send('SwitchToFrame', { id: null });
    for (const name of place) {
      const frame = await this.#find(findByRole, { role: 'iframe', name });
      if (!frame) throw new Error(`There is no frame ${name}.`);
      await this.#send('SwitchToFrame', { id: frame });
    }
    this.#place = wanted;
  }

  /**
   * Goes to the focused frame: Firefox sends keys to the session's document, WebKit to the focus.
   */
  async #enterFocus(): Promise<void> {
    await this.#enter([]);
    for (;;) {
      const frame = await this.#find(findFocusedFrame, null);
      if (!frame) return;
      this.#place = undefined;
      await this.#send('SwitchToFrame', { id: frame });
    }
  }

  async #find<Argument>(
    find: Finder<Argument>,
    argument: Argument,
  ): Promise<ElementReference | undefined> {
    const element = (await this.#execute(find, argument)) as ElementReference | null;
    if (!element) this.#place = undefined;
    return element ?? undefined;
  }

  async #execute(act: (...given: any[]) => unknown, ...args: any[]): Promise<unknown> {
    try {
      return await this.#send('ExecuteScript', { script: `return (${act})(...arguments)`, args });
    } catch (error) {
      this.#place = undefined;
      throw error;
    }
  }
}

function findFocusedFrame(): Element | undefined {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused?.localName === 'iframe' ? focused : undefined;
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
