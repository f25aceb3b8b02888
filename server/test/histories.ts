import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Database } from '../src/database/database.ts';
import type { PaymentState } from '../src/database/schema.ts';
import { notKnownYet, PaymentsError } from '../src/errors.ts';
import { buildLog } from '../src/observe/log.ts';
import { Metrics, type Trigger } from '../src/observe/metrics.ts';
import { buildConfirm, type Confirm } from '../src/payments/confirm.ts';
import { PaymentFeed } from '../src/payments/payment-feed.ts';
import { ping } from '../src/payments/ping.ts';
import { PollPlan } from '../src/payments/poll-plan.ts';
import { PaymentStore } from '../src/payments/store.ts';
import type { VerifiedCollection } from '../src/service/client.ts';
import { NoResponseError } from '../src/support/database-failure.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';

const HOUR_MS = 60 * 60_000;
const INSTANCES = 2;
const MOST_TRIES = 10;

export interface ServiceResponse {
  status: 'unknown' | 'no-response' | 'pending' | 'failed' | 'successful' | 'Successful';
  amount: '10.00' | '10' | '9.99';
  currency: 'ZMW' | 'MWK';
}

/**
 * News of a payment by several ways at once, a person's decision, or one more payment of the order.
 */
export type Step =
  | {
      kind: 'news';
      which: number;
      responses: ServiceResponse[];
      triggers: Trigger[];
      hours: number;
    }
  | { kind: 'decision'; which: number; accepts: boolean }
  | { kind: 'retry' };

interface Standing {
  payments: PaymentState[];
  paidBy: number | undefined;
}

const response = fc.record<ServiceResponse>({
  status: fc.constantFrom(
    'unknown',
    'no-response',
    'pending',
    'failed',
    'successful',
    'successful',
    'Successful',
  ),
  amount: fc.constantFrom('10.00', '10.00', '10', '9.99'),
  currency: fc.constantFrom('ZMW', 'ZMW', 'ZMW', 'MWK'),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('news' as const),
      which: fc.nat(3),
      responses: fc.array(response, { minLength: 1, maxLength: 3 }),
      triggers: fc.array(fc.constantFrom<Trigger>('webhook', 'success', 'page', 'due'), {
        minLength: 1,
        maxLength: 5,
      }),
      hours: fc.constantFrom(0, 0, 0, 1, 25),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('decision' as const),
      which: fc.nat(3),
      accepts: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
);

export const histories: fc.Arbitrary<Step[]> = fc.array<Step>(step, { minLength: 1, maxLength: 8 });

export const KNOWN_HISTORIES: readonly Step[][] = [
  [news(0, 'successful'), news(0, 'failed')],
  [news(0, 'failed'), news(0, 'successful')],
  [{ kind: 'retry' }, news(0, 'successful'), news(1, 'successful')],
  [
    { kind: 'retry' },
    news(1, 'successful'),
    news(0, 'successful'),
    { kind: 'decision', which: 0, accepts: true },
  ],
];

function news(which: number, status: ServiceResponse['status']): Step {
  return {
    kind: 'news',
    which,
    responses: [{ status, amount: '10.00', currency: 'ZMW' }],
    triggers: ['webhook'],
    hours: 0,
  };
}

/**
 * Plays histories through the real confirm of two instances on one database. After each step the
 * rows must stand as a model says that is written beside the code and not from it: any order of the
 * responses that were given is allowed, and nothing else.
 */
export class HistoryPlayer {
  readonly #database: Database;
  readonly #Store: typeof PaymentStore;
  readonly #metrics = new Metrics();
  readonly #log = buildLog({
    logLevel: 'silent',
    apiToken: 'unused-token',
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  });

  constructor(database: Database, Store = PaymentStore) {
    this.#database = database;
    this.#Store = Store;
  }

  /**
   * Throws where the rows stand as they must not. A history in which a busy machine's database did
   * not respond in time is played again.
   */
  async play(steps: readonly Step[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#playOnce(steps);
      } catch (error) {
        if (!(error instanceof NoResponseError) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async #playOnce(steps: readonly Step[]): Promise<void> {
    const order = new PlayedOrder(this.#database, this.#Store, this.#metrics, this.#log);
    await order.place();
    let standing: Standing = { payments: ['awaiting-payment'], paidBy: undefined };
    for (const [at, one] of steps.entries()) {
      const allowed = await order.live(one, standing);
      const found = await order.read();
      const match = allowed.find((expected) => JSON.stringify(expected) === JSON.stringify(found));
      if (!match) {
        throw new Error(
          `After step ${at + 1} the rows are ${JSON.stringify(found)}; allowed: ${allowed.map((one) => JSON.stringify(one)).join(' or ')}`,
        );
      }
      standing = match;
    }
  }
}

class PlayedOrder {
  readonly #id = randomUUID();
  readonly #references: string[] = [`${this.#id}-0`];
  readonly #database: Database;
  readonly #clock = new ManualClock();
  readonly #stores: PaymentStore[] = [];
  readonly #confirms: Confirm[] = [];
  /** When each payment was made, or opened again. */
  readonly #openedAt: number[] = [];
  #responses: ServiceResponse[] = [];
  #given: ServiceResponse[] = [];

  constructor(
    database: Database,
    Store: typeof PaymentStore,
    metrics: Metrics,
    log: ReturnType<typeof buildLog>,
  ) {
    this.#database = database;
    for (let instance = 0; instance < INSTANCES; instance++) {
      const store = new Store(database);
      this.#stores.push(store);
      const service = {
        circuit: 'closed' as const,
        lastCall: 'unknown' as const,
        verify: (reference: string) => this.#verify(reference),
      };
      this.#confirms.push(
        buildConfirm({
          store,
          polls: new PollPlan(database),
          service,
          feed: new PaymentFeed(),
          metrics,
          clock: this.#clock,
          log,
        }),
      );
    }
  }

  async place(): Promise<void> {
    const order = {
      id: this.#id,
      owner: 'b',
      data: {},
      amount: '10.00',
      currency: 'ZMW',
    };
    this.#openedAt.push(this.#clock.now());
    await this.#stores[0]!.placeOrder(order, this.#references[0]!, {
      checkAt: this.#clock.now() + 5_000,
      now: this.#clock.now(),
    });
  }

  async live(one: Step, standing: Standing): Promise<Standing[]> {
    if (one.kind === 'retry') return this.#retry(standing);
    const which = one.which % this.#references.length;
    if (one.kind === 'decision') return this.#decide(one, which, standing);
    await this.#clock.advance(2_000 + one.hours * HOUR_MS);
    this.#responses = [...one.responses];
    this.#given = [];
    await this.#settle(
      one.triggers.map((trigger, at) =>
        this.#confirms[at % INSTANCES]!(this.#references[which]!, trigger).catch(onlyNotKnownYet),
      ),
    );
    const openMs = this.#clock.now() - this.#openedAt[which]!;
    return orders(this.#given).map((given) =>
      given.reduce((now, response) => {
        const isReopened = standing.payments[which] !== now.payments[which];
        return afterResponse(now, which, response, isReopened ? 0 : openMs);
      }, standing),
    );
  }

  async read(): Promise<Standing> {
    const { db } = this.#database;
    const payments = await db
      .selectFrom('service_pay_payments')
      .select(['reference', 'state', 'moved_at'])
      .where('order_id', '=', this.#id)
      .execute();
    const fulfilments = await db
      .selectFrom('service_pay_fulfilments')
      .select('reference')
      .where('order_id', '=', this.#id)
      .execute();
    const stateOf = new Map(payments.map(({ reference, state }) => [reference, state]));
    // an expired one that is open again has as much time as a new one
    for (const { reference, moved_at } of payments)
      this.#openedAt[this.#references.indexOf(reference)] = Number(moved_at);
    return {
      payments: this.#references.map((reference) => stateOf.get(reference)!),
      paidBy: fulfilments.length ? this.#references.indexOf(fulfilments[0]!.reference) : undefined,
    };
  }

  async #retry(standing: Standing): Promise<Standing[]> {
    const reference = `${this.#id}-${this.#references.length}`;
    const added = await this.#stores[1]!.addPayment(this.#id, {
      reference,
      checkAt: this.#clock.now() + 5_000,
      now: this.#clock.now(),
    });
    const isRejected = standing.paidBy !== undefined || standing.payments.includes('needs-review');
    if ((typeof added === 'string') !== isRejected)
      throw new Error(
        `a further payment was ${isRejected ? 'added' : added} at ${JSON.stringify(standing)}`,
      );
    if (isRejected) return [standing];
    this.#references.push(reference);
    this.#openedAt.push(this.#clock.now());
    return [{ ...standing, payments: [...standing.payments, 'awaiting-payment'] }];
  }

  async #decide(
    { accepts }: { accepts: boolean },
    which: number,
    standing: Standing,
  ): Promise<Standing[]> {
    const [store, reference, now] = [this.#stores[0]!, this.#references[which]!, this.#clock.now()];
    const done = accepts
      ? await store.accept({ reference, who: 'ann', now })
      : await store.refuse({ reference, who: 'ann', now });
    if (done !== (standing.payments[which] === 'needs-review'))
      throw new Error(`a decision was ${done ? 'taken' : 'not taken'}`);
    if (!done) return [standing];
    const payments = standing.payments.with(which, accepts ? 'paid' : 'refused');
    return [{ payments, paidBy: accepts ? (standing.paidBy ?? which) : standing.paidBy }];
  }

  async #verify(reference: string): Promise<VerifiedCollection | undefined> {
    const response = this.#responses.length > 1 ? this.#responses.shift()! : this.#responses[0]!;
    this.#given.push(response);
    const { status, amount, currency } = response;
    if (status === 'no-response') throw notKnownYet('timeout', 'no response');
    if (status === 'unknown') return undefined;
    return { reference, status, amount, currency, reasonForFailure: null };
  }

  async #settle(confirming: readonly Promise<unknown>[]): Promise<void> {
    let isSettled = false;
    const all = Promise.all(confirming).finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      await this.#clock.advance(250);
      await ping(this.#database); // gives the database its turn
    }
    await all;
  }
}

/** The rules of the states, written a second time and differently (D50–D52, D32). */
function afterResponse(
  standing: Standing,
  which: number,
  { status, amount, currency }: ServiceResponse,
  openMs: number,
): Standing {
  const state = standing.payments[which]!;
  const to = (next: PaymentState, paidBy = standing.paidBy) => ({
    payments: standing.payments.with(which, next),
    paidBy,
  });
  if (state === 'paid' || state === 'refused' || state === 'needs-review') return standing;
  switch (status) {
    case 'unknown':
      return state === 'awaiting-payment' && openMs >= 24 * HOUR_MS ? to('expired') : standing;
    case 'failed':
      return to('failed');
    case 'successful':
      if (amount === '9.99' || currency === 'MWK' || standing.paidBy !== undefined)
        return to('needs-review');
      return to('paid', which);
    case 'no-response':
      return standing;
    default:
      return state === 'expired' ? to('awaiting-payment') : standing;
  }
}

function orders(given: readonly ServiceResponse[]): ServiceResponse[][] {
  if (given.length < 2) return [[...given]];
  return given.flatMap((first, at) =>
    orders(given.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}

function onlyNotKnownYet(error: unknown): void {
  if (!(error instanceof PaymentsError)) throw error;
}
