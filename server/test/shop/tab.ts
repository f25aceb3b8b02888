import { HTMLElement, Window } from 'happy-dom';
import type { ManualClock } from '../manual-clock.ts';
import { type PageScript, TAB_GLOBALS } from './pages.ts';
import { TestBrowser } from './shop.ts';

export interface PopupOptions {
  reference: string;
  onSuccess?: (response: unknown) => void;
  onConfirmationPending?: () => void;
  onClose?: () => void;
}

export type Network = 'works' | 'loses answers' | 'is down';

const REFLECTED = {
  role: 'role',
  ariaBusy: 'aria-busy',
  ariaInvalid: 'aria-invalid',
  ariaLabel: 'aria-label',
  ariaLive: 'aria-live',
};

for (const [property, attribute] of Object.entries(REFLECTED)) {
  Object.defineProperty(HTMLElement.prototype, property, {
    get(this: HTMLElement) {
      return this.getAttribute(attribute);
    },
    set(this: HTMLElement, value: string) {
      this.setAttribute(attribute, value);
    },
  });
}

const MOST_TURNS = 1_000;
const IDLE_TURNS = 3;

export class TabbedBrowser {
  readonly shopUrl: string;
  readonly shop: TestBrowser;
  readonly clock: ManualClock;
  readonly tabs: Tab[] = [];
  readonly localStorage: KeptStorage;
  readonly keepsNothing: boolean;
  network: Network = 'works';
  underWay = 0;
  readonly scripts: ReadonlyMap<string, PageScript>;

  constructor(
    url: string,
    clock: ManualClock,
    scripts: ReadonlyMap<string, PageScript>,
    { keepsNothing = false } = {},
  ) {
    this.shopUrl = url;
    this.shop = new TestBrowser(url);
    this.clock = clock;
    this.scripts = scripts;
    this.keepsNothing = keepsNothing;
    this.localStorage = new KeptStorage(keepsNothing);
  }

  async open(path: string, isBeside = false): Promise<void> {
    const tab = new Tab(this);
    this.tabs.push(tab);
    if (!isBeside) this.show(tab);
    await tab.load(path);
  }

  show(tab: Tab): void {
    for (const other of this.tabs) if (other !== tab) other.setVisible(false);
    tab.setVisible(true);
  }

  tellStorage(but: Tab): void {
    for (const tab of this.tabs) if (tab !== but) tab.tellStorage();
  }

  async settle(): Promise<void> {
    let idle = 0;
    let stuck = 0;
    for (let turn = 0; idle < IDLE_TURNS; turn++) {
      if (turn === MOST_TURNS) throw new Error('The pages ask on and on.');
      await new Promise(setImmediate);
      const before = this.underWay;
      if (before === 0 && !this.tabs.some(({ isLoading }) => isLoading)) {
        idle++;
        continue;
      }
      // as long as an answer of the shop takes
      await (await fetch(`${this.shopUrl}/api/catalogue`)).text();
      idle = 0;
      stuck = this.underWay === before ? stuck + 1 : 0;
      if (stuck > 4) await this.clock.advance(100);
    }
  }
}

/**
 * A tab, which runs the shop's real page scripts on its real pages. `popup` holds the options that
 * the page passed to the popup.
 */
export class Tab {
  readonly browser: TabbedBrowser;
  readonly #sessionStorage: KeptStorage;
  readonly #addresses: string[] = [];
  #page: Page | undefined;
  popup: PopupOptions | undefined;
  readonly unconfirmed = new Set<string>();
  #next: string | undefined;
  #isVisible = true;

  constructor(browser: TabbedBrowser) {
    this.browser = browser;
    this.#sessionStorage = new KeptStorage(browser.keepsNothing);
  }

  get isLoading(): boolean {
    return this.#next !== undefined;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  get address(): string {
    return this.#addresses.at(-1) ?? '/';
  }

  async load(path: string): Promise<void> {
    this.#addresses.push(path);
    await this.reload();
  }

  async reload(): Promise<void> {
    this.#next = undefined;
    this.popup = undefined;
    if (this.browser.keepsNothing) this.unconfirmed.clear();
    this.browser.underWay++;
    try {
      await this.close();
      if (this.browser.network === 'is down') return;
      const answer = await this.browser.shop.get(this.address, { accept: 'text/html' });
      this.#page = new Page(this, answer.text, this.#sessionStorage);
    } finally {
      this.browser.underWay--;
    }
  }

  async goBack(): Promise<void> {
    if (this.#addresses.length > 1) this.#addresses.pop();
    await this.reload();
  }

  replaceAddress(address: string): void {
    this.#addresses[this.#addresses.length - 1] = address;
  }

  goTo(address: string): void {
    const { shopUrl } = this.browser;
    this.#next = new URL(address, shopUrl).href.slice(shopUrl.length);
    setImmediate(() => this.#next !== undefined && this.load(this.#next));
  }

  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    this.#page?.tellVisibility();
  }

  tellStorage(): void {
    this.#page?.tellStorage();
  }

  get headings(): string[] {
    return (
      this.#page?.visible('h1').map(({ textContent }) => textContent) ?? [
        'This page cannot be reached',
      ]
    );
  }

  get buttons(): string[] {
    return this.popup ? [] : (this.#page?.visible(BUTTONS).map(nameOf) ?? []);
  }

  press(name: string): void {
    const button = this.#page?.visible(BUTTONS).find((each) => nameOf(each) === name);
    if (!button) throw new Error(`No button ${name} is shown.`);
    this.#page?.press(button);
  }

  get text(): string {
    return this.#page?.visible('main')[0]?.textContent ?? '';
  }

  async close(): Promise<void> {
    await this.#page?.close();
    this.#page = undefined;
  }
}

const BUTTONS = 'button, a.button';

class Page {
  readonly #window: Window;
  readonly #tab: Tab;
  #isOpen = true;

  constructor(tab: Tab, html: string, sessionStorage: KeptStorage) {
    this.#tab = tab;
    const { browser } = tab;
    const window = new Window({
      url: browser.shopUrl + tab.address,
      settings: {
        disableCSSFileLoading: true,
        disableJavaScriptFileLoading: true,
        handleDisabledFileLoadingAsSuccess: true,
      },
    });
    this.#window = window;
    Object.defineProperty(window.document, 'visibilityState', {
      get: () => (tab.isVisible ? 'visible' : 'hidden'),
    });
    const localStorage = browser.localStorage.seenBy(() => browser.tellStorage(tab));
    Object.defineProperty(window, 'localStorage', { get: () => localStorage });
    Object.defineProperty(window, 'sessionStorage', { get: () => sessionStorage });
    Object.assign(window, {
      ServicePay: {
        getPaid: (options: PopupOptions) => this.#isOpen && this.#openPopup(options),
        preload: () => undefined,
      },
    });
    window.document.write(html);
    const source = /<script type="module" src="([^"]+)"/.exec(html)?.[1];
    if (source === undefined) return;
    const script = browser.scripts.get(source);
    if (!script) throw new Error(`The test has not built ${source}.`);
    const globals = this.#globals(sessionStorage);
    script(...TAB_GLOBALS.map((name) => globals[name]));
  }

  visible(selector: string): HTMLElement[] {
    return [...this.#window.document.querySelectorAll(selector)].filter(
      (each) => !each.closest('[hidden]') && !each.closest('noscript'),
    ) as HTMLElement[];
  }

  press(button: HTMLElement): void {
    const { MouseEvent } = this.#window;
    const address = button.getAttribute('href');
    if (address) button.addEventListener('click', (event) => event.preventDefault());
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    if (address) this.#tab.goTo(address);
  }

  tellStorage(): void {
    this.#window.dispatchEvent(new this.#window.Event('storage'));
  }

  tellVisibility(): void {
    this.#window.document.dispatchEvent(
      new this.#window.Event('visibilitychange', { bubbles: true }),
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#window.happyDOM.close();
  }

  #openPopup(options: PopupOptions): void {
    this.#tab.popup = options;
  }

  #globals(sessionStorage: KeptStorage): Record<(typeof TAB_GLOBALS)[number], unknown> {
    const window = this.#window;
    const tab = this.#tab;
    const { browser } = tab;
    const href = browser.shopUrl + tab.address;
    const timers = new Map<number, () => void>();
    return {
      window,
      document: window.document,
      location: {
        href,
        pathname: new URL(href).pathname,
        search: new URL(href).search,
        assign: (address: string) => this.#isOpen && tab.goTo(address),
        replace: (address: string) => this.#isOpen && tab.goTo(address),
        reload: () => this.#isOpen && tab.goTo(tab.address),
      },
      history: {
        replaceState: (_state: unknown, _title: string, address: string) =>
          this.#isOpen && tab.replaceAddress(address),
      },
      localStorage: window.localStorage,
      sessionStorage,
      navigator: window.navigator,
      FormData: window.FormData,
      customElements: window.customElements,
      fetch: (path: string, request: RequestInit) => this.#fetch(path, request),
      setTimeout: (task: () => void, ms: number) => {
        const id = timers.size + 1;
        timers.set(
          id,
          browser.clock.after(ms, () => this.#isOpen && task()),
        );
        return id;
      },
      clearTimeout: (id: number | undefined) => timers.get(id ?? 0)?.(),
      addEventListener: window.addEventListener.bind(window),
      removeEventListener: window.removeEventListener.bind(window),
      AbortController: window.AbortController,
      EventSource: SilentEventSource,
      Date: class extends Date {
        static override now = () => browser.clock.now();
      },
    };
  }

  async #fetch(path: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
    const { browser } = this.#tab;
    if (browser.network === 'is down') throw new TypeError('fetch failed');
    browser.underWay++;
    const text = typeof body === 'string' ? body : undefined;
    const answer = await browser.shop.send(method, path, text, headers as Record<string, string>);
    setImmediate(() => browser.underWay--); // after the page has read the answer
    if (!this.#isOpen) return new Promise(() => {}); // a page that was left hears no answer
    if (browser.network !== 'works') throw new TypeError('fetch failed');
    return new Response(answer.text, { status: answer.status });
  }
}

class SilentEventSource {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  readyState = SilentEventSource.CONNECTING;
  addEventListener(): void {}
  close(): void {
    this.readyState = SilentEventSource.CLOSED;
  }
}

class KeptStorage {
  readonly #values = new Map<string, string>();
  readonly #isRefused: boolean;

  constructor(isRefused: boolean) {
    this.#isRefused = isRefused;
  }

  seenBy(tellOthers: () => void): Pick<KeptStorage, 'getItem' | 'setItem' | 'removeItem'> {
    return {
      getItem: (name) => this.getItem(name),
      setItem: (name, value) => {
        this.setItem(name, value);
        tellOthers();
      },
      removeItem: (name) => {
        this.removeItem(name);
        tellOthers();
      },
    };
  }

  getItem(name: string): string | null {
    return this.#use().get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.#use().set(name, value);
  }

  removeItem(name: string): void {
    this.#use().delete(name);
  }

  #use(): Map<string, string> {
    if (this.#isRefused) throw new DOMException('The operation is insecure.', 'SecurityError');
    return this.#values;
  }
}

function nameOf(element: HTMLElement): string {
  return (element.getAttribute('aria-label') ?? element.textContent).trim();
}
