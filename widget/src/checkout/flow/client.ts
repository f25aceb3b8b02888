import {
  CHECKOUT_PATHS,
  type CreateAttempt,
  type MerchantRecord,
  type Network,
  type Session,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import {
  envelopeSchema,
  errorEnvelopeSchema,
  type FieldProblem,
} from '@service-pay/contract/envelope';
import { describeMismatch } from '@service-pay/contract/issue-text';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import type { Clock } from './clock.ts';
import { parseJson } from './parse-json.ts';
import type { TokenStore } from './session-token.ts';

export interface Checkout {
  /** True if this tab has opened this payment before, so that something may be out already. */
  readonly isReturning: boolean;
  /** Creates or resumes the session. */
  open(signal: AbortSignal): Promise<Session>;
  look(signal: AbortSignal): Promise<Session>;
  /**
   * Sends one attempt. Repeated under the same id it is the same attempt, never a second charge.
   */
  submit(attempt: CreateAttempt, signal: AbortSignal): Promise<Session>;
  extend(signal: AbortSignal): Promise<Session>;
  /** Withdraws the prompt of an attempt. Repeated, it gets the same answer (D47). */
  withdraw(attemptId: string, signal: AbortSignal): Promise<Session>;
  sendCode(attemptId: string, code: string, signal: AbortSignal): Promise<Session>;
}

/**
 * `not_known`: no usable answer, so the call may have worked (D14). The others are refusals: of the
 * key or token, the page, the reference (D19), a field, a phone number, anything else.
 */
export type CheckoutErrorCode =
  | 'not_known'
  | 'not_authorized'
  | 'denied'
  | 'reference_used'
  | 'invalid'
  | 'phone_invalid'
  | 'refused';

/**
 * A call to the checkout API that returned no session. `problems` names the fields, for `invalid`
 * and `phone_invalid`.
 */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError';
  readonly code: CheckoutErrorCode;
  readonly problems: readonly FieldProblem[];

  constructor(
    code: CheckoutErrorCode,
    message: string,
    { problems = [], cause }: { problems?: readonly FieldProblem[]; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.problems = problems;
  }
}

/** Timeouts per call. The page itself waits 15 s (D13). */
const DEADLINE_MS = { open: 9_000, look: 8_000, submit: 20_000 } as const;

const CODES: Record<string, CheckoutErrorCode> = {
  '01': 'invalid',
  '04': 'reference_used',
  '09': 'not_authorized',
  '12': 'phone_invalid',
  '13': 'denied',
};

/** Statuses that say nothing about the request itself. */
const UNSAID = [408, 429];

const grantAnswer = envelopeSchema(sessionGrantSchema);
const sessionAnswer = envelopeSchema(sessionSchema);

export interface ClientDeps {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  tokens: TokenStore;
  request: PaymentRequest;
  /**
   * Loads the screens after the first form. The service's first answer is given only once they are
   * here: nothing is sent whose end could not be shown.
   */
  loadScreens: () => Promise<unknown>;
}

export class CheckoutClient implements Checkout {
  readonly isReturning: boolean;
  readonly #deps: ClientDeps;
  #token: string | undefined;
  readonly #printed = new Set<string>();
  /** Sent only when the session is opened, as the logos of networks may be. */
  #merchant: MerchantRecord | undefined;
  #networks: readonly Network[] = [];

  constructor(deps: ClientDeps) {
    this.#deps = deps;
    this.#token = deps.tokens.read();
    this.isReturning = this.#token !== undefined;
  }

  async open(signal: AbortSignal): Promise<Session> {
    const screens = this.#bringScreens();
    const asked = this.#call(
      CHECKOUT_PATHS.sessions,
      grantAnswer,
      DEADLINE_MS.open,
      signal,
      this.#deps.request,
    );
    asked.catch((error: CheckoutError) => this.#tellDeveloper(error));
    // The words for a refusal, too, come with the screens.
    const [answer] = await Promise.all([asked.finally(() => screens), screens]);
    this.#token = answer.data.token;
    this.#deps.tokens.write(answer.data.token);
    this.#merchant = answer.data.session.merchant;
    this.#networks = answer.data.session.networks;
    return answer.data.session;
  }

  async look(signal: AbortSignal): Promise<Session> {
    return this.#callSession(CHECKOUT_PATHS.session, DEADLINE_MS.look, signal);
  }

  async submit(attempt: CreateAttempt, signal: AbortSignal): Promise<Session> {
    return this.#callSession(CHECKOUT_PATHS.attempts, DEADLINE_MS.submit, signal, attempt);
  }

  async extend(signal: AbortSignal): Promise<Session> {
    return this.#callSession(CHECKOUT_PATHS.extension, DEADLINE_MS.look, signal, {});
  }

  async withdraw(attemptId: string, signal: AbortSignal): Promise<Session> {
    const path = `${CHECKOUT_PATHS.attempts}/${encodeURIComponent(attemptId)}/withdrawal`;
    return this.#callSession(path, DEADLINE_MS.look, signal, {});
  }

  async sendCode(attemptId: string, code: string, signal: AbortSignal): Promise<Session> {
    const path = `${CHECKOUT_PATHS.attempts}/${encodeURIComponent(attemptId)}/one-time-code`;
    return this.#callSession(path, DEADLINE_MS.submit, signal, { code });
  }

  async #callSession(
    path: string,
    deadlineMs: number,
    signal: AbortSignal,
    body?: object,
  ): Promise<Session> {
    const { data } = await this.#call(path, sessionAnswer, deadlineMs, signal, body);
    const networks = data.networks.map((network) => ({ ...network, logo: this.#logoOf(network) }));
    const session = { ...data, networks };
    return this.#merchant ? { merchant: this.#merchant, ...session } : session;
  }

  #logoOf({ operator, logo }: Network): string | undefined {
    return logo ?? this.#networks.find((network) => network.operator === operator)?.logo;
  }

  /** Prints why the service refuses to open this payment. The page reports an unknown key itself. */
  #tellDeveloper({ code, message }: CheckoutError): void {
    if (code === 'not_known' || code === 'not_authorized') return;
    const { reference } = this.#deps.request;
    this.#print(`the service refuses to open ${reference}: ${message}`);
  }

  #bringScreens(): Promise<unknown> {
    const { clock, loadScreens } = this.#deps;
    return new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => reject(noAnswer(cause));
      const cancel = clock.after(DEADLINE_MS.open, fail);
      loadScreens().then(resolve, fail).finally(cancel);
    });
  }

  async #call<const Schema extends v.GenericSchema>(
    path: string,
    schema: Schema,
    deadlineMs: number,
    signal: AbortSignal,
    body?: object,
  ): Promise<v.InferOutput<Schema>> {
    const method = body ? 'POST' : 'GET';
    const { ok, status, content } = await this.#exchange(method, path, deadlineMs, signal, body);
    const what = `The response to ${method} ${path} (HTTP ${status})`;
    if (ok) return this.#read(what, schema, content);
    if (status >= 500 || UNSAID.includes(status)) throw noAnswer();
    const { errorCode = '', data, message } = this.#read(what, errorEnvelopeSchema, content);
    throw new CheckoutError(CODES[errorCode] ?? 'refused', message, {
      problems: data?.problems ?? [],
    });
  }

  #read<const Schema extends v.GenericSchema>(
    what: string,
    schema: Schema,
    content: unknown,
  ): v.InferOutput<Schema> {
    const { success, output, issues } = v.safeParse(schema, content);
    if (success) return output;
    this.#print(describeMismatch(what, issues));
    throw noAnswer();
  }

  /** Prints a sentence for the developer, once: a session is polled. */
  #print(sentence: string): void {
    if (!this.#printed.has(sentence)) console.error(`ServicePay: ${sentence}`);
    this.#printed.add(sentence);
  }

  async #exchange(
    method: string,
    path: string,
    deadlineMs: number,
    signal: AbortSignal,
    body: object | undefined,
  ) {
    const deadline = new AbortController();
    const abort = () => deadline.abort();
    const cancel = this.#deps.clock.after(deadlineMs, abort);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#deps.fetch(path, {
        method,
        headers: {
          ...(body && { 'Content-Type': 'application/json' }),
          ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal: deadline.signal,
      });
      const { ok, status } = response;
      return { ok, status, content: parseJson(await response.text()) };
    } catch (cause) {
      throw noAnswer(cause);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
    }
  }
}

function noAnswer(cause?: unknown): CheckoutError {
  return new CheckoutError('not_known', 'The service did not answer.', { cause });
}
