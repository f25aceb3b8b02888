import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

import { readDocumentedPolicy } from '../../scripts/demo/documented-policy.ts';

/** The place where a page's own code runs: a page of any driver, or a frame in it. */
export interface Place {
  evaluate<Result>(act: (argument: any) => Result, argument?: unknown): Promise<Awaited<Result>>;
}

export interface SitePage extends Place {
  url(): string;
  goto(url: string): Promise<unknown>;
}

export type CallbackName = 'onSuccess' | 'onClose' | 'onConfirmationPending';

export interface Call {
  name: CallbackName;
  arguments: unknown[];
  dialogOpen: boolean;
}

export type Way = 'tag' | 'element' | 'loader';

export interface OwnPage {
  headers?: Record<string, string>;
  /** Empty for quirks mode. */
  doctype?: string;
  root?: string;
  head?: string;
  /** The body, in which `{{button}}` means the button that pays. */
  body?: string;
  before?: () => void;
  after?: () => void;
  way?: Way;
  tag?: string;
}

const NPM_FILES = new URL('../../widget/dist/npm/', import.meta.url);

const BUTTONS: Record<Way, string> = {
  tag: '<button id="pay">Pay</button>',
  element: '<service-pay id="pay"></service-pay>',
  loader: '<button id="pay">Pay</button>',
};

/**
 * A merchant's own site. It is cross-site to service and shop (`127.0.0.1`, not `localhost`) and
 * sends exactly the documented policy, unless a page sets another. It pays with the options of a
 * test and records every callback.
 */
export class MerchantSite {
  readonly url: string;
  /**
   * The same pages on an origin that is of one site with the service: there a browser lets the
   * frame keep its token.
   */
  readonly sameSiteUrl: string;
  readonly #server: Server;
  readonly #pages: OwnPage[];

  private constructor(server: Server, pages: OwnPage[], url: string) {
    this.#server = server;
    this.#pages = pages;
    this.url = url;
    this.sameSiteUrl = url.replace('127.0.0.1', 'localhost');
  }

  static async start(scriptUrl: string): Promise<MerchantSite> {
    const pages: OwnPage[] = [{}];
    const server = createServer((request, response) => {
      const path = (request.url ?? '/').replace(/\?.*/, '');
      const [, number = '0'] = /^\/pages\/(\d+)\//.exec(path) ?? [];
      const own = pages[Number(number)] ?? {};
      const scripts: Record<string, string> = {
        '/shop.js': PAGE_SCRIPT,
        '/by-loader.js': loaderScript(scriptUrl),
        [`/pages/${number}/before.js`]: `(${own.before ?? (() => {})})();`,
        [`/pages/${number}/after.js`]: `(${own.after ?? (() => {})})();`,
      };
      if (scripts[path] || path.startsWith('/npm/')) {
        response
          .setHeader('content-type', 'text/javascript')
          .end(scripts[path] ?? readFileSync(new URL(basename(path), NPM_FILES)));
      } else if (path === '/favicon.ico') {
        response.writeHead(204).end();
      } else {
        const headers = own.headers ?? { 'content-security-policy': policyFor(scriptUrl, own.way) };
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
          .end(pageHtml(own, `/pages/${number}/`, scriptUrl));
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MerchantSite(
      server,
      pages,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  publish(own: OwnPage): string {
    return `/pages/${this.#pages.push(own) - 1}/`;
  }

  async pay(page: SitePage, options: object, url = this.url): Promise<void> {
    if (!page.url().startsWith(url)) await page.goto(url);
    await page.evaluate(
      (given) => (window as unknown as { pay: (options: object) => void }).pay(given),
      options,
    );
  }

  async calls(place: Place): Promise<Call[]> {
    return place.evaluate(() => (window as unknown as { calls: Call[] }).calls);
  }

  async outcome(place: Place): Promise<{ outcome: string; reference: string } | undefined> {
    return place.evaluate(
      () => (window as unknown as { outcome?: { outcome: string; reference: string } }).outcome,
    );
  }
}

/** The end of an address that has the button of its page pay with these options. */
export function optionsOf(order: object): string {
  return `#${encodeURIComponent(JSON.stringify({ ...order, locale: 'en' }))}`;
}

/**
 * The documented policy for a shop with scripts and styles of its own. Only the loader makes a
 * Trusted Types policy.
 */
function policyFor(scriptUrl: string, way: Way = 'tag'): string {
  const policy = readDocumentedPolicy(new URL(scriptUrl).origin);
  policy.set('script-src', `'self' ${policy.get('script-src')}`);
  if (way !== 'loader') policy.set('trusted-types', "'none'");
  return [['default-src', "'none'"], ['style-src', "'self'"], ...policy]
    .map((directive) => directive.join(' '))
    .join('; ');
}

function pageHtml(
  {
    doctype = '<!doctype html>',
    root = 'lang="en"',
    head = '',
    body = PLAIN_BODY,
    way = 'tag',
    tag,
  }: OwnPage,
  folder: string,
  scriptUrl: string,
): string {
  const service = tag ?? `<script src="${scriptUrl}"></script>`;
  return `${doctype}
<html ${root}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A merchant</title>${head}</head>
<body>${body.replace('{{button}}', BUTTONS[way])}
<script src="${folder}before.js"></script>
${way === 'loader' ? '' : service}
<script src="/shop.js"></script>
${way === 'loader' ? '<script type="module" src="/by-loader.js"></script>' : ''}
<script src="${folder}after.js"></script>
</body></html>`;
}

const PLAIN_BODY = '<main><h1>A merchant</h1><button id="before">Before</button>{{button}}</main>';

/** `pay` is called by a test, or by a press, which takes its options from the address. */
const PAGE_SCRIPT = `
window.calls = [];
window.hasDialog = () => {
  const open = (root) => [...root.querySelectorAll('*')].some((element) =>
    element.matches('dialog[open][aria-label]') || (element.shadowRoot && open(element.shadowRoot)));
  return open(document);
};
window.note = (name) => (...args) => {
  window.calls.push({ name, arguments: args, dialogOpen: window.hasDialog() });
};
window.pay = (options) => {
  window.outcome = undefined;
  window.handle = ServicePay.getPaid({
    ...options,
    onSuccess: window.note('onSuccess'),
    onClose: window.note('onClose'),
    onConfirmationPending: window.note('onConfirmationPending'),
  });
  window.handle.result.then((outcome) => { window.outcome = outcome; });
};
(() => {
  const button = document.querySelector('#pay');
  const options = location.hash && JSON.parse(decodeURIComponent(location.hash.slice(1)));
  if (!options || !button) return;
  if (button.localName !== 'service-pay') {
    button.addEventListener('click', () => window.load ? window.load.then(() => window.pay(options)) : window.pay(options));
    return;
  }
  const { key, ...others } = options;
  Object.assign(button, { publicKey: key }, others);
  const report = (type, callback, outcome) => button.addEventListener('service-pay-' + type, ({ reference }) => {
    window.note(callback)(...(reference ? [{ reference }] : []));
    window.outcome = { outcome, reference: options.reference };
  });
  report('success', 'onSuccess', 'success');
  report('close', 'onClose', 'closed');
  report('confirmation-pending', 'onConfirmationPending', 'confirmation-pending');
})();
`;

function loaderScript(scriptUrl: string): string {
  return `import { loadServicePay } from '/npm/loader.js'; window.load = loadServicePay('${scriptUrl}');`;
}
