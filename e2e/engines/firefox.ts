import puppeteer, {
  type Browser,
  type ElementHandle,
  type Frame,
  type KeyInput,
  type Page,
} from 'puppeteer-core';

import { findByRole } from './find-by-role.ts';
import type { EngineBrowser, Finder, Key, Place, Tab } from './tab.ts';

/**
 * As in a new profile of a person's: every site that is framed keeps what it stores apart for each
 * page that frames it.
 */
const PARTITIONED_STORAGE = {
  'browser.contentblocking.category': 'custom',
  'network.cookie.cookieBehavior': 5,
};

/** What moves costs a machine without a graphics card most of its time. */
const STILL = { 'ui.prefersReducedMotion': 1 };

/**
 * Starts the Firefox of this path, driven by WebDriver BiDi. Puppeteer drives it, since Playwright
 * 1.65 (`channel: 'moz-firefox'`) cannot start Debian's Firefox 140: it calls
 * `network.addDataCollector`, which this one does not know.
 */
export async function startFirefox(executablePath: string): Promise<EngineBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    protocol: 'webDriverBiDi',
    extraPrefsFirefox: { ...PARTITIONED_STORAGE, ...STILL, 'intl.accept_languages': 'en-GB' },
  });
  return {
    openTab: () => FirefoxTab.open(browser),
    close: () => browser.close(),
  };
}

class FirefoxTab implements Tab {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(browser: Browser): Promise<FirefoxTab> {
    const context = await browser.createBrowserContext();
    return new FirefoxTab(await context.newPage());
  }

  async open(url: string): Promise<void> {
    await this.#page.goto(url);
  }

  async reload(): Promise<void> {
    await this.#page.reload();
  }

  async run<Result>(act: (argument: any) => Result, argument: unknown): Promise<Awaited<Result>> {
    return (await this.#page.evaluate(act, argument)) as Awaited<Result>;
  }

  async read<Argument, Result>(
    place: Place,
    find: Finder<Argument>,
    argument: Argument,
    read: (element: Element, argument: Argument) => Result,
  ) {
    const element = await findIn((await this.#enter(place)).frame, find, argument);
    return (
      element &&
      ((await element.evaluate(
        read as (element: Element, argument: unknown) => Result,
        argument,
      )) as Result)
    );
  }

  async press<Argument>(place: Place, find: Finder<Argument>, argument: Argument): Promise<void> {
    const element = await findIn((await this.#enter(place)).frame, find, argument);
    if (!element) throw new Error(`Nothing to press is ${JSON.stringify(argument)}.`);
    await element.scrollIntoView();
    const { left, top } = await this.#enter(place); // what scrolled may have moved the frame
    const { x, y } = await element.evaluate(findMiddle);
    await this.pressAt({ x: left + x, y: top + y });
  }

  async pressAt({ x, y }: { x: number; y: number }): Promise<void> {
    await this.#page.mouse.click(x, y);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  async pressKey(key: Key): Promise<void> {
    const [last = '', ...held] = key.split('+').reverse() as KeyInput[];
    for (const each of held) await this.#page.keyboard.down(each);
    await this.#page.keyboard.press(last as KeyInput);
    for (const each of held) await this.#page.keyboard.up(each);
  }

  async screenshot(file: string): Promise<void> {
    await this.#page.screenshot({ path: file as `${string}.png` });
  }

  async close(): Promise<void> {
    await this.#page.browserContext().close();
  }

  /**
   * The frame of a place and where its corner stands in the page. Firefox before 141 cannot be
   * asked which element a frame is in, so that is kept on the way.
   */
  async #enter(place: Place): Promise<{ frame: Frame; left: number; top: number }> {
    const entered = { frame: this.#page.mainFrame(), left: 0, top: 0 };
    for (const name of place) {
      const element = await findIn(entered.frame, findByRole, { role: 'iframe', name });
      const inner = await element?.contentFrame();
      if (!inner) throw new Error(`There is no frame ${name}.`);
      const { left, top } = await element!.evaluate(findCorner);
      entered.frame = inner;
      entered.left += left;
      entered.top += top;
    }
    return entered;
  }
}

function findMiddle(element: Element): { x: number; y: number } {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

/** Where what a frame shows begins: inside its border. */
function findCorner(frame: Element): { left: number; top: number } {
  const { x, y } = frame.getBoundingClientRect();
  return { left: x + frame.clientLeft, top: y + frame.clientTop };
}

async function findIn<Argument>(
  frame: Frame,
  find: Finder<Argument>,
  argument: Argument,
): Promise<ElementHandle<Element> | undefined> {
  const handle = await frame.evaluateHandle(
    find as (argument: unknown) => Element | undefined,
    argument,
  );
  return (handle.asElement() as ElementHandle<Element> | null) ?? undefined;
}
