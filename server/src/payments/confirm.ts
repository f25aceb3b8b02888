import { isFinalStatus } from '@service-pay/contract/collection';
import { type NotKnownReason, notKnownYet, PaymentsError } from '../errors.ts';
import type { AlertReason, Trigger } from '../observe/metrics.ts';
import { toMaskedLine } from '../observe/one-line.ts';
import type { VerifiedCollection } from '../service/client.ts';
import { buildThrottle, pause } from '../support/clock.ts';
import { noFailpoint } from '../support/failpoint.ts';
import { traced } from '../support/tracing.ts';
import { decide, MOVES_FROM, type Move, PAID_BEFORE } from './decide.ts';
import { readPaidDetails } from './paid-details.ts';
import { isOver, type Payment } from './payment.ts';
import { ServiceResponses } from './service-responses.ts';
import type { SharedParts } from './shared-parts.ts';

/** The minimum time between two verify calls for one payment (D59). */
const VERIFY_EVERY_MS = 2_000;

const LOOK_AGAIN_MS = 250;
const LONGEST_WAIT_MS = 6_000;

const ALERT_EVERY_MS = 60_000;

const LONGEST_REASON = 200;

const ALERTS: { [Reason in NotKnownReason]?: AlertReason } = {
  token_refused: 'token_refused',
  garbled: 'garbled_answer',
  reference_unusable: 'reference_unusable',
};

/**
 * Verifies a payment, given as just read or by its reference, and updates its state. Besides a
 * person's decision, this is the only way to `paid`. Returns the payment in its new state, or
 * undefined if there is none. Fails with `not_known_yet` (D52).
 */
export type Confirm = (one: Payment | string, trigger: Trigger) => Promise<Payment | undefined>;

type ConfirmParts = Omit<SharedParts, 'responses' | 'failpoint'> &
  Partial<Pick<SharedParts, 'responses' | 'failpoint'>>;

interface Call {
  result: Promise<Payment | undefined>;
  /** Resolves when the next call may begin. */
  isPast: Promise<void>;
}

export function buildConfirm(parts: ConfirmParts): Confirm {
  const confirms = new Confirms(parts);
  return (one, trigger) => confirms.confirm(one, trigger);
}

class Confirms {
  readonly #parts: Required<ConfirmParts>;
  readonly #mayAlert: (key: string) => boolean;
  readonly #calls = new Map<string, Call>();
  /** The next call for a payment, shared by everyone who came after the last one began. */
  readonly #nextCalls = new Map<string, Promise<Payment | undefined>>();

  constructor(parts: ConfirmParts) {
    this.#parts = { responses: new ServiceResponses(), failpoint: noFailpoint, ...parts };
    this.#mayAlert = buildThrottle(parts.clock, ALERT_EVERY_MS);
  }

  async confirm(one: Payment | string, trigger: Trigger): Promise<Payment | undefined> {
    const payment = typeof one === 'string' ? await this.#parts.store.findPayment(one) : one;
    if (!payment || isOver(payment)) return payment;
    const { reference } = payment;
    const call = this.#calls.get(reference);
    const next = this.#nextCalls.get(reference);
    if (!call && !next) return this.#call(payment, trigger);
    if (trigger === 'page') return call?.result ?? payment;
    if (next || !call) return next;
    const later = this.#callAfter(call, reference, trigger);
    this.#nextCalls.set(reference, later);
    return later;
  }

  #call(payment: Payment, trigger: Trigger): Promise<Payment | undefined> {
    const { reference } = payment;
    const call = { reference, trigger };
    const result = traced('confirm', call, () => this.#verifyAndMove(payment, trigger));
    const isPast = pause(this.#parts.clock, VERIFY_EVERY_MS).then(
      () => void this.#calls.delete(reference),
    );
    this.#calls.set(reference, { result, isPast });
    return result;
  }

  /** Verifies once two seconds have passed, unless the call in flight ends the payment by then. */
  async #callAfter(
    { result, isPast }: Call,
    reference: string,
    trigger: Trigger,
  ): Promise<Payment | undefined> {
    try {
      const known = await Promise.race([result.catch(() => undefined), isPast]);
      if (known && isOver(known)) return known;
      await isPast;
      const payment = await this.#parts.store.findPayment(reference);
      const isUndecided = payment && !isOver(payment);
      return isUndecided ? this.#call(payment, trigger) : payment;
    } finally {
      this.#nextCalls.delete(reference); // in the same tick, so that only one begins
    }
  }

  async #verifyAndMove(payment: Payment, trigger: Trigger): Promise<Payment | undefined> {
    const { store, service, responses, feed, metrics, clock, failpoint } = this.#parts;
    const { reference } = payment;
    try {
      if (!(await this.#takeTurn(reference, trigger))) return await store.findPayment(reference);
      const collection = await service.verify(reference);
      responses.note(reference, collection?.status ?? null);
      await failpoint('after-verify');
      const move = decide(payment, collection, clock.now());
      const moved = move && (await this.#makeMove(payment, move, collection));
      metrics.countConfirm(trigger, moved?.state ?? 'unchanged');
      if (moved) feed.tell(payment.orderId);
      else if (collection && isFinalStatus(collection.status) && trigger !== 'page')
        await store.handleDeliveries(reference, clock.now());
      return moved ?? (move ? await store.findPayment(reference) : payment);
    } catch (error) {
      const reason = error instanceof PaymentsError ? error.reason : undefined;
      metrics.countConfirm(trigger, reason ?? 'error');
      if (reason) this.#report(reference, reason, (error as PaymentsError).cause);
      throw error;
    }
  }

  /**
   * Waits until no instance has verified this payment for two seconds (D59). Returns false if a
   * call is no longer worthwhile. An instance that died or froze during its call does not delay
   * this further.
   */
  async #takeTurn(reference: string, trigger: Trigger): Promise<boolean> {
    const { store, polls, clock } = this.#parts;
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      if (await polls.claimTurn(reference, { everyMs: VERIFY_EVERY_MS, now: clock.now() }))
        return true;
      if (trigger === 'page') return false;
      if (waitedMs >= LONGEST_WAIT_MS)
        throw notKnownYet('busy', 'Other instances keep verifying this payment.');
      await pause(clock, LOOK_AGAIN_MS);
      const payment = await store.findPayment(reference);
      if (!payment || isOver(payment)) return false;
    }
  }

  /** Returns the updated payment, or undefined if something else updated it first. */
  async #makeMove(
    payment: Payment,
    { to, reason: why = '' }: Move,
    collection: VerifiedCollection | undefined,
  ): Promise<(Payment & { state: Move['to'] }) | undefined> {
    const { store, clock, log } = this.#parts;
    const { reference } = payment;
    const movedAt = clock.now();
    if (to === 'paid') {
      const paid = collection && readPaidDetails(collection);
      const state = await store.markPaid(reference, movedAt, paid);
      if (!state) return undefined;
      const reason = state === 'paid' ? null : PAID_BEFORE;
      if (reason) this.#raiseReview(reference, reason);
      else log.info({ reference }, 'order paid');
      return { ...payment, ...paid, state, reason, movedAt };
    }
    const reason = toMaskedLine(why, log, LONGEST_REASON);
    // a payment that its customer reopened meanwhile has not expired
    const readAt = to === 'expired' ? payment.movedAt : undefined;
    const change = { from: MOVES_FROM[to], to, reason, movedAt: readAt, now: movedAt };
    if (!(await store.move(reference, change))) return undefined;
    if (to === 'needs-review') this.#raiseReview(reference, reason);
    return { ...payment, state: to, reason: reason || null, movedAt };
  }

  #raiseReview(reference: string, reason: string): void {
    const { metrics, log } = this.#parts;
    const isPaidTwice = reason === PAID_BEFORE;
    metrics.countAlert(isPaidTwice ? 'paid_twice' : 'needs_review');
    if (isPaidTwice) log.error({ reference }, 'order paid twice; payment needs review');
    else log.error({ reference, reason }, 'payment does not match order; payment needs review');
  }

  #report(reference: string, code: NotKnownReason, err: unknown): void {
    const { metrics, log } = this.#parts;
    const alert = ALERTS[code];
    if (alert) metrics.countAlert(alert);
    const cause = err instanceof Error ? err.message : undefined;
    if (!alert) log.warn({ reference, code, cause }, 'verify failed');
    else if (this.#mayAlert(code))
      log.error({ reference, code, cause }, 'verify failed; action required');
  }
}
