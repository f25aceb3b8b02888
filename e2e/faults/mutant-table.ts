import { SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import type { WebhookRequest } from '@service-pay/server';
import { sql } from 'kysely';

/** A source file, and its wrong exports, made from the right ones. */
interface Mutant {
  file: string;
  spoil(sound: any): Record<string, any>;
}

type Given = any[];
type Aged = { ageMs: number; lastPauseMs: number };

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
const LARGEST_BODY = 64 * 1024;
const PAYMENTS = 'server/src/payments/store.ts';
const POLL_PLAN = 'server/src/payments/poll-plan.ts';
const FULFILMENTS = 'server/src/fulfilment/store.ts';
const CLIENT = 'server/src/service/client.ts';

/** Each has one mistake. */
export const MUTANTS: Record<string, Mutant> = {
  /** Says that a delivery is stored, then stores it. */
  'acknowledges-first': store((Sound) => ({
    PaymentStore: class extends Sound {
      async storeDelivery(...given: Given) {
        setImmediate(() => super.storeDelivery(...given).catch(() => {}));
        return true;
      }
    },
  })),
  /** Accepts a response for another payment. */
  'believes-another-response': client(async (error, reference, { settings }) => {
    if (error.reason !== 'garbled') throw error;
    const body = await fetch(`${settings.apiUrl}/access/v2/collections/status/${reference}`, {
      headers: { authorization: `Bearer ${settings.apiToken}` },
      signal: AbortSignal.timeout(1_000),
    })
      .then((response) => response.json() as any)
      .catch(() => undefined);
    if (!body?.data || body.data.reference === reference) throw error;
    return body.data;
  }),
  /** Stops polling a payment that is a day old. */
  'gives-up-after-a-day': pollPlan((Sound) => ({
    PollPlan: class extends Sound {
      async claimDue({ plan, ...claim }: { plan: (one: Aged) => object }) {
        const planWrongly = (one: Aged) =>
          one.ageMs >= DAY_MS ? { claimMs: 1_000 * DAY_MS, pauseMs: one.lastPauseMs } : plan(one);
        const due = await super.claimDue({ ...claim, plan: planWrongly });
        return due.filter(({ ageMs }: { ageMs: number }) => ageMs < DAY_MS);
      }
    },
  })),
  /** Claims for an hour, even if it dies. */
  'holds-for-an-hour': fulfilments((Sound) => ({
    FulfilmentStore: class extends Sound {
      claim(lease: object) {
        return super.claim({ ...lease, leaseMs: HOUR_MS });
      }

      renew(leases: object[], lease: object) {
        return super.renew(leases, { ...lease, leaseMs: HOUR_MS });
      }
    },
  })),
  /** Never times out a request that is arriving. */
  'holds-slow-connections': {
    file: 'server/src/express/http-server.ts',
    spoil: (sound) => ({
      buildHttpServer(...given: Given) {
        const http = sound.buildHttpServer(...given);
        return Object.assign(http, {
          server: Object.assign(http.server, { headersTimeout: 0, requestTimeout: 0 }),
        });
      },
    }),
  },
  /** Never frees the body of a webhook. */
  'keeps-webhooks': payments((receive) => {
    const kept: Buffer[] = [];
    return (request) => {
      kept.push(Buffer.alloc(LARGEST_BODY));
      return receive(request);
    };
  }),
  /** Does not rate-limit log lines. */
  'logs-each': {
    file: 'server/src/support/clock.ts',
    spoil: () => ({ buildThrottle: () => () => true }),
  },
  /** Marks an order as fulfilled when it is claimed, before the call. */
  'marks-first': fulfilments((Sound) => ({
    FulfilmentStore: class extends Sound {
      async claim(lease: { owner: string; now: number }) {
        const { owner, now } = lease;
        const claimed = await super.claim(lease);
        for (const held of claimed)
          await this.release(held, owner, { state: 'done', done_at: now });
        return claimed;
      }
    },
  })),
  /** Reads whether an order is paid before it writes, without a lock. */
  'reads-first': store((Sound) => ({
    PaymentStore: class extends Sound {
      readonly #database: any;

      constructor(database: any) {
        super(database);
        this.#database = database;
      }

      async markPaid(reference: string, now: number) {
        const { db, write } = this.#database;
        const { orderId } = await this.findPayment(reference);
        const paid = await sql`select 1 from service_pay_fulfilments where order_id = ${orderId}`
          .execute(db)
          .then(({ rows }) => rows.length > 0);
        const state = paid ? 'needs-review' : 'paid';
        const review = paid ? 'order already paid' : null;
        await write((trx: any) =>
          sql`update service_pay_payments set state = ${state}, moved_at = ${now}, review_reason = ${review}
            where reference = ${reference}`.execute(trx),
        );
        if (!paid)
          await write((trx: any) =>
            sql`insert into service_pay_fulfilments (order_id, reference, state, attempts, due_at,
                lease_version, lease_until, created_at)
              values (${orderId}, ${reference}, 'waiting', 0, ${now}, 0, 0, ${now})
              on conflict (order_id) do update set reference = excluded.reference, state = 'waiting'`.execute(
              trx,
            ),
          );
        return state;
      }
    },
  })),
  /** Relies on webhooks. */
  'reconciles-never': {
    file: 'server/src/payments/reconciler.ts',
    spoil: ({ Reconciler: Sound }) => ({
      Reconciler: class extends Sound {
        start() {
          return () => {};
        }
      },
    }),
  },
  /** Repeats each call that failed, however many fail. */
  'repeats-calls': client((error, reference, { settings, circuit, build }) => {
    const mayHelp = error.reason === 'unreachable' || error.reason === 'busy';
    if (circuit === 'open' || !mayHelp) throw error;
    const again = build(settings); // has not repeated any call yet
    return again.verify(reference).finally(() => again.close());
  }),
  /** Lets SQLite sync now and then, not with each commit. */
  'syncs-seldom': sqlite('pragma synchronous = normal'),
  /** Records a result without checking who holds the order now. */
  'takes-late-writes': fulfilments((Sound) => ({
    FulfilmentStore: class extends Sound {
      readonly #database: any;

      constructor(database: any) {
        super(database);
        this.#database = database;
      }

      async release(held: { orderId: string }, _owner: string, values: object) {
        await this.#database.write((trx: any) =>
          trx
            .updateTable('service_pay_fulfilments')
            .set({ ...values, lease_owner: null, lease_until: 0 })
            .where('order_id', '=', held.orderId)
            .execute(),
        );
        return true;
      }
    },
  })),
  /** Treats a payment as failed when the circuit is open. */
  'takes-no-response-for-failed': client((error, reference, { circuit }) => {
    if (circuit !== 'open' || error.reason !== 'unreachable') throw error;
    return { reference, status: 'failed', amount: '92.50', currency: 'ZMW' };
  }),
  /** Accepts every well-formed signature. */
  'takes-the-forged': {
    file: 'contract/src/webhook-signature.ts',
    spoil: () => ({
      isSignatureOf: (_rawBody: unknown, signature: unknown) =>
        SIGNATURE_PATTERN.test(String(signature)),
    }),
  },
  /** Waits for the service without a timeout. */
  'waits-for-a-response': {
    file: CLIENT,
    spoil: ({ buildServiceClient }) => ({
      buildServiceClient: (settings: object) =>
        buildServiceClient({ ...settings, deadlineMs: HOUR_MS }),
    }),
  },
  /** Waits for the database without a timeout. */
  'waits-for-its-database': {
    file: 'server/src/database/open.ts',
    spoil: ({ openDatabase }) => ({
      openDatabase: (place: unknown, options?: object) =>
        openDatabase(place, { ...options, respondWithinMs: 60_000 }),
    }),
  },
  /** Lets SQLite wait for a lock, which blocks the whole process. */
  'waits-in-sqlite': sqlite('pragma busy_timeout = 5000'),
};

type AnyClass = new (...given: any[]) => any;

function store(spoil: (Sound: AnyClass) => object): Mutant {
  return { file: PAYMENTS, spoil: ({ PaymentStore }) => ({ ...spoil(PaymentStore) }) };
}

function pollPlan(spoil: (Sound: AnyClass) => object): Mutant {
  return { file: POLL_PLAN, spoil: ({ PollPlan }) => ({ ...spoil(PollPlan) }) };
}

function fulfilments(spoil: (Sound: AnyClass) => object): Mutant {
  return { file: FULFILMENTS, spoil: ({ FulfilmentStore }) => ({ ...spoil(FulfilmentStore) }) };
}

function sqlite(pragma: string): Mutant {
  return {
    file: 'server/src/database/sqlite.ts',
    spoil: ({ openSqliteDatabase }) => ({
      async openSqliteDatabase(...given: Given) {
        const database = await openSqliteDatabase(...given);
        await sql.raw(pragma).execute(database.db);
        return database;
      },
    }),
  };
}

/** Replaces the error handling of the service client. */
function client(
  rescue: (
    error: { reason: string },
    reference: string,
    context: { settings: any; circuit: string; build: (settings: any) => any },
  ) => unknown,
): Mutant {
  return {
    file: CLIENT,
    spoil: ({ buildServiceClient: build }) => ({
      buildServiceClient(settings: unknown) {
        const sound = build(settings);
        const { verify } = sound;
        return Object.assign(sound, {
          verify: (reference: string) =>
            verify(reference).catch((error: { reason: string }) =>
              rescue(error, reference, { settings, circuit: sound.circuit, build }),
            ),
        });
      },
    }),
  };
}

type Receive = (request: WebhookRequest) => Promise<unknown>;

function payments(spoil: (receive: Receive) => Receive): Mutant {
  return {
    file: 'server/src/create-payments.ts',
    spoil: ({ createPayments }) => ({
      async createPayments(...given: Given) {
        const made = await createPayments(...given);
        return Object.assign(made, { receiveWebhook: spoil(made.receiveWebhook.bind(made)) });
      },
    }),
  };
}
