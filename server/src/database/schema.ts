import { sql } from 'kysely';

/**
 * `failed` and `expired` may still become `paid`. `expired` may also become `failed`, or
 * `awaiting-payment` once its customer returns. `paid` and `refused` are final.
 */
export const PAYMENT_STATES = [
  'awaiting-payment',
  'paid',
  'failed',
  'expired',
  'needs-review',
  'refused',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** `closed` by a person who gave the money back. `done` and `closed` are final. */
export type FulfilmentState = 'waiting' | 'done' | 'parked' | 'closed';

/**
 * A literal, so that the partial index is used. A payment in review is polled too: no response moves
 * it, but its webhooks are marked as handled then.
 */
export const IS_POLLED = sql<boolean>`state not in ('paid', 'refused')`;

/** The time at which nothing is due. */
export const NEVER = Number.MAX_SAFE_INTEGER;

export interface Tables {
  service_pay_payments: {
    reference: string;
    order_id: string;
    owner: string;
    data: string;
    amount: string;
    currency: string;
    state: PaymentState;
    /** Also the reason of a failure. */
    review_reason: string | null;
    created_at: number;
    moved_at: number;
    /** When it is polled next, and the version of a claim: see `PollPlan.planPoll`. */
    check_at: number;
    check_pause_ms: number;
    paid_at: number | null;
    /** A `PaidDetails['paidWith']`, as JSON. */
    paid_with: string | null;
  };
  service_pay_webhook_deliveries: {
    id: string;
    event: string;
    reference: string | null;
    body: string;
    received_at: number;
    /** Null until its payment is decided or nothing is left to do. */
    handled_at: number | null;
  };
  service_pay_fulfilments: {
    order_id: string;
    reference: string;
    state: FulfilmentState;
    attempts: number;
    due_at: number;
    lease_owner: string | null;
    lease_version: number;
    lease_until: number;
    created_at: number;
    last_error: string | null;
    done_at: number | null;
  };
  service_pay_idempotency_keys: {
    owner: string;
    key: string;
    request_hash: string;
    reference: string;
    created_at: number;
  };
  service_pay_decisions: {
    reference: string;
    decision: 'accept' | 'refuse' | 'redrive' | 'close';
    who: string;
    decided_at: number;
    reason: string | null;
  };
  /** The services, as `nameService` writes them, and public keys that may use the database. */
  service_pay_environments: { service: string; public_key: string; added_at: number };
  /** When a payment was verified last, by any instance. */
  service_pay_asks: { reference: string; asked_at: number };
  /** A view, with a row for each payment. */
  service_pay_orders: {
    reference: string;
    order_id: string;
    owner: string;
    data: string;
    amount: string;
    currency: string;
    state: PaymentState;
    reason: string | null;
    created_at: number;
    state_since: number;
    paid_at: number | null;
    fulfilment: FulfilmentState | null;
    fulfilled_at: number | null;
    last_error: string | null;
  };
}
