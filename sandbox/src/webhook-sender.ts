import { randomUUID } from 'node:crypto';
import { ACKNOWLEDGING_STATUSES, type EventName, SIGNATURE_HEADER, WEBHOOK_RETRY } from '@service-pay/contract/webhook';
import { Agent, request } from 'undici';

import { type Clock, isDoneWithin, realTimeMs } from './clock.ts';
import type { History } from './history.ts';
import type { Merchants } from './merchants.ts';
import { Turnstile } from './turnstile.ts';
import { signWebhook } from './webhook-signature.ts';

/** One try to deliver: what the receiver answered, or why it gave no answer. `at` is the sandbox's time, `tookMs` real. */
export interface DeliveryAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly body: string;
  readonly error: string | null;
  readonly tookMs: number;
}

/** One event on its way to one address (D40–D42). `dropped` was lost on purpose, by a fault. */
export interface Delivery {
  readonly id: string;
  readonly event: EventName;
  readonly merchant: string;
  readonly reference: string;
  readonly url: string;
  readonly createdAt: string;
  readonly body: string;
  status: 'waiting' | 'acknowledged' | 'given-up' | 'dropped';
  nextAttemptAt: string | null;
  readonly attempts: DeliveryAttempt[];
}

/** What a sender is made of. `isDropped` decides, once per delivery, whether it is lost on its way. */
export interface WebhookSenderDeps {
  clock: Clock;
  history: History;
  merchants: Merchants;
  isDropped: () => boolean;
}

/** How much of a receiver's answer is kept. */
const MOST_ANSWER_BYTES = 64 * 1024;

/** Deliveries on their way to one address at once: what is due together must not take every connection a machine has. */
const MOST_AT_ONCE = 64;

/** Signs events, delivers them to merchants and tries again until they are acknowledged or a day is over, on the sandbox's clock. */
export class WebhookSender {
  readonly #clock: Clock;
  readonly #history: History;
  readonly #merchants: Merchants;
  readonly #isDropped: () => boolean;
  /** No connection is kept: a receiver that restarted meanwhile is not asked over a dead one. */
  readonly #agent = new Agent({ pipelining: 0, allowH2: false });
  readonly #underWay = new Set<Promise<void>>();
  readonly #turnstiles = new Map<string, Turnstile>();
  #deliveries: Delivery[] = [];
  #stop = new AbortController();

  constructor({ clock, history, merchants, isDropped }: WebhookSenderDeps) {
    this.#clock = clock;
    this.#history = history;
    this.#merchants = merchants;
    this.#isDropped = isDropped;
  }

  /** Sends an event about a collection, as it is now, where the merchant wants that event and has an address. */
  notify(merchantKey: string, event: EventName, collection: object): void {
    const merchant = this.#merchants.find(merchantKey);
    if (!merchant?.webhookUrl || !merchant.events.includes(event)) return;
    const delivery: Delivery = {
      id: randomUUID(),
      event,
      merchant: merchantKey,
      reference: (collection as { reference: string }).reference,
      url: merchant.webhookUrl,
      createdAt: this.#clock.timestamp(),
      body: JSON.stringify({ event, data: collection }),
      status: 'waiting',
      nextAttemptAt: null,
      attempts: [],
    };
    this.#deliveries.push(delivery);
    this.#tell(delivery, `The webhook ${event} is to be delivered.`);
    if (this.#isDropped()) {
      delivery.status = 'dropped';
      this.#tell(delivery, `The webhook ${event} was lost on its way: a fault that was switched on.`);
    } else {
      this.#plan(delivery, this.#clock.now());
    }
  }

  /** Every delivery since the last reset, oldest first. */
  list(): readonly Delivery[] {
    return this.#deliveries;
  }

  /** Waits until what is under way now has its answer, at most `ms` of real time; tells whether it has. */
  isQuietWithin(ms: number): Promise<boolean> {
    return isDoneWithin(Promise.all(this.#underWay), ms);
  }

  /** Forgets every delivery and cuts off those under way. */
  reset(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#deliveries = [];
    this.#turnstiles.clear();
  }

  async close(): Promise<void> {
    this.reset();
    await this.#agent.destroy();
  }

  #plan(delivery: Delivery, at: number): void {
    delivery.nextAttemptAt = this.#clock.timestamp(at);
    this.#clock.schedule(at, () => {
      const work = this.#deliver(delivery).finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
      return work;
    });
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const stopped = this.#stop.signal;
    const sentAt = this.#clock.now();
    delivery.nextAttemptAt = null;
    const attempt = await this.#turnstileFor(delivery.url).pass(() => this.#send(delivery, sentAt, stopped));
    if (stopped.aborted) return;
    delivery.attempts.push(attempt);
    const nextAt = sentAt + WEBHOOK_RETRY.everyMs;
    const tried = `The webhook ${delivery.event} was sent (attempt ${delivery.attempts.length})`;
    if (!attempt.error) {
      delivery.status = 'acknowledged';
      this.#tell(delivery, `${tried} and acknowledged with ${attempt.status}.`);
    } else if (nextAt - Date.parse(delivery.attempts[0]!.at) <= WEBHOOK_RETRY.forMs) {
      this.#plan(delivery, nextAt);
      this.#tell(delivery, `${tried} and not acknowledged. ${attempt.error} It is tried again at ${delivery.nextAttemptAt}.`);
    } else {
      delivery.status = 'given-up';
      this.#tell(delivery, `${tried} and given up on, after a day of attempts. ${attempt.error}`);
    }
  }

  #tell({ id, event, merchant, reference, status, attempts, nextAttemptAt }: Delivery, summary: string): void {
    const detail = { id, event, status, attempt: attempts.length, answer: attempts.at(-1)?.status ?? null, nextAttemptAt };
    this.#history.record({ kind: 'delivery', merchant, reference, summary, detail });
  }

  #turnstileFor(url: string): Turnstile {
    const turnstile = this.#turnstiles.get(url) ?? new Turnstile(MOST_AT_ONCE);
    this.#turnstiles.set(url, turnstile);
    return turnstile;
  }

  async #send({ url, body, merchant }: Delivery, sentAt: number, stopped: AbortSignal): Promise<DeliveryAttempt> {
    const startedAt = realTimeMs();
    const deadline = AbortSignal.timeout(WEBHOOK_RETRY.answerWithinMs);
    let status: number | null = null;
    let text = '';
    let error: string | null = null;
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'ServicePay-Webhooks/1',
          [SIGNATURE_HEADER]: signWebhook(body, this.#merchants.find(merchant)?.apiToken ?? ''),
        },
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.any([deadline, stopped]),
      });
      status = answer.statusCode;
      text = await readStart(answer.body);
      if (!ACKNOWLEDGING_STATUSES.includes(status)) error = `Answered ${status}, which does not acknowledge: 200, 201 or 202 do.`;
    } catch (cause) {
      error = deadline.aborted
        ? `No whole answer within ${WEBHOOK_RETRY.answerWithinMs / 1000} s.`
        : `Could not be delivered: ${(cause as NodeJS.ErrnoException).code ?? 'the connection failed'}.`;
    }
    return { at: this.#clock.timestamp(sentAt), status, body: text, error, tookMs: Math.round(realTimeMs() - startedAt) };
  }
}

async function readStart(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_ANSWER_BYTES).toString();
}
