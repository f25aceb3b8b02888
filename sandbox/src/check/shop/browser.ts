import { callShop, type ShopCall, type ShopResponse } from './call-shop.ts';

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly isSentByOtherSites: boolean;
}

export interface BrowserOptions {
  /** The shop's origin. */
  readonly shopUrl: string;
  /** Headers that the shop's page adds, such as `X-CSRFToken: {cookie:csrftoken}`. */
  readonly pageHeaders: readonly (readonly [name: string, value: string])[];
  readonly sleep: (ms: number) => Promise<void>;
  /** True while the check has switched a fault of the service on. */
  readonly isServiceFaulty: () => boolean;
}

/** Servers delete a cookie by a date such as 1970. */
const LONG_AGO = Date.UTC(2001, 0);
const FOREIGN_ORIGIN = 'https://evil.example';
const MOST_REDIRECTS = 5;
const LONGEST_WAIT_MS = 60_000;
const USUAL_WAIT_S = 2;

/** A browser of a customer: it keeps the shop's cookies, and says which page calls. */
export class Browser {
  readonly #options: BrowserOptions;
  readonly #cookies = new Map<string, Cookie>();

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  /** Returns a browser whose cookies have the same names and other values. */
  forge(value: string): Browser {
    const forged = new Browser(this.#options);
    for (const [name, cookie] of this.#cookies) forged.#cookies.set(name, { ...cookie, value });
    return forged;
  }

  /** Opens a page of the shop, and follows its redirects within the shop. */
  async visit(path: string): Promise<ShopResponse> {
    const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    let response = await this.#send({ method: 'GET', path, headers });
    for (let redirects = 0; redirects < MOST_REDIRECTS; redirects++) {
      const next = URL.parse(response.headers.get('location') ?? '', this.#options.shopUrl);
      if (response.status < 300 || response.status > 399 || next?.origin !== this.#options.shopUrl)
        break;
      response = await this.#send({ method: 'GET', path: next.pathname + next.search, headers });
    }
    return response;
  }

  /** Sends what a script of the shop's page sends. */
  call(method: string, path: string, more: Partial<ShopCall> = {}): Promise<ShopResponse> {
    const { shopUrl, pageHeaders } = this.#options;
    const filledIn = pageHeaders.map(([name, value]) => [name, this.#fillIn(value)]);
    return this.#send({
      method,
      path,
      ...more,
      headers: {
        accept: '*/*',
        ...(method !== 'GET' && { origin: shopUrl }),
        referer: `${shopUrl}/`,
        'sec-fetch-mode': 'cors',
        'sec-fetch-site': 'same-origin',
        ...(more.body !== undefined && { 'content-type': 'application/json' }),
        ...Object.fromEntries(filledIn),
        ...more.headers,
      },
    });
  }

  /**
   * Sends what a script of another site's page can send without the shop's permission. The browser
   * adds only cookies with `SameSite=None`, and keeps none of the response.
   */
  callFromForeignPage(method: string, path: string, body?: string): Promise<ShopResponse> {
    const headers = {
      accept: '*/*',
      origin: FOREIGN_ORIGIN,
      referer: `${FOREIGN_ORIGIN}/`,
      'sec-fetch-mode': 'cors',
      'sec-fetch-site': 'cross-site',
      ...(body !== undefined && { 'content-type': 'text/plain;charset=UTF-8' }),
    };
    return this.#send({ method, path, headers, ...(body !== undefined && { body }) }, true);
  }

  /** Waits and sends again where the shop says so. */
  async #send(call: ShopCall, isForeign = false): Promise<ShopResponse> {
    const { shopUrl, sleep, isServiceFaulty } = this.#options;
    for (let waitedMs = 0; ; ) {
      const cookie = this.#cookieFor(call.path, isForeign);
      const response = await callShop(shopUrl, {
        ...call,
        headers: { ...call.headers, ...(cookie && { cookie }) },
      });
      if (!isForeign) this.#keepCookies(call.path, response.headers);
      const { status } = response;
      const retryAfter = response.headers.get('retry-after');
      const mustWait =
        status === 429 || (status === 503 && retryAfter !== null && !isServiceFaulty());
      if (!mustWait || waitedMs >= LONGEST_WAIT_MS) return response;
      const pauseMs =
        1_000 * (/^[1-9]\d{0,3}$/.test(retryAfter ?? '') ? Number(retryAfter) : USUAL_WAIT_S);
      waitedMs += pauseMs;
      await sleep(pauseMs);
    }
  }

  #cookieFor(path: string, isForeign: boolean): string {
    return [...this.#cookies]
      .filter(([, cookie]) => isWithin(cookie.path, pathnameOf(path)))
      .filter(([, cookie]) => !isForeign || cookie.isSentByOtherSites)
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keepCookies(path: string, headers: Headers): void {
    for (const header of headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split(/; */);
      const [, name, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined) continue;
      const attribute = (wanted: string) =>
        attributes
          .map((each) => each.split('='))
          .find(([key]) => key?.toLowerCase() === wanted)?.[1];
      const isOver =
        Number(attribute('max-age')) <= 0 || Date.parse(attribute('expires') ?? '') < LONG_AGO;
      if (isOver) this.#cookies.delete(name);
      else
        this.#cookies.set(name, {
          value,
          path: attribute('path')?.startsWith('/') ? attribute('path')! : folderOf(path),
          isSentByOtherSites: attribute('samesite')?.toLowerCase() === 'none',
        });
    }
  }

  /** Replaces `{cookie:name}` by that cookie, as a page's script reads it. */
  #fillIn(value: string): string {
    return value.replace(/\{cookie:([^}]+)\}/g, (_, name: string) => {
      const cookie = this.#cookies.get(name)?.value ?? '';
      try {
        return decodeURIComponent(cookie);
      } catch {
        return cookie;
      }
    });
  }
}

function pathnameOf(path: string): string {
  return path.replace(/\?.*/, '');
}

/** A cookie without a path belongs to the folder of the request that set it (RFC 6265, 5.1.4). */
function folderOf(path: string): string {
  return pathnameOf(path).replace(/\/[^/]*$/, '') || '/';
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.replace(/\/?$/, '/'));
}
