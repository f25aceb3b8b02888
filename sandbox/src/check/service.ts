import {
  type Attempt,
  CHECKOUT_PATHS,
  type Session,
  type SessionGrant,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import { type Collection, collectionSchema } from '@service-pay/contract/collection';
import { envelopeSchema, errorEnvelopeSchema } from '@service-pay/contract/envelope';
import { describeMismatch } from '@service-pay/contract/issue-text';
import * as v from 'valibot';
import { must, mustMatch, NotTried, prepare } from './must.ts';
import { type CardOutcome, cardOf, type Numbers, type PhoneOutcome, phoneOf } from './numbers.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

export interface ServiceOptions {
  /** The service's origin. */
  readonly url: string;
  /** The merchant's public key. */
  readonly key: string;
  /** The merchant's secret API token. */
  readonly token: string;
  /** An origin registered for the key. */
  readonly origin: string;
  readonly numbers: Numbers;
  /** The longest time to wait for something that the service does by itself. */
  readonly patienceMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly receiver?: WebhookReceiver | undefined;
}

export interface Answer {
  /** The call and its status, such as `The response to GET /x (HTTP 200)`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** An attempt that was started, and what it was started with. */
export interface Started {
  readonly request: { readonly reference: string };
  readonly visit: SessionGrant;
  readonly session: Session;
  readonly attempt: Attempt;
}

const ANSWERS_WITHIN_MS = 15_000;
const ASKS_EVERY_MS = 1_000;

/** The service that is checked, called as a frame and a merchant's server call it. */
export class Service {
  readonly options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.options = options;
  }

  async call(method: string, path: string, { token, body, headers }: Call = {}): Promise<Answer> {
    const call = `${method} ${path.replace(/\?.*/, '')}`;
    try {
      const response = await fetch(new URL(path, this.options.url), {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { status } = response;
      const text = await response.text();
      const what = `The response to ${call} (HTTP ${status})`;
      return { what, status, headers: response.headers, text, json: readJson(text) };
    } catch (error) {
      const { message, cause } = error as Error;
      must(false, `${call} got no response: ${(cause as Error | undefined)?.message ?? message}.`);
    }
  }

  /** Returns a payment request for a reference that the service has not seen. */
  newRequest(more: Record<string, unknown> = {}) {
    const reference = `check-${crypto.randomUUID()}`;
    return {
      key: this.options.key,
      email: 'ada@shop.example',
      reference,
      amount: '10.00',
      ...more,
    };
  }

  openSession(request: object, token?: string): Promise<Answer> {
    return this.call('POST', CHECKOUT_PATHS.sessions, { body: request, token });
  }

  readSession(token: string | undefined): Promise<Answer> {
    return this.call('GET', CHECKOUT_PATHS.session, { token });
  }

  startAttempt(token: string, attempt: object): Promise<Answer> {
    return this.call('POST', CHECKOUT_PATHS.attempts, { token, body: attempt });
  }

  withdraw(token: string, id: string): Promise<Answer> {
    return this.call('POST', `${CHECKOUT_PATHS.attempts}/${id}/withdrawal`, { token });
  }

  enterCode(token: string, id: string, code: string): Promise<Answer> {
    const path = `${CHECKOUT_PATHS.attempts}/${id}/one-time-code`;
    return this.call('POST', path, { token, body: { code } });
  }

  verify(reference: string): Promise<Answer> {
    const path = `/access/v2/collections/status/${encodeURIComponent(reference)}`;
    return this.call('GET', path, { token: this.options.token });
  }

  list(query: Record<string, string>): Promise<Answer> {
    const path = `/access/v2/collections?${new URLSearchParams(query)}`;
    return this.call('GET', path, { token: this.options.token });
  }

  card(outcome: CardOutcome) {
    return { id: crypto.randomUUID(), ...cardOf(this.options.numbers, outcome) };
  }

  phone(outcome: PhoneOutcome) {
    return { id: crypto.randomUUID(), ...phoneOf(this.options.numbers, outcome) };
  }

  // The steps below prepare a rule: it is not tried if they fail.

  /** Opens a payment as a frame does; with a token, as a visitor who returns. */
  opened(request: object = this.newRequest(), token?: string): Promise<SessionGrant> {
    return prepare(async () => dataOf(await this.openSession(request, token), sessionGrantSchema));
  }

  /** Opens a payment, starts an attempt and waits until it has the status. */
  async started(input: object, status: string): Promise<Started> {
    const request = this.newRequest();
    const visit = await this.opened(request);
    return { request, visit, ...(await this.attempted(visit, input, status)) };
  }

  /** Starts an attempt and waits until it has the status. */
  async attempted({ token }: SessionGrant, input: object, status: string) {
    await prepare(async () => dataOf(await this.startAttempt(token, input), sessionSchema));
    const session = await this.sessionUntil(
      token,
      ({ attempt }) => attempt?.status === status || isOver(attempt),
    );
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

  /** Calls `ask` every second until it returns a value. */
  async until<Value>(problem: () => string, ask: () => Promise<Value | undefined>): Promise<Value> {
    const { patienceMs } = this.options;
    for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += await this.pause(waitedMs)) {
      const value = await ask();
      if (value !== undefined) return value;
    }
    throw new NotTried(`${problem()} for ${patienceMs / 60_000} min (--patience).`, true);
  }

  /** Pauses for a second, or longer after a long wait; returns for how long. */
  async pause(waitedMs: number): Promise<number> {
    const pauseMs = Math.max(ASKS_EVERY_MS, waitedMs / 10);
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

/** Returns the body of a response that worked; names each field that is not as specified. */
export function bodyOf<const Schema extends v.GenericSchema>(
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  const isOk = answer.status === 200 || answer.status === 201;
  must(isOk, `${sayOf(answer)}, expected 200 or 201.`);
  return read(answer, schema);
}

/** Returns the data of a response that worked; names each field that is not as specified. */
export function dataOf<const Schema extends v.GenericSchema>(
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  return bodyOf(answer, envelopeSchema(schema)).data as v.InferOutput<Schema>;
}

/** Throws `RuleBroken` unless the response is this error, such as `401·09`, in the usual envelope. */
export function mustBeError(answer: Answer, expected: string) {
  const [status, errorCode] = expected.split('·');
  must(answer.status === Number(status), `${sayOf(answer)}, expected ${expected}.`);
  const error = read(answer, errorEnvelopeSchema);
  must(error.errorCode === errorCode, `${sayOf(answer)}, expected ${expected}.`);
  return error.data?.problems ?? [];
}

/** Throws `RuleBroken` unless the response has these headers; null means none. */
export function mustHaveHeaders(answer: Answer, expected: Record<string, string | null>): void {
  const found = Object.keys(expected).map((name) => [name, answer.headers.get(name)]);
  mustMatch(answer.what, Object.fromEntries(found), expected);
}

export function isOver(attempt: Attempt | null): boolean {
  return attempt?.status === 'successful' || attempt?.status === 'declined';
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<const Schema extends v.GenericSchema>(
  { what, json }: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, json);
  must(success, success ? '' : describeMismatch(what, issues));
  return output;
}

function sayOf({ what, json }: Answer): string {
  const { errorCode, message } = (json ?? {}) as { errorCode?: unknown; message?: unknown };
  return typeof errorCode === 'string' ? `${what} has errorCode "${errorCode}" (${message})` : what;
}
