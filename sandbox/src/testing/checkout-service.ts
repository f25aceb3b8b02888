import {
  CHECKOUT_PATHS,
  createAttemptSchema,
  createSessionSchema,
  oneTimeCodeSchema,
} from '@service-pay/contract/checkout-api';
import { ERROR_CODES, type ErrorCode } from '@service-pay/contract/envelope';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { Scenarios } from '../faults/scenarios.ts';
import { ApiError } from '../http/api-error.ts';
import { envelope, errorBody, parseInput } from '../http/responses.ts';
import { readOneTimeCode } from '../payments/instrument.ts';
import { Merchants } from '../payments/merchants.ts';
import { Payments } from '../payments/payments.ts';
import type { Answer, Session, Visit } from '../payments/session.ts';
import { type AttemptLife, findRunning } from '../payments/session-life.ts';
import { respondToOpening, viewSession } from '../payments/session-view.ts';
import { CollectionStore } from '../payments/store.ts';
import { History } from '../storage/history.ts';
import { SteeredClock, type Time } from './steered-clock.ts';

/** A call of the checkout API. */
export interface Call {
  method: string;
  path: string;
  token: string | undefined;
  body: unknown;
}

/**
 * The sandbox's payments and checkout API for one payment, called directly instead of over a network,
 * in a test's own time, with a record of its work.
 */
export class CheckoutService {
  readonly clock: SteeredClock;
  readonly store = new CollectionStore();
  readonly begun: string[] = [];
  charges = 0;
  onBegin = (_id: string) => {};
  readonly #merchants = new Merchants(null);
  readonly #payments: Payments;
  readonly #request: PaymentRequest;

  constructor(time: Time, request: PaymentRequest) {
    this.#request = request;
    this.clock = new SteeredClock(time);
    const history = new History({ clock: this.clock, limit: 1 });
    this.#payments = new Payments({
      clock: this.clock,
      history,
      scenarios: new Scenarios({ clock: this.clock, history }),
      store: this.store,
      merchants: this.#merchants,
      notify: (_merchant, event) => {
        if (event === 'collection.successful') this.charges += 1;
      },
    });
  }

  get session(): Session | undefined {
    return this.store.findSession({
      merchant: this.#request.key,
      reference: this.#request.reference,
    });
  }

  get running(): AttemptLife | undefined {
    return this.session && findRunning(this.session.life);
  }

  respond({ method, path, token, body }: Call): { status: number; content: unknown } {
    try {
      const [status, data] = this.#route(`${method} ${path}`, token, body);
      return { status, content: envelope(data) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const content = errorBody(error);
      return {
        status: ERROR_CODES[(content as { errorCode: ErrorCode }).errorCode].httpStatus,
        content,
      };
    } finally {
      for (const { id } of this.session?.attempts ?? []) {
        if (this.begun.includes(id)) continue;
        this.begun.push(id);
        this.onBegin(id);
      }
    }
  }

  /** Opens the payment as a stranger who knows only key, reference and amount. */
  openAsStranger(): void {
    this.respond({
      method: 'POST',
      path: CHECKOUT_PATHS.sessions,
      token: undefined,
      body: this.#request,
    });
  }

  answerOut(answer: Answer): void {
    const attempt = this.session?.attempts.at(-1);
    if (this.running?.status === 'pay-offline')
      this.#payments.answerPrompt(attempt!.phone!.national, answer, {
        reference: this.#request.reference,
      });
    else if (this.running && attempt?.challenge)
      this.#payments.answerChallenge(attempt.challenge, answer);
  }

  #route(route: string, token: string | undefined, body: unknown): [status: number, data: unknown] {
    if (route === `POST ${CHECKOUT_PATHS.sessions}`) {
      const wanted = parseInput(createSessionSchema, body);
      const opened = this.#payments.sessions.open(wanted, token);
      const merchant = this.#merchants.get(wanted.key);
      const { status, grant } = respondToOpening(opened, merchant, this.clock);
      return [status, grant];
    }
    const visit = token === undefined ? undefined : this.store.visits.find(token);
    if (!visit) throw new ApiError('token_rejected', 'No such token.');
    if (route === `POST ${CHECKOUT_PATHS.attempts}`)
      this.#payments.attempt(visit, parseInput(createAttemptSchema, body));
    else if (route === `POST ${CHECKOUT_PATHS.extension}`) this.#payments.sessions.extend(visit);
    else if (route.endsWith('/one-time-code')) {
      this.#payments.enterCode(
        visit,
        route.split('/').at(-2)!,
        readOneTimeCode(parseInput(oneTimeCodeSchema, body, 'code-invalid')),
      );
    } else if (route.endsWith('/withdrawal')) {
      this.#payments.withdraw(visit, route.split('/').at(-2)!);
    } else if (route !== `GET ${CHECKOUT_PATHS.session}`)
      throw new ApiError('not_found', 'No such route.');
    return [200, this.#view(visit)];
  }

  #view(visit: Visit): unknown {
    return viewSession(visit, this.#merchants.get(visit.session.merchant), this.clock);
  }
}
