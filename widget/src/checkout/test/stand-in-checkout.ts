import type { Attempt, CreateAttempt, Network, Session } from '@service-pay/contract/checkout-api';

import { type Checkout, CheckoutError, type CheckoutErrorCode } from '../flow/client.ts';
import type { Clock } from '../flow/clock.ts';
import type { NewAttempt } from '../flow/new-attempt.ts';
import { type Known, NOTHING_KNOWN, type Service } from '../flow/payment-state.ts';

export const NETWORKS: readonly Network[] = [
  { operator: 'mtn', name: 'MTN', country: 'zm', callingCode: '260', prefixes: ['096', '076'] },
  {
    operator: 'airtel',
    name: 'Airtel',
    country: 'zm',
    callingCode: '260',
    prefixes: ['097', '077'],
  },
  {
    operator: 'zamtel',
    name: 'Zamtel',
    country: 'zm',
    callingCode: '260',
    prefixes: ['095', '075'],
  },
];

export const REQUEST = {
  key: 'pub_demo',
  email: 'mary@example.com',
  reference: 'order-1042',
  amount: '10.00',
  currency: 'ZMW',
};

export const FACTS = { merchantName: 'Demo Shop', isTest: true };

export const CARD: NewAttempt = {
  channel: 'card',
  card: { number: '4242424242424242', expiry: '12/34', securityCode: '123', name: 'Mary Banda' },
};

/** Returns what a frame knows that has the session, or that has had no response without one. */
export function buildKnown(
  { session, ...facts }: Partial<Service> = {},
  others: Partial<Omit<Known, 'service'>> = {},
): Known {
  const service: Service = { ...NOTHING_KNOWN.service, ...facts };
  const time = Date.parse(session?.now ?? '');
  return {
    ...NOTHING_KNOWN,
    service: session ? { waitingSince: time, time, ...service, session } : service,
    ...others,
  };
}

export function buildSession(changes: Partial<Session> = {}): Session {
  return {
    reference: 'order-1042',
    merchantName: 'Demo Shop',
    label: null,
    amount: '10.00',
    fee: '0.00',
    total: '10.00',
    currency: 'ZMW',
    bearer: 'merchant',
    isTest: true,
    channels: ['card', 'mobile-money'],
    networks: [...NETWORKS],
    status: 'open',
    reasonForFailure: null,
    attemptsLeft: 5,
    expiresAt: '2026-11-20T10:30:00.000Z',
    now: '2026-11-20T10:00:00.000Z',
    attempt: null,
    ...changes,
  };
}

export function buildAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    id: 'attempt-1',
    channel: 'card',
    status: 'pending',
    isYours: true,
    reasonForFailure: null,
    expiresAt: null,
    challengeUrl: null,
    prompt: null,
    codesLeft: null,
    ...changes,
  };
}

export function buildPrompt(changes: Partial<Attempt> = {}): Attempt {
  return buildAttempt({
    channel: 'mobile-money',
    status: 'pay-offline',
    expiresAt: '2026-11-20T10:03:00.000Z',
    prompt: { operator: 'mtn', networkName: 'MTN', firstDigits: '096', lastDigits: '1111' },
    ...changes,
  });
}

export function failure(
  code: CheckoutErrorCode,
  ...problems: { path: string; code: string }[]
): CheckoutError {
  return new CheckoutError(code, 'said by the stand-in', {
    problems: problems.map((problem) => ({ message: 'Said by the stand-in.', ...problem })),
  });
}

type Result = Session | CheckoutError | Promise<Session>;

/** A service that returns the next of `responses`, otherwise `session`. */
export class StandInCheckout implements Checkout {
  isReturning = false;
  session: Session = buildSession();
  readonly responses: Record<
    'open' | 'look' | 'submit' | 'sendCode' | 'extend' | 'withdraw',
    Result[]
  > = {
    open: [],
    look: [],
    submit: [],
    sendCode: [],
    extend: [],
    withdraw: [],
  };
  readonly submitted: CreateAttempt[] = [];
  readonly codes: string[] = [];
  readonly withdrawn: string[] = [];
  looks = 0;

  open(): Promise<Session> {
    return this.#respond('open');
  }

  look(): Promise<Session> {
    this.looks += 1;
    return this.#respond('look');
  }

  submit(attempt: CreateAttempt, signal?: AbortSignal): Promise<Session> {
    this.submitted.push(attempt);
    const ended = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(failure('not_known'))),
    );
    return Promise.race([this.#respond('submit'), ended]);
  }

  extend(): Promise<Session> {
    return this.#respond('extend');
  }

  withdraw(attemptId: string): Promise<Session> {
    this.withdrawn.push(attemptId);
    return this.#respond('withdraw');
  }

  sendCode(_attemptId: string, code: string): Promise<Session> {
    this.codes.push(code);
    return this.#respond('sendCode');
  }

  async #respond(call: keyof StandInCheckout['responses']): Promise<Session> {
    const laidDown = this.responses[call].shift();
    const response = await (laidDown ?? this.session);
    if (response instanceof CheckoutError) throw response;
    if (laidDown) this.session = response;
    return response;
  }
}

/** A clock that a test advances. Runs whatever is due, and what follows without waiting. */
export class TestClock implements Clock {
  #now = 0;
  readonly #due = new Map<object, { at: number; act: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const key = {};
    this.#due.set(key, { at: this.#now + ms, act });
    return () => void this.#due.delete(key);
  }

  get waiting(): number {
    return this.#due.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#due].sort(([, one], [, other]) => one.at - other.at);
      if (!next || next[1].at > end) break;
      this.#due.delete(next[0]);
      this.#now = next[1].at;
      next[1].act();
      await settled();
    }
    this.#now = end;
  }
}

/** Resolves after everything that waits for no clock: a macrotask comes after all promises. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Resolves once an element shows what followed from what happened, as far as it waits for no clock. */
export async function settleAll(element: { updateComplete: Promise<unknown> }): Promise<void> {
  for (let times = 0; times < 6; times++) {
    await settled();
    await element.updateComplete;
  }
}
