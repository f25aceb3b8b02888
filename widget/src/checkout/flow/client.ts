import {
  type CreateAttempt,
  type MerchantRecord,
  type Network,
  type Session,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import {
  type CheckoutCall,
  enterOneTimeCode,
  extendSession,
  OPENS_WITHIN_MS,
  openSession,
  readSession,
  requestOf,
  startAttempt,
  withdrawAttempt,
} from '@service-pay/contract/checkout-calls';
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
  /** True if this tab has opened this payment before, so that something may be in flight. */
  readonly isReturning: boolean;
  /** Creates or resumes the session. */
  open(signal: AbortSignal): Promise<Session>;
  look(signal: AbortSignal): Promise<Session>;
  /**
   * Sends one attempt. Repeated under the same id it is the same attempt, never a second charge.
   */
  submit(attempt: CreateAttempt, signal: AbortSignal): Promise<Session>;
  extend(signal: AbortSignal): Promise<Session>;
  /** Withdraws the prompt of an attempt. Repeated, it gets the same response (D47). */
  withdraw(attemptId: string, signal: AbortSignal): Promise<Session>;
  sendCode(attemptId: string, code: string, signal: AbortSignal): Promise<Session>;
}

/**
 * `not_known`: no usable response, so the call may have worked (D14). The others are rejections: of
 * the key or token, the page, the reference (D19), a field, a phone number, anything else.
 */
export type CheckoutErrorCode =
  | 'not_known'
  | 'not_authorized'
  | 'denied'
  | 'reference_used'
  | 'invalid'
  | 'phone_invalid'
  | 'rejected';

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

/** Our codes by the error code of the API. */
export const ERROR_CODES: Record<string, CheckoutErrorCode> = {
  '01': 'invalid',
  '04': 'reference_used',
  '09': 'not_authorized',
  '12': 'phone_invalid',
  '13': 'denied',
};

/** Statuses that say nothing about the request itself. */
const UNSAID = [408, 429];

const grantEnvelope = envelopeSchema(sessionGrantSchema);
const sessionEnvelope = envelopeSchema(sessionSchema);

export interface ClientDeps {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  tokens: TokenStore;
  request: PaymentRequest;
  /**
   * Loads the screens after the first form. The service's first response is returned only once they
   * are here: nothing is sent whose end could not be shown.
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
    const opening = this.#call(openSession(this.#deps.request), grantEnvelope, signal);
    opening.catch((error: CheckoutError) => this.#informDeveloper(error));
    // The words for a rejection, too, come with the screens.
    const [grant] = await Promise.all([opening.finally(() => screens), screens]);
    this.#token = grant.data.token;
    this.#deps.tokens.write(grant.data.token);
    this.#merchant = grant.data.session.merchant;
    this.#networks = grant.data.session.networks;
    return grant.data.session;
  }

  look(signal: AbortSignal): Promise<Session> {
    return this.#callSession(readSession(), signal);
  }

  submit(attempt: CreateAttempt, signal: AbortSignal): Promise<Session> {
    return this.#callSession(startAttempt(attempt), signal);
  }

  extend(signal: AbortSignal): Promise<Session> {
    return this.#callSession(extendSession(), signal);
  }

  withdraw(attemptId: string, signal: AbortSignal): Promise<Session> {
    return this.#callSession(withdrawAttempt(attemptId), signal);
  }

  sendCode(attemptId: string, code: string, signal: AbortSignal): Promise<Session> {
    return this.#callSession(enterOneTimeCode(attemptId, code), signal);
  }

  async #callSession(call: CheckoutCall, signal: AbortSignal): Promise<Session> {
    const { data } = await this.#call(call, sessionEnvelope, signal);
    const networks = data.networks.map((network) => ({ ...network, logo: this.#logoOf(network) }));
    const session = { ...data, networks };
    return this.#merchant ? { merchant: this.#merchant, ...session } : session;
  }

  #logoOf({ operator, logo }: Network): string | undefined {
    return logo ?? this.#networks.find((network) => network.operator === operator)?.logo;
  }

  /** Prints why the service does not open this payment. The page reports an unknown key itself. */
  #informDeveloper({ code, message }: CheckoutError): void {
    if (code === 'not_known' || code === 'not_authorized') return;
    const { reference } = this.#deps.request;
    this.#print(`the service does not open ${reference}: ${message}`);
  }

  #bringScreens(): Promise<unknown> {
    const { clock, loadScreens } = this.#deps;
    return new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => reject(noResponse(cause));
      const cancel = clock.after(OPENS_WITHIN_MS, fail);
      loadScreens().then(resolve, fail).finally(cancel);
    });
  }

  async #call<const Schema extends v.GenericSchema>(
    call: CheckoutCall,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<v.InferOutput<Schema>> {
    const request = requestOf(call, this.#token);
    const { ok, status, content } = await this.#exchange(call, request, signal);
    const what = `The response to ${request.method} ${call.path} (HTTP ${status})`;
    if (ok) return this.#read(what, schema, content);
    if (status >= 500 || UNSAID.includes(status)) throw noResponse();
    const { errorCode = '', data, message } = this.#read(what, errorEnvelopeSchema, content);
    throw new CheckoutError(ERROR_CODES[errorCode] ?? 'rejected', message, {
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
    throw noResponse();
  }

  /** Prints a sentence for the developer, once: a session is polled. */
  #print(sentence: string): void {
    if (!this.#printed.has(sentence)) console.error(`ServicePay: ${sentence}`);
    this.#printed.add(sentence);
  }

  async #exchange({ path, withinMs }: CheckoutCall, request: RequestInit, signal: AbortSignal) {
    const deadline = new AbortController();
    const abort = () => deadline.abort();
    const cancel = this.#deps.clock.after(withinMs, abort);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#deps.fetch(path, {
        ...request,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal: deadline.signal,
      });
      const { ok, status } = response;
      return { ok, status, content: parseJson(await response.text()) };
    } catch (cause) {
      throw noResponse(cause);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
    }
  }
}

function noResponse(cause?: unknown): CheckoutError {
  return new CheckoutError('not_known', 'No usable response.', { cause });
}
