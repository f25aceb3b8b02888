import { EVENTS } from '@service-pay/contract/webhook';
import { type AliasedExpression, type Kysely, sql } from 'kysely';
import type { Database } from '../database/open.ts';
import { PAYMENT_STATES, type PaymentState, type Tables } from '../database/schema.ts';
import { ASKED_ABOUT_STATES, IS_ASKED_ABOUT } from '../payments/asking-queries.ts';
import type { ShopFigures } from './gauges.ts';

/** Counting ends here: the figures must not cost the more, the more orders the shop has had. */
const MOST_COUNTED = 10_000;

const HOUR_MS = 60 * 60_000;

/** The names that ages go by, each for what is younger and not yet named. */
const AGES = { '5m': 5 * 60_000, '1h': HOUR_MS, '1d': 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS };

/**
 * Statements that tell how the shop is doing. Reads only, each by an index and about 10 000 rows at
 * once.
 */
export class FiguresStore {
  readonly #db: Kysely<Tables>;

  constructor({ db }: Database) {
    this.#db = db;
  }

  async read(now: number): Promise<ShopFigures> {
    const payments = [];
    for (const state of PAYMENT_STATES) payments.push(...(await this.#countPayments(state, now)));
    const overdue = await this.#countOverdue(now);
    const deliveries = await this.#countNotHandled();
    return {
      payments,
      oldestAwaitingMs: await this.#findOldestAwaiting(now),
      overdue: overdue.count,
      overdueMs: ageOf(overdue.first, now),
      deliveriesNotHandled: deliveries.count,
      oldestDeliveryNotHandledMs: ageOf(deliveries.first, now),
      fulfilments: [
        await this.#countFulfilments('waiting', now),
        await this.#countFulfilments('parked', now),
      ],
    };
  }

  /** What waits for a person. */
  async countForPerson(now: number): Promise<{ inReview: number; parked: number }> {
    const inReview = await this.#countPayments('needs-review', now);
    const { count: parked } = await this.#countFulfilments('parked', now);
    return { inReview: inReview.reduce((sum, { count }) => sum + count, 0), parked };
  }

  /** Counts the newest payments in a state by the name of their age. */
  async #countPayments(
    state: PaymentState,
    now: number,
  ): Promise<ShopFigures['payments'][number][]> {
    const whens = Object.entries(AGES).map(
      ([age, upToMs]) => sql`when at > ${now - upToMs} then ${sql.lit(age)}`,
    );
    const some = this.#db
      .selectFrom('service_pay_payments')
      .select('created_at as at')
      .where('state', '=', state)
      .orderBy('created_at', 'desc')
      .limit(MOST_COUNTED)
      .as('some');
    const rows = await this.#db
      .selectFrom(some)
      .select([
        sql<string>`case ${sql.join(whens, sql` `)} else 'older' end`.as('age'),
        (eb) => eb.fn.countAll().as('count'),
      ])
      .groupBy('age')
      .execute();
    return rows.map(({ age, count }) => ({ state, age, count: Number(count) }));
  }

  async #findOldestAwaiting(now: number): Promise<number | undefined> {
    const oldest = await this.#db
      .selectFrom('service_pay_payments')
      .select('created_at')
      .where('state', '=', 'awaiting-payment')
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    return ageOf(oldest?.created_at, now);
  }

  #countOverdue(now: number): Promise<{ count: number; first: number | undefined }> {
    return this.#count(
      this.#db
        .selectFrom('service_pay_payments')
        .select('check_at as at')
        .where(IS_ASKED_ABOUT)
        .where('check_at', '<=', now)
        .orderBy('check_at')
        .limit(MOST_COUNTED)
        .as('some'),
    );
  }

  /**
   * Counts those that announce an end of a payment that is still open. What came for references of
   * somebody else's waits for nobody.
   */
  #countNotHandled(): Promise<{ count: number; first: number | undefined }> {
    return this.#count(
      this.#db
        .selectFrom('service_pay_webhook_deliveries as delivery')
        .select('received_at as at')
        .where('handled_at', 'is', null)
        .where('event', 'in', EVENTS)
        .where(({ eb, selectFrom }) => {
          // Of a state that is looked up PostgreSQL makes no join, for which it would read every
          // open payment there is.
          const state = selectFrom('service_pay_payments')
            .select('state')
            .whereRef('service_pay_payments.reference', '=', 'delivery.reference');
          return eb(state, 'in', ASKED_ABOUT_STATES);
        })
        .limit(MOST_COUNTED)
        .as('some'),
    );
  }

  async #countFulfilments(
    state: 'waiting' | 'parked',
    now: number,
  ): Promise<ShopFigures['fulfilments'][number]> {
    // Spelled out and not bound, so that the index of just these rows is used.
    const isSo =
      state === 'waiting' ? sql<boolean>`state = 'waiting'` : sql<boolean>`state = 'parked'`;
    const { count, first } = await this.#count(
      this.#db
        .selectFrom('service_pay_fulfilments')
        .select('created_at as at')
        .where(isSo)
        .limit(MOST_COUNTED)
        .as('some'),
    );
    return { state, count, oldestMs: ageOf(first, now) };
  }

  /** How many rows a query has, and the earliest time among them, of those that are counted. */
  async #count(
    some: AliasedExpression<{ at: number }, 'some'>,
  ): Promise<{ count: number; first: number | undefined }> {
    const { count, first } = await this.#db
      .selectFrom(some)
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('some.at').as('first')])
      .executeTakeFirstOrThrow();
    return { count: Number(count), first: first === null ? undefined : Number(first) };
  }
}

function ageOf(at: number | undefined, now: number): number | undefined {
  return at === undefined ? undefined : Math.max(0, now - at);
}
