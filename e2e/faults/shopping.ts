import { createHash, createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '@service-pay/sandbox';
import { Pool } from 'undici';

import type { Database } from './databases.ts';
import type { Random } from './random.ts';
import { TOKEN } from './shop-process.ts';

/** The merchant whose shop this is. */
export const PUBLIC_KEY = 'pub_sandbox_demo';

export const WEBHOOK_PATH = '/webhooks/service-pay';
const ORDER = JSON.stringify({
  items: [{ sku: 'honey-500', quantity: 1 }],
  customer: { email: 'mary@example.com' },
});
const AMOUNT = '92.50';
const RECONNECT_MS = 200;
const ANSWER_WITHIN_MS = 5_000;
const MOST_WAITS = 30;
const SENT_AGAIN_FOR_MS = 30_000;
const KEY = createHash('sha256').update(TOKEN).digest('hex');

/** What a browser was given when it ordered. */
export interface PlacedOrder {
  reference: string;
  cookie: string;
  /**
   * Where its customer is. Orders and questions are limited by address, and these customers are
   * many.
   */
  address: string;
}

/** One webhook to one shop: the same bytes twice are two of these. */
export interface Delivery {
  /** What the shop files it under. */
  id: string;
  reference: string;
  body: string;
  isAcknowledged: boolean;
}

/** Everybody who talks to the shop: browsers that order and ask, and the service that tells. */
export class Shopping {
  readonly #pools: readonly Pool[];
  readonly #random: Random;
  readonly #acknowledgements = new EventEmitter();
  #orders = 0;

  /**
   * Where there are several ports, each request goes to one of them, as a balancer would send it.
   */
  constructor(port: number | readonly number[], random: Random) {
    this.#pools = [port]
      .flat()
      .map((each) => new Pool(`http://localhost:${each}`, { connections: 128 }));
    this.#random = random;
  }

  /** Places an order of one pot of honey, in a browser of its own, asked for until it is there. */
  async order(): Promise<PlacedOrder> {
    const address = this.#ownAddress();
    const headers = { 'content-type': 'application/json', ...from(address) };
    const { json, cookie } = await this.#insist('/api/orders', headers, ORDER, 201);
    return { reference: json.data.reference, cookie, address };
  }

  /**
   * Begins a second payment of an order. There is none while the first may succeed, so the first is
   * one that was taken for failed.
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

  /** What the page is told of a payment, or undefined where it is not known yet. */
  async verify({ reference, cookie, address }: PlacedOrder): Promise<string | undefined> {
    const { httpStatus, json } = await this.#post(
      `/api/payments/${reference}/verify`,
      { cookie, ...from(address) },
      undefined,
    );
    return httpStatus === 200 ? json.data.status : undefined;
  }

  /**
   * Watches a payment's event stream as a page does, connecting again when it ends, until it tells
   * this status. Rejects where that takes longer than `signal` allows.
   */
  async untilShown(
    { reference, cookie, address }: PlacedOrder,
    status: string,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `/api/payments/${reference}/events`;
    for (;;) {
      const answer = await this.#any()
        .request({ path, method: 'GET', headers: { cookie, ...from(address) }, signal })
        .catch(() => undefined);
      const isShown =
        answer && (await readUntil(answer.body, `"status":"${status}"`).catch(() => false));
      if (isShown) return;
      signal.throwIfAborted();
      await pause(RECONNECT_MS);
    }
  }

  /**
   * Sends webhooks as the service does, each until it is acknowledged, only with shorter pauses.
   * `before` runs before each one's first try. Ends early where `signal` says so, and gives
   * whatever was answered that no retry mends.
   */
  async deliver(
    deliveries: Delivery[],
    { atOnce = 32, before, signal }: DeliverOptions = {},
  ): Promise<string[]> {
    const refusals: string[] = [];
    let next = 0;
    const sendNext = async () => {
      while (next < deliveries.length && !signal?.aborted) {
        const delivery = deliveries[next++]!;
        await before?.(delivery);
        while (!delivery.isAcknowledged && !signal?.aborted) {
          const httpStatus = await this.tell(delivery.body).catch(() => undefined);
          if (httpStatus === 200) {
            delivery.isAcknowledged = true;
            this.#acknowledgements.emit('one');
          } else if (httpStatus !== undefined && httpStatus < 500) {
            refusals.push(`a webhook was answered ${httpStatus}`);
            break;
          } else await pause(this.#random.between(10, 60));
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
    return refusals;
  }

  /** Resolves with the next acknowledgement, or after so long without one. */
  async untilAcknowledged(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    await once(this.#acknowledgements, 'one', { signal }).catch(() => {});
  }

  /**
   * Sends one webhook once, and gives the status it was answered with. Rejects where there was no
   * answer.
   */
  async tell(body: string): Promise<number> {
    return (await this.send(body)).httpStatus;
  }

  /** The same, and gives the id that the shop gave the request, too. */
  async send(body: string): Promise<Pick<Answer, 'httpStatus' | 'requestId'>> {
    const signature = createHmac('sha512', KEY).update(body).digest('hex');
    return this.#post(WEBHOOK_PATH, { 'x-servicepay-signature': signature }, body);
  }

  /**
   * Sends one webhook as `send` does, again where it is told to come again or hears nothing, for
   * half a minute at most.
   */
  async sendUntilHeard(body: string): Promise<Pick<Answer, 'httpStatus' | 'requestId'>> {
    for (const began = performance.now(); ; await pause(this.#random.between(10, 60))) {
      const isLast = performance.now() - began > SENT_AGAIN_FOR_MS;
      const answer = await this.send(body).catch((error: Error) => {
        if (isLast) throw error;
      });
      if (answer && (isLast || answer.httpStatus !== 503)) return answer;
    }
  }

  /** Resolves once the shop answers that it lives. */
  async untilAlive(): Promise<void> {
    for (;;) {
      const answer = await this.#any()
        .request({ path: '/healthz', method: 'GET' })
        .catch(() => undefined);
      await answer?.body.dump();
      if (answer?.statusCode === 200) return;
      await pause(5);
    }
  }

  close(): Promise<void> {
    return Promise.all(this.#pools.map((pool) => pool.destroy())).then(() => {});
  }

  /**
   * So many that none meets a limit, and so few that a shop that remembers each for an hour does
   * not seem to leak (F15).
   */
  #ownAddress(): string {
    const number = this.#orders++;
    return `10.0.${(number >> 4) & 255}.${number & 15}`;
  }

  #any(): Pool {
    return this.#pools[this.#random.below(this.#pools.length)]!;
  }

  /**
   * Asks again until the status is one that is expected: shops die under these questions. Who is
   * told to wait does.
   */
  async #insist(
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    ...expected: number[]
  ): Promise<Answer> {
    for (let told = 0; ; ) {
      const answer = await this.#post(path, headers, body).catch(() => undefined);
      if (answer && expected.includes(answer.httpStatus)) return answer;
      if (answer?.httpStatus === 429 && ++told <= MOST_WAITS) await pause(answer.retryAfterMs);
      else if (answer && answer.httpStatus < 500)
        throw new Error(`${path} was answered ${answer.httpStatus}: ${answer.json?.message}`);
      else await pause(this.#random.between(10, 60));
    }
  }

  async #post(
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): Promise<Answer> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const {
      statusCode,
      headers: answered,
      body: content,
    } = await this.#any().request({ path, method: 'POST', headers, body: body ?? null, signal });
    const text = await content.text();
    const json = text.startsWith('{') ? JSON.parse(text) : undefined;
    return {
      httpStatus: statusCode,
      requestId: String(answered['x-request-id']),
      retryAfterMs: Number(answered['retry-after'] ?? 0) * 1_000,
      json,
      cookie: String(answered['set-cookie']).split(';')[0]!,
    };
  }
}

interface DeliverOptions {
  atOnce?: number;
  before?: (delivery: Delivery) => Promise<void>;
  signal?: AbortSignal;
}

interface Answer {
  httpStatus: number;
  requestId: string;
  retryAfterMs: number;
  json: any;
  cookie: string;
}

/** As the proxy before the shop says where a request comes from. */
export function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address };
}

/** Reads a stream until a text stands in it, and then leaves it. */
async function readUntil(stream: AsyncIterable<Buffer>, text: string): Promise<boolean> {
  let read = '';
  for await (const chunk of stream) {
    read += chunk;
    if (read.includes(text)) return true;
  }
  return false;
}

/** Lets the service have been paid for a reference, and tell of it where it is asked to. */
export async function pay(
  sandbox: Sandbox,
  reference: string,
  { notify = false } = {},
): Promise<void> {
  await sandbox.control.putCollection({ reference, amount: AMOUNT, notify });
}

/** A webhook of a payment. Another `event` gives other bytes. */
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
