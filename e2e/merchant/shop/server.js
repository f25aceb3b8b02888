import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { Orders } from './orders.js';
import { isSigned } from './signature.js';

/**
 * A running shop.
 *
 * @typedef {{ url: string, webhookUrl: string, orders: Orders, rejected: number, close(): Promise<void> }} Shop
 */

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');
const script = readFileSync(new URL('page.js', import.meta.url), 'utf8');

/**
 * Starts the shop on a free port: a page, orders, and the address of its webhooks.
 *
 * @param {{ serviceUrl: string, publicKey?: string, apiToken?: string }} settings
 * @returns {Promise<Shop>}
 */
export async function startShop({
  serviceUrl,
  publicKey = 'pub_sandbox_demo',
  apiToken = 'sec_sandbox_demo',
}) {
  const orders = new Orders({ serviceUrl, apiToken });
  const server = createServer((request, response) => {
    respond(request).then(
      ({ status = 200, type = 'application/json', body = '' }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      // Not known yet: the caller verifies again, and the service retries in half an hour.
      () => response.writeHead(503).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://localhost:${port}`;
  /** @type {Shop} */
  const shop = { url, webhookUrl: `${url}/webhooks`, orders, rejected: 0, close };
  return shop;

  /**
   * @param {import('node:http').IncomingMessage} request @returns {Promise<{ status?: number, type?: string, body?: string }>}
   */
  async function respond(request) {
    const { pathname } = new URL(request.url ?? '/', url);
    if (pathname === '/')
      return { type: 'text/html', body: page.replace('{{service}}', serviceUrl) };
    if (pathname === '/page.js') return { type: 'text/javascript', body: script };
    if (request.method === 'POST' && pathname === '/orders') {
      const { reference, email, amount, currency } = orders.place();
      return {
        status: 201,
        body: JSON.stringify({ key: publicKey, reference, email, amount, currency }),
      };
    }
    if (request.method === 'POST' && pathname === '/webhooks') return takeWebhook(request);
    const [, reference = ''] = /^\/orders\/([\w-]+)$/.exec(pathname) ?? [];
    const order = orders.find(reference);
    if (!order) return { status: 404 };
    if (request.method === 'POST') await orders.confirm(order);
    return { body: JSON.stringify({ state: order.state }) };
  }

  /** @param {import('node:http').IncomingMessage} request */
  async function takeWebhook(request) {
    const body = Buffer.concat(await request.toArray());
    if (!isSigned(body, request.headers['x-servicepay-signature'], apiToken)) {
      shop.rejected += 1;
      return { status: 401 };
    }
    const { data } = JSON.parse(body.toString());
    const order = orders.find(data.reference);
    if (order) await orders.confirm(order);
    return { status: 200 };
  }

  async function close() {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
