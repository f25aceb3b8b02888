import { randomUUID } from 'node:crypto';
import { type EventName, WEBHOOK_RETRY } from '@service-pay/contract/webhook';
import type { Agent } from 'undici';
import * as v from 'valibot';
import type { Faults } from '../faults/faults.ts';
import type { Scenarios } from '../faults/scenarios.ts';
import { describeTreatment } from '../faults/treatment.ts';
import type { Merchants } from '../payments/merchants.ts';
import { DEFAULT_HISTORY_LIMIT, type History } from '../storage/history.ts';
import type { PaymentName } from '../storage/payment-key.ts';
import type { Records } from '../storage/state.ts';
import type { Clock } from '../time/clock.ts';
import { isDoneWithin } from '../time/real-time.ts';
import { Connections } from './connections.ts';
import {
  type Delivery,
  type KeptAttempt,
  type KeptDelivery,
  keptDeliverySchema,
} from './delivery.ts';
import { DeliveryLog } from './delivery-log.ts';
import { HeldDeliveries } from './delivery-ordering.ts';
import { sendWebhook, showDelivery, signRequest } from './request.ts';

/**
 * `scenarios` decide about a delivery first, then `faults`. `limit` finished deliveries are kept.
 */
export interface WebhookSenderDeps {
  clock: Clock;
  history: History;
  merchants: Merchants;
  faults: Pick<Faults, 'treatWebhook'>;
  scenarios: Pick<Scenarios, 'treatWebhook'>;
  limit?: number | undefined;
}

type NewDelivery = Omit<
  KeptDelivery,
  'id' | 'createdAt' | 'status' | 'dueAt' | 'plan' | 'isHeld' | 'behind' | 'attempts'
>;

const snapshotSchema = v.strictObject({});
const recordsSchema = v.array(keptDeliverySchema);

/**
 * The longest a delivery waits for another, because the next one may never come and settlement
 * takes up to a day.
 */
const LONGEST_HOLDS_MS = { next: 60_000, event: 25 * 60 * 60_000 } as const;

const PLAN = 'delivery';

/**
 * Signs events, delivers them and retries until they are acknowledged or a day has passed, on the
 * sandbox's clock.
 */
export class WebhookSender {
  readonly #clock: Clock;
  readonly #history: History;
  readonly #merchants: Merchants;
  readonly #faults: WebhookSenderDeps['faults'];
  readonly #scenarios: WebhookSenderDeps['scenarios'];
  readonly #log: DeliveryLog;
  readonly #underWay = new Set<Promise<void>>();
  readonly #connections = new Connections();
  readonly #held = new HeldDeliveries();
  #stop = new AbortController();

  constructor({
    clock,
    history,
    merchants,
    faults,
    scenarios,
    limit = DEFAULT_HISTORY_LIMIT,
  }: WebhookSenderDeps) {
    this.#clock = clock;
    this.#history = history;
    this.#merchants = merchants;
    this.#faults = faults;
    this.#scenarios = scenarios;
    this.#log = new DeliveryLog(limit);
    clock.handle(PLAN, (id, plan) => this.#run(id, plan));
  }

  /**
   * Sends an event with the collection as it is now, if the merchant has a URL and wants the event.
   */
  notify(merchantKey: string, event: EventName, collection: object): void {
    const merchant = this.#merchants.find(merchantKey);
    const { reference } = collection as { reference: string };
    const played = this.#scenarios.treatWebhook({ merchant: merchantKey, reference }, event);
    if (!merchant?.webhookUrl || !(played || merchant.events.includes(event))) return;
    const { copies = 0, ...treatment } =
      played ?? this.#held.avoidDeadlock(merchantKey, this.#faults.treatWebhook());
    const delivery = this.#add({
      event,
      merchant: merchantKey,
      reference,
      url: merchant.webhookUrl,
      body: JSON.stringify({ event, data: collection }),
      repeats: null,
      isReplay: false,
      treatment: copies ? { ...treatment, copies } : treatment,
    });
    if (!treatment.drop)
      for (const held of this.#held.letPass(delivery)) this.#log.markChanged(held);
    this.#setOut(delivery);
    for (let copy = 0; copy < copies; copy++)
      this.#setOut(this.#add({ ...delivery, repeats: delivery.id, treatment }));
  }

  list(): Delivery[] {
    return this.#log.all().map(showDelivery);
  }

  listOf(name: PaymentName): Delivery[] {
    return this.#log.about(name).map(showDelivery);
  }

  listOriginals(reference: string | undefined): string[] {
    return this.#log.originals(reference);
  }

  has(id: string): boolean {
    return this.#log.has(id);
  }

  /**
   * Sends deliveries again, one after another or all at once: the same event and body, signed with
   * the current token, to `url` if given. Each is tried once, without faults. Every id
   * must be known.
   */
  async replay(
    ids: readonly string[],
    { url, isInOrder }: { url?: string | undefined; isInOrder: boolean },
  ): Promise<Delivery[]> {
    const stopped = this.#stop.signal;
    const originals = ids.map((id) => this.#log.find(id)!);
    const replays = originals.map((original) =>
      this.#add({
        ...original,
        url: url ?? original.url,
        repeats: original.id,
        isReplay: true,
        treatment: {},
      }),
    );
    if (isInOrder) {
      for (const replay of replays) {
        if (stopped.aborted) break;
        await this.#deliver(replay);
      }
    } else await Promise.all(replays.map((replay) => this.#deliver(replay)));
    return replays.map(showDelivery);
  }

  /**
   * Waits until no delivery is in flight, including those that responses cause, at most `ms` of
   * real time. Returns whether that happened.
   */
  isQuietWithin(ms: number): Promise<boolean> {
    return isDoneWithin(this.#untilQuiet(), ms);
  }

  get records(): Records {
    return this.#log.records;
  }

  snapshot(): object {
    return {};
  }

  restore(data: unknown, deliveries: readonly unknown[]): void {
    v.parse(snapshotSchema, data);
    const kept = v.parse(recordsSchema, deliveries);
    this.reset();
    for (const delivery of kept) {
      // The clock does not plan replays, so one without a response is not sent again.
      if (delivery.isReplay && delivery.status === 'waiting') delivery.status = 'given-up';
      if (delivery.isHeld) this.#held.hold(delivery);
      this.#log.add(delivery);
    }
  }

  reset(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    void this.#connections.closeAll();
    for (const kept of [this.#log, this.#held]) kept.clear();
  }

  async close(): Promise<void> {
    const closed = this.#connections.closeAll();
    this.reset();
    await closed;
  }

  async #untilQuiet(): Promise<void> {
    while (this.#underWay.size) await Promise.all(this.#underWay);
  }

  #add(about: NewDelivery): KeptDelivery {
    const delivery: KeptDelivery = {
      ...about,
      id: randomUUID(),
      createdAt: this.#clock.timestamp(),
      status: 'waiting',
      dueAt: null,
      plan: null,
      isHeld: false,
      behind: null,
      attempts: [],
    };
    this.#log.add(delivery);
    const what = delivery.isReplay ? 'is sent again' : 'is on its way';
    this.#record(
      delivery,
      [`The webhook ${delivery.event} ${what}.`, ...describeTreatment(delivery.treatment)].join(
        ' ',
      ),
    );
    return delivery;
  }

  #setOut(delivery: KeptDelivery): void {
    const { drop, delayMs = 0, waitsFor } = delivery.treatment;
    if (drop) {
      this.#log.end(delivery, 'dropped');
      return;
    }
    if (waitsFor) this.#held.hold(delivery);
    const holdMs = waitsFor ? LONGEST_HOLDS_MS[waitsFor === 'next' ? 'next' : 'event'] : 0;
    this.#plan(delivery, this.#clock.now() + delayMs + holdMs);
  }

  #plan(delivery: KeptDelivery, at: number): void {
    delivery.dueAt = at;
    delivery.plan = this.#clock.plan(at, PLAN, delivery.id);
    this.#log.markChanged(delivery);
  }

  #run(id: string, plan: number): Promise<void> | undefined {
    const delivery = this.#log.find(id);
    if (delivery?.plan !== plan) return undefined;
    const work = this.#deliver(delivery).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
    return work;
  }

  async #deliver(delivery: KeptDelivery): Promise<void> {
    const stopped = this.#stop.signal;
    const sentAt = this.#clock.now();
    delivery.dueAt = null;
    this.#held.release(delivery);
    const connection = this.#connections.to(delivery.url);
    const send = () => this.#send(delivery, sentAt, connection.agent);
    // On a virtual clock, responses count in the order of sending, whichever arrives first, so that
    // the same calls give the same events (T60).
    const isOrdered =
      !delivery.isReplay && (this.#clock.mode === 'virtual' || this.#clock.isAdvancing);
    const sent = connection.queue.add(send);
    if (isOrdered) {
      connection.latest = Promise.allSettled([connection.latest, sent]).then(() => undefined);
      await connection.latest;
    }
    const attempt = await sent;
    if (stopped.aborted) return;
    this.#connections.closeIdle(delivery.url);
    this.#log.addAttempt(delivery, attempt);
    this.#follow(delivery, attempt, sentAt + WEBHOOK_RETRY.everyMs);
    if (delivery.attempts.length > 1) return;
    for (const released of this.#held.releaseBehind(delivery)) {
      this.#clock.callOff(released.plan);
      this.#plan(released, this.#clock.now());
    }
  }

  #follow(delivery: KeptDelivery, { status, error }: KeptAttempt, nextAt: number): void {
    const tried = `The webhook ${delivery.event} was sent (attempt ${delivery.attempts.length})`;
    if (!error) {
      this.#end(delivery, 'acknowledged', `${tried} and acknowledged with ${status}.`);
    } else if (delivery.isReplay) {
      this.#end(
        delivery,
        'given-up',
        `${tried} and not acknowledged. ${error} Replays are tried once.`,
      );
    } else if (nextAt - Date.parse(delivery.attempts[0]!.at) <= WEBHOOK_RETRY.forMs) {
      this.#plan(delivery, nextAt);
      this.#record(
        delivery,
        `${tried} and not acknowledged. ${error} The next attempt is at ${this.#clock.timestamp(nextAt)}.`,
      );
    } else {
      this.#end(delivery, 'given-up', `${tried} and given up after a day of attempts. ${error}`);
    }
  }

  #end(delivery: KeptDelivery, status: KeptDelivery['status'], summary: string): void {
    this.#log.end(delivery, status);
    this.#record(delivery, summary);
  }

  async #send(
    { url, body, merchant, treatment, attempts }: KeptDelivery,
    sentAt: number,
    agent: Agent,
  ): Promise<KeptAttempt> {
    const tamper = attempts.length ? undefined : treatment.tamper;
    const isCut = attempts.length < (treatment.cutFirst ?? 0);
    const signed = signRequest(body, this.#merchants.find(merchant)?.apiToken ?? '', tamper);
    const result = await sendWebhook({ url, ...signed, isCut }, agent);
    const faults = describeTreatment({ ...(tamper && { tamper }), ...(isCut && { cutFirst: 1 }) });
    return {
      at: this.#clock.timestamp(sentAt),
      signature: signed.signature,
      ...(signed.body !== body && { sentBody: signed.body }),
      ...(faults.length && { faults }),
      ...result,
    };
  }

  #record(
    { id, event, merchant, reference, status, attempts, dueAt }: KeptDelivery,
    summary: string,
  ): void {
    const nextAttemptAt = dueAt === null ? null : this.#clock.timestamp(dueAt);
    const detail = {
      id,
      event,
      status,
      attempt: attempts.length,
      answer: attempts.at(-1)?.status ?? null,
      nextAttemptAt,
    };
    this.#history.record({ kind: 'delivery', merchant, reference, summary, detail });
  }
}
