import {
  type Attempt,
  type CreateAttempt,
  type Network,
  type Session,
  type SessionGrant,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import {
  type CheckoutCall,
  enterOneTimeCode,
  openSession,
  readSession,
  requestOf,
  startAttempt,
  withdrawAttempt,
} from '@service-pay/contract/checkout-calls';
import { type Collection, collectionSchema } from '@service-pay/contract/collection';
import { readPaymentOptions } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { exchange, type Limits } from './exchange.ts';
import { mask } from './mask.ts';
import { NotTried, prepare } from './must.ts';
import { NoResponse } from './no-response.ts';
import { type CardOutcome, cardOf, type Numbers, type PhoneOutcome, phoneOf } from './numbers.ts';
import { type CheckedResponse, dataOf, isOver } from './responses.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** A merchant's public key, and its secret API token. */
export interface Credentials {
  readonly key: string;
  readonly token: string;
}

export interface ServiceOptions extends Credentials {
  /** The service's origin. */
  readonly url: string;
  /** An origin registered for the key. */
  readonly origin: string;
  readonly other?: Credentials | undefined;
  readonly numbers: Numbers;
  /** The longest time to wait for something that the service does by itself. */
  readonly patienceMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a signal that aborts after `ms`. */
  readonly deadline: (ms: number) => AbortSignal;
  readonly receiver?: WebhookReceiver | undefined;
}

interface Call extends Partial<Limits> {
  readonly token?: string | undefined;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** An attempt that was started, and what it was started with. */
export interface Started {
  readonly request: PaymentRequest;
  readonly visit: SessionGrant;
  readonly session: Session;
  readonly attempt: Attempt;
}

const USUAL_LIMITS: Limits = { withinMs: 10_000, mostBytes: 2 * 1024 * 1024 };
const POLLS_EVERY_MS = 1_000;
const MOST_SILENT_CALLS = 2;

/** The service that is checked, called as a frame and a merchant's server call it. */
export class Service {
  readonly options: ServiceOptions;
  readonly #secrets: Set<string>;
  #networks: readonly Network[] | undefined;
  #silentCalls = 0;

  constructor(options: ServiceOptions) {
    this.options = options;
    const { token, other, numbers } = options;
    const cards = Object.values(numbers.cards).map((number) => `${number}`);
    // a rule also sends them with one character less
    const tokens = [token, other?.token ?? ''].map((each) => each.slice(0, -1));
    this.#secrets = new Set([...tokens, ...cards]);
  }

  /** True once two calls in a row got no response, so that no rule can be tried. */
  get isSilent(): boolean {
    return this.#silentCalls >= MOST_SILENT_CALLS;
  }

  /** Returns a sentence that may repeat what the service sent, without its secrets. */
  mask(text: string): string {
    return mask(text, this.#secrets);
  }

  async call(method: string, path: string, { token, body, headers, ...limits }: Call = {}) {
    const request = {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
    return this.#exchange(path, request, limits);
  }

  /** Sends what the popup sends, with the headers that its browser adds. */
  send(
    call: CheckoutCall,
    token?: string,
    headers: Record<string, string> = {},
  ): Promise<CheckedResponse> {
    const request = requestOf(call, token);
    const isPost = request.method === 'POST';
    const ofBrowser = {
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'cors',
      'Sec-Fetch-Dest': 'empty',
      ...(isPost && { Origin: this.options.url }),
    };
    const sent = { ...request, headers: { ...request.headers, ...ofBrowser, ...headers } };
    return this.#exchange(call.path, sent, { withinMs: call.withinMs });
  }

  async #exchange(
    path: string,
    request: RequestInit,
    limits: Partial<Limits>,
  ): Promise<CheckedResponse> {
    const { url, deadline } = this.options;
    try {
      const all = { ...USUAL_LIMITS, ...limits };
      const response = await exchange(new URL(path, url), request, all, deadline);
      this.#silentCalls = 0;
      return response;
    } catch (error) {
      if (error instanceof NoResponse) this.#silentCalls += 1;
      throw error;
    }
  }

  /** Returns a page's payment request for a reference that the service has not seen. */
  newRequest(more: Record<string, unknown> = {}): PaymentRequest {
    const reference = `check-${crypto.randomUUID()}`;
    const { key } = this.options;
    const options = { key, email: 'ada@shop.example', reference, amount: 10, ...more };
    return { ...readPaymentOptions(options).request };
  }

  /** Opens a payment. Some rules send a request that no page can make. */
  async openSession(request: object, token?: string): Promise<CheckedResponse> {
    const response = await this.send(openSession(request as PaymentRequest), token);
    const issued = (response.json as { data?: { token?: unknown } } | undefined)?.data?.token;
    if (typeof issued === 'string') this.#secrets.add(issued);
    return response;
  }

  readSession(token: string | undefined): Promise<CheckedResponse> {
    return this.send(readSession(), token);
  }

  startAttempt(token: string, attempt: CreateAttempt): Promise<CheckedResponse> {
    return this.send(startAttempt(attempt), token);
  }

  withdraw(token: string, id: string): Promise<CheckedResponse> {
    return this.send(withdrawAttempt(id), token);
  }

  enterCode(token: string, id: string, code: string): Promise<CheckedResponse> {
    return this.send(enterOneTimeCode(id, code), token);
  }

  verify(reference: string, token: string | undefined = this.options.token, limits: Call = {}) {
    const path = `/access/v2/collections/status/${encodeURIComponent(reference)}`;
    return this.call('GET', path, { ...limits, token });
  }

  list(query: Record<string, string>, token = this.options.token): Promise<CheckedResponse> {
    return this.call('GET', `/access/v2/collections?${new URLSearchParams(query)}`, { token });
  }

  card(outcome: CardOutcome) {
    return { id: crypto.randomUUID(), ...cardOf(this.options.numbers, outcome) };
  }

  async phone(outcome: PhoneOutcome) {
    const networks = this.options.numbers.phones[outcome] ? await this.networks() : [];
    return { id: crypto.randomUUID(), ...phoneOf(this.options.numbers, outcome, networks) };
  }

  // The steps below prepare a rule: it is not tried if they fail.

  /** Returns the networks that a session offers. */
  async networks(): Promise<readonly Network[]> {
    this.#networks ??= (await this.opened()).session.networks; // a failure is not kept
    return this.#networks;
  }

  /** Opens a payment as a frame does; with a token, as a visitor who returns. */
  opened(request: object = this.newRequest(), token?: string): Promise<SessionGrant> {
    return prepare(async () => dataOf(await this.openSession(request, token), sessionGrantSchema));
  }

  /** Opens a payment, starts an attempt and waits until it has the status. */
  async started(input: CreateAttempt, status: string): Promise<Started> {
    const request = this.newRequest();
    const visit = await this.opened(request);
    return { request, visit, ...(await this.attempted(visit, input, status)) };
  }

  /** Starts an attempt and waits until it has the status. */
  async attempted({ token }: SessionGrant, input: CreateAttempt, status: string) {
    const isReached = ({ attempt }: Session) => attempt?.status === status || isOver(attempt);
    const begun = await prepare(async () =>
      dataOf(await this.startAttempt(token, input), sessionSchema),
    );
    const session = isReached(begun) ? begun : await this.sessionUntil(token, isReached);
    const found = session.attempt!.status;
    if (found !== status) throw new NotTried(`The attempt is ${found}, not ${status}.`, true);
    return { session, attempt: session.attempt! };
  }

  /** Reads the session every second until `isReached`, as a frame does. */
  sessionUntil(token: string, isReached: (session: Session) => boolean): Promise<Session> {
    let last = '';
    return this.until(
      () => `The payment stayed ${last}`,
      async () => {
        const session = await prepare(async () =>
          dataOf(await this.readSession(token), sessionSchema),
        );
        last = session.attempt ? `${session.attempt.status}` : session.status;
        return isReached(session) ? session : undefined;
      },
    );
  }

  /** Pays a new order by card and returns the collection. */
  async paid(): Promise<Started & { collection: Collection }> {
    const started = await this.started(this.card('successful'), 'successful');
    const collection = await prepare(async () =>
      dataOf(await this.verify(started.request.reference), collectionSchema),
    );
    return { ...started, collection };
  }

  /** Calls `read` every second until it returns a value. */
  async until<Value>(
    problem: () => string,
    read: () => Promise<Value | undefined>,
  ): Promise<Value> {
    const { patienceMs } = this.options;
    for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += await this.pause(waitedMs)) {
      const value = await read();
      if (value !== undefined) return value;
    }
    throw new NotTried(`${problem()} for ${patienceMs / 60_000} min (--patience).`, true);
  }

  /** Pauses for a second, or longer after a long wait; returns for how long. */
  async pause(waitedMs: number): Promise<number> {
    const pauseMs = Math.max(POLLS_EVERY_MS, waitedMs / 4);
    await this.options.sleep(pauseMs);
    return pauseMs;
  }

  /** Throws `NotTried` if something takes longer than the check may wait. */
  needsPatience(what: string, ms: number): void {
    const minutes = Math.ceil(ms / 60_000) + 1;
    if (ms > this.options.patienceMs)
      throw new NotTried(`${what} takes ${minutes - 1} min: use --patience ${minutes}.`);
  }
}
