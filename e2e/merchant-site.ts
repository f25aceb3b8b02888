import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of a page as the site needs, so that the page of any driver will do. */
export interface SitePage {
  url(): string;
  goto(url: string): Promise<unknown>;
  evaluate<Result>(act: (argument: any) => Result, argument?: unknown): Promise<Awaited<Result>>;
}

/** The callbacks of the specification's section 3. */
export type CallbackName = 'onSuccess' | 'onClose' | 'onConfirmationPending';

/** One call of a callback, as the page saw it. */
export interface Call {
  name: CallbackName;
  arguments: unknown[];
  /** Whether a dialog was still in sight when the callback ran. */
  dialogOpen: boolean;
}

/**
 * A merchant's own site, on another site than service and shop (`127.0.0.1` against `localhost`), under the policy the documents
 * print and nothing more. It pays with whatever options a test gives it and writes down every callback.
 */
export class MerchantSite {
  readonly url: string;
  /** The same pages on an origin that is of one site with the service: there a browser lets the frame keep its token. */
  readonly sameSiteUrl: string;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
    this.sameSiteUrl = url.replace('127.0.0.1', 'localhost');
  }

  static async start(scriptUrl: string): Promise<MerchantSite> {
    const service = new URL(scriptUrl).origin;
    const server = createServer((request, response) => {
      if (request.url === '/shop.js') {
        response.setHeader('content-type', 'text/javascript').end(PAGE_SCRIPT);
      } else if (request.url === '/favicon.ico') {
        response.writeHead(204).end();
      } else {
        response
          .setHeader('content-type', 'text/html; charset=utf-8')
          .setHeader(
            'content-security-policy',
            `default-src 'none'; script-src 'self' ${service}; frame-src ${service}; style-src 'self'; connect-src ${service}; require-trusted-types-for 'script'; trusted-types 'none'`,
          )
          .end(pageHtml(scriptUrl));
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MerchantSite(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Opens the site and starts a payment with these options. */
  async pay(page: SitePage, options: object, url = this.url): Promise<void> {
    if (!page.url().startsWith(url)) await page.goto(url);
    await page.evaluate((given) => (window as unknown as { pay: (options: object) => void }).pay(given), options);
  }

  /** Every callback so far, in order. */
  async calls(page: SitePage): Promise<Call[]> {
    return page.evaluate(() => (window as unknown as { calls: Call[] }).calls);
  }

  /** The outcome that the handle's promise resolved with, or undefined while it has not. */
  async outcome(page: SitePage): Promise<{ outcome: string; reference: string } | undefined> {
    return page.evaluate(() => (window as unknown as { outcome?: { outcome: string; reference: string } }).outcome);
  }
}

function pageHtml(scriptUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A merchant</title></head>
<body><main><h1>A merchant</h1><button id="before">Before</button></main>
<script src="${scriptUrl}"></script>
<script src="/shop.js"></script>
</body></html>`;
}

const PAGE_SCRIPT = `
window.calls = [];
window.pay = (options) => {
  const note = (name) => (...args) => {
    window.calls.push({ name, arguments: args, dialogOpen: window.hasDialog() });
  };
  window.outcome = undefined;
  window.handle = ServicePay.getPaid({
    ...options,
    onSuccess: note('onSuccess'),
    onClose: note('onClose'),
    onConfirmationPending: note('onConfirmationPending'),
  });
  window.handle.result.then((outcome) => { window.outcome = outcome; });
};
window.hasDialog = () => {
  const open = (root) => [...root.querySelectorAll('*')].some((element) =>
    element.matches('dialog[open]') || (element.shadowRoot && open(element.shadowRoot)));
  return open(document);
};
`;
