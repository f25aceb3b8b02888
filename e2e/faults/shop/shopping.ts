import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import type { Sandbox } from '@service-pay/sandbox';
import { Pool } from 'undici';

import type { PlacedOrder } from '../../lab/placed-order.ts';
import type { Database } from '../databases.ts';
import type { Random } from '../random.ts';
import { TOKEN } from './shop-process.ts';

export const PUBLIC_KEY = 'pub_sandbox_demo';

export const WEBHOOK_PATH = '/webhooks/service-pay';
const ORDER = JSON.stringify({
  items: [{ sku: 'honey-500', quantity: 1 }],
  customer: { email: 'mary@example.com' },
});
const AMOUNT = '92.50';
const RECONNECT_MS = 200;
const RESPOND_WITHIN_MS = 5_000;
const MOST_WAITS = 30;
const SENT_AGAIN_FOR_MS = 30_000;

/** One webhook to one shop: the same bytes twice are two of these. */
export interface Delivery {
  id: string;
  reference: string;
  body: string;
  isAcknowledged: boolean;
}

/**
 * Everyone who calls the shop: browsers that order and verify, and the service that posts webhooks.
 */
export class Shopping {
  readonly #pools: readonly Pool[];
  readonly #random: Random;
  readonly #acknowledgements = new EventEmitter();
  #orders = 0;

  constructor(port: number | readonly number[], random: Random) {
    this.#pools = [port]
      .flat()
      .map((each) => new Pool(`http://localhost:${each}`, { connections: 512 }));
    this.#random = random;
  }

  async order(): Promise<PlacedOrder> {
    const address = this.#ownAddress();
    const headers = { 'content-type': 'application/json', ...from(address) };
    const { json, cookie } = await this.#insist('/api/orders', headers, ORDER, 201);
    return { reference: json.data.reference, cookie, address };
  }

  /**
   * Begins a second payment of an order. There is none while the first may succeed, so the first
   * must have been taken for failed.
   */
  async retry(
    database: Database,
    { reference, cookie, address }: PlacedOrder,
  ): Promise<PlacedOrder> {
    await database.write(
      `update service_pay_payments set state = 'failed' where reference = '${reference}' and state = 'awaiting-payment'`,
    );
    const { json } = await this.#insist(
      `/api/payments/${reference}/retry`,
      { cookie, ...from(address) },
      undefined,
      201,
      200,
    ); // 200: there since a shop that died
    if (json.data.reference === reference)
      throw new Error(`${reference} is still open: there is no second payment.`);
    return { reference: json.data.reference, cookie, address };
  }

  /** Returns the status that the page gets, or undefined if it is not known yet. */
  async verify({ reference, cookie, address }: PlacedOrder): Promise<string | undefined> {
    const { httpStatus, json } = await this.#post(
      `/api/payments/${reference}/verify`,
      { cookie, ...from(address) },
      undefined,
    );
    return httpStatus === 200 ? json.data.status : undefined;
  }

  /**
   * Watches a payment's event stream as a page does, reconnecting when it ends, until it shows this
   * status. Rejects when `signal` aborts.
   */
  async untilShown(
    { reference, cookie, address }: PlacedOrder,
    status: string,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/api/payments/${reference}/events`;
    for (;;) {
      const response = await this.#any()
        .request({ path, method: 'GET', headers: { cookie, ...from(address) }, signal })
        .catch(() => undefined);
      const isShown =
        response && (await readUntil(response.body, `"status":"${status}"`).catch(() => false));
      if (isShown) return;
      signal.throwIfAborted();
      await pause(RECONNECT_MS);
    }
  }

  /**
   * Sends webhooks as the service does, each until it is acknowledged, but with shorter pauses.
   * `before` runs before the first attempt of each. Stops early when `signal` aborts. Returns the
   * responses that no retry can fix.
   */
  async deliver(
    deliveries: Delivery[],
    { atOnce = 32, before, signal }: DeliverOptions = {},
  ): Promise<string[]> {
    const rejections: string[] = [];
    let next = 0;
    const sendNext = async () => {
      while (next < deliveries.length && !signal?.aborted) {
        const delivery = deliveries[next++]!;
        await before?.(delivery);
        while (!delivery.isAcknowledged && !signal?.aborted) {
          const httpStatus = await this.postWebhook(delivery.body).catch(() => undefined);
          if (httpStatus === 200) {
            delivery.isAcknowledged = true;
            this.#acknowledgements.emit('one');
          } else if (httpStatus !== undefined && httpStatus < 500) {
            rejections.push(`a webhook got ${httpStatus}`);
            break;
          } else await pause(this.#random.between(10, 60));
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
    return rejections;
  }

  /** Resolves with the next acknowledgement, or after this time without one. */
  async untilAcknowledged(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    await once(this.#acknowledgements, 'one', { signal }).catch(() => {});
  }

  async postWebhook(body: string): Promise<number> {
    return (await this.send(body)).httpStatus;
  }

  async send(body: string): Promise<Pick<ShopResponse, 'httpStatus' | 'requestId'>> {
    const signature = signWebhook(body, TOKEN);
    return this.#post(WEBHOOK_PATH, { 'x-servicepay-signature': signature }, body);
  }

  /**
   * Sends one webhook as `send` does, and again for up to half a minute after a 503 or no response.
   */
  async sendUntilReceived(body: string): Promise<Pick<ShopResponse, 'httpStatus' | 'requestId'>> {
    for (const began = performance.now(); ; await pause(this.#random.between(10, 60))) {
      const isLast = performance.now() - began > SENT_AGAIN_FOR_MS;
      const response = await this.send(body).catch((error: Error) => {
        if (isLast) throw error;
      });
      if (response && (isLast || response.httpStatus !== 503)) return response;
    }
  }

  async untilAlive(): Promise<void> {
    for (;;) {
      const response = await this.#any()
        .request({ path: '/healthz', method: 'GET' })
        .catch(() => undefined);
      await response?.body.dump();
      if (response?.statusCode === 200) return;
      await pause(5);
    }
  }

  close(): Promise<void> {
    return Promise.all(this.#pools.map((pool) => pool.destroy())).then(() => {});
  }

  /**
   * Returns one of so many addresses that none reaches a limit, and so few that a shop that
   * remembers each for an hour does not seem to leak (F15).
   */
  #ownAddress(): string {
    const number = this.#orders++;
    return `10.0.${(number >> 4) & 255}.${number & 15}`;
  }

  #any(): Pool {
    return this.#pools[this.#random.below(this.#pools.length)]!;
  }

  /**
   * Retries until the status is an expected one: shops die under these requests. Waits as long as a 429
   * says.
   */
  async #insist(
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    ...expected: number[]
  ): Promise<ShopResponse> {
    for (let waits = 0; ; ) {
      const response = await this.#post(path, headers, body).catch(() => undefined);
      if (response && expected.includes(response.httpStatus)) return response;
      if (response?.httpStatus === 429 && ++waits <= MOST_WAITS) await pause(response.retryAfterMs);
      else if (response && response.httpStatus < 500)
        throw new Error(`${path} got ${response.httpStatus}: ${response.json?.message}`);
      else await pause(this.#random.between(10, 60));
    }
  }

  async #post(
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): Promise<ShopResponse> {
    const signal = AbortSignal.timeout(RESPOND_WITHIN_MS);
    const {
      statusCode,
      headers: received,
      body: content,
    } = await this.#any().request({ path, method: 'POST', headers, body: body ?? null, signal });
    const text = await content.text();
    const json = text.startsWith('{') ? JSON.parse(text) : undefined;
    return {
      httpStatus: statusCode,
      requestId: String(received['x-request-id']),
      retryAfterMs: Number(received['retry-after'] ?? 0) * 1_000,
      json,
      cookie: String(received['set-cookie']).split(';')[0]!,
    };
  }
}

interface DeliverOptions {
  atOnce?: number;
  before?: (delivery: Delivery) => Promise<void>;
  signal?: AbortSignal;
}

interface ShopResponse {
  httpStatus: number;
  requestId: string;
  retryAfterMs: number;
  json: any;
  cookie: string;
}

export function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address };
}

async function readUntil(stream: AsyncIterable<Buffer>, text: string): Promise<boolean> {
  let read = '';
  for await (const chunk of stream) {
    read += chunk;
    if (read.includes(text)) return true;
  }
  return false;
}

export async function pay(
  sandbox: Sandbox,
  reference: string,
  { notify = false } = {},
): Promise<void> {
  await sandbox.control.putCollection({ reference, amount: AMOUNT, notify });
}

export function makeDelivery(reference: string, event = 'collection.successful'): Delivery {
  const body = JSON.stringify({
    event,
    data: { reference, status: 'successful', amount: AMOUNT, currency: 'ZMW' },
  });
  return {
    id: createHash('sha256').update(body).digest('hex'),
    reference,
    body,
    isAcknowledged: false,
  };
}
