import { isFinalStatus } from '@service-pay/contract/collection';
import { isDatabaseFailure } from '../database/open.ts';
import type { Log } from '../observe/log.ts';
import type { AlertReason, Metrics, Trigger } from '../observe/metrics.ts';
import {
  ServiceCallError,
  type ServiceCallErrorCode,
  type ServiceClient,
} from '../service/client.ts';
import { buildThrottle, type Clock, pause } from '../support/clock.ts';
import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import { decide, type Move } from './decide.ts';
import { ServiceAnswers } from './order-state.ts';
import { OPEN_STATES, PAID_BEFORE } from './paid-queries.ts';
import { isOver, type Payment } from './payment.ts';
import type { ShopStore } from './store.ts';

/** The service is asked about one payment at most this often (D59). */
const ASK_EVERY_MS = 2_000;

const LOOK_AGAIN_MS = 250;
const LONGEST_WAIT_MS = 6_000;

const ALERT_EVERY_MS = 60_000;

const ALERTS: { [Code in ServiceCallErrorCode]?: AlertReason } = {
  token_refused: 'token_refused',
  garbled: 'garbled_answer',
  reference_unusable: 'reference_unusable',
};

/**
 * Asks the service about a payment and moves it once: the only way to `paid` except a person's
 * decision. Returns the payment as it then stands, or undefined if there is none. Fails with
 * `ServiceCallError` while it is not known (D52).
 */
export type Confirm = (reference: string, trigger: Trigger) => Promise<Payment | undefined>;

export interface ConfirmDeps {
  store: ShopStore;
  service: Pick<ServiceClient, 'verify'>;
  feed: { tell(reference: string): void };
  metrics: Metrics;
  clock: Clock;
  log: Log;
  answers?: ServiceAnswers;
  failpoint?: Failpoint;
}

export function buildConfirm(deps: ConfirmDeps): Confirm {
  const confirms = new Confirms(deps);
  return (reference, trigger) => confirms.confirm(reference, trigger);
}

/** One question to the service about one payment, shared by all who ask within two seconds. */
interface Question {
  /** Resolves with false if another instance was quicker and the service is not asked. */
  turn: Promise<boolean>;
  answer: Promise<Payment | undefined>;
  isRunning: boolean;
  over?: Payment;
  next: PromiseWithResolvers<Payment | undefined> | undefined;
}

class Confirms {
  readonly #deps: Required<ConfirmDeps>;
  readonly #mayAlert: (key: string) => boolean;
  readonly #questions = new Map<string, Question>();

  constructor(deps: ConfirmDeps) {
    this.#deps = { answers: new ServiceAnswers(), failpoint: noFailpoint, ...deps };
    this.#mayAlert = buildThrottle(deps.clock, ALERT_EVERY_MS);
  }

  async confirm(reference: string, trigger: Trigger): Promise<Payment | undefined> {
    const payment = await this.#deps.store.findPayment(reference);
    if (!payment || isOver(payment)) return payment;
    const question = this.#questions.get(reference);
    if (!question) return this.#ask(payment, trigger);
    if (question.over) return question.over; // it moved after it was read
    if (trigger === 'due')
      return (await question.turn) ? question.answer : this.confirm(reference, 'success');
    if (trigger === 'look') return question.isRunning ? question.answer : payment;
    question.next ??= Promise.withResolvers();
    return question.next.promise;
  }

  /**
   * Asks, and shares the question for two seconds. Asks once more by itself if the database fails,
   * since the reconciler's claim may last another minute.
   */
  #ask(payment: Payment, trigger: Trigger, isAgain = false): Promise<Payment | undefined> {
    const { clock } = this.#deps;
    const { reference } = payment;
    const turn = this.#takeTurn(reference, trigger);
    const answer = this.#askAndMove(payment, trigger, turn).finally(() => {
      question.isRunning = false;
    });
    const question: Question = { turn, answer, isRunning: true, next: undefined };
    this.#questions.set(reference, question);
    answer.then(
      (moved) => {
        if (!moved || !isOver(moved)) return;
        question.over = moved;
        question.next?.resolve(moved);
      },
      (error: unknown) => {
        if (isAgain || !isDatabaseFailure(error)) return;
        clock.after(ASK_EVERY_MS, () => void this.#askAgain(reference, trigger, true));
      },
    );
    clock.after(ASK_EVERY_MS, () => {
      if (this.#questions.get(reference) === question) this.#questions.delete(reference);
      if (question.next && !question.over)
        question.next.resolve(this.#askAgain(reference, 'success'));
    });
    return answer;
  }

  /** Asks unless the payment is over. A question that began meanwhile is fresh enough. */
  #askAgain(reference: string, trigger: Trigger, isAgain = false): Promise<Payment | undefined> {
    const asked = async () => {
      const payment = await this.#deps.store.findPayment(reference);
      if (!payment || isOver(payment)) return payment;
      const begun = this.#questions.get(reference);
      return begun && (await begun.turn) ? begun.answer : this.#ask(payment, trigger, isAgain);
    };
    const answer = asked();
    answer.catch(() => {}); // whoever waited may have gone
    return answer;
  }

  async #askAndMove(
    payment: Payment,
    trigger: Trigger,
    turn: Promise<boolean>,
  ): Promise<Payment | undefined> {
    const { store, service, feed, metrics, clock, answers, failpoint } = this.#deps;
    const { reference } = payment;
    try {
      if (!(await turn)) return await store.findPayment(reference);
      const collection = await metrics.noteCall(() => service.verify(reference));
      answers.note(reference, collection?.status ?? null);
      await failpoint('after-verify');
      const move = decide(payment, collection, clock.now());
      const moved = move && (await this.#move(reference, move));
      metrics.countConfirm(trigger, moved ?? 'unchanged');
      if (moved) feed.tell(reference);
      else if (collection && isFinalStatus(collection.status) && trigger !== 'look')
        await store.handleDeliveries(reference, clock.now());
      if (moved === 'paid') return { ...payment, state: moved }; // nothing leaves this state
      return move ? await store.findPayment(reference) : payment;
    } catch (error) {
      metrics.countConfirm(trigger, error instanceof ServiceCallError ? error.code : 'error');
      if (error instanceof ServiceCallError) this.#report(reference, error);
      throw error;
    }
  }

  /**
   * Waits until no instance has asked for two seconds (D59), and returns false if asking is no
   * longer worthwhile. An instance that died or froze during its turn does not hold this up longer.
   */
  async #takeTurn(reference: string, trigger: Trigger): Promise<boolean> {
    const { store, clock } = this.#deps;
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      if (await store.claimAsk(reference, ASK_EVERY_MS, clock.now())) return true;
      if (trigger === 'look') return false;
      if (waitedMs >= LONGEST_WAIT_MS)
        throw new ServiceCallError('busy', 'Other instances keep asking about this payment.');
      await pause(clock, LOOK_AGAIN_MS);
      const payment = await store.findPayment(reference);
      if (!payment || isOver(payment)) return false;
    }
  }

  async #move(reference: string, move: Move): Promise<Move['to'] | undefined> {
    const { store, clock, log } = this.#deps;
    const now = clock.now();
    if (move.to === 'paid') {
      const state = await store.markPaid(reference, now);
      if (state === 'paid') log.info({ reference }, 'order paid');
      if (state === 'needs-review') this.#raiseReview(reference, PAID_BEFORE);
      return state;
    }
    if (move.to === 'needs-review') {
      const hasMoved = await store.move(reference, OPEN_STATES, move.to, now, move.reason);
      if (hasMoved) this.#raiseReview(reference, move.reason);
      return hasMoved ? move.to : undefined;
    }
    return (await store.move(reference, ['awaiting-payment'], move.to, now)) ? move.to : undefined;
  }

  #raiseReview(reference: string, reason: string): void {
    const { metrics, log } = this.#deps;
    const isPaidTwice = reason === PAID_BEFORE;
    metrics.countAlert(isPaidTwice ? 'paid_twice' : 'needs_review');
    if (isPaidTwice) log.error({ reference }, 'order was paid twice: payment needs review');
    else log.error({ reference, reason }, 'payment is not what was ordered: it needs review');
  }

  #report(reference: string, err: ServiceCallError): void {
    const { metrics, log } = this.#deps;
    const { code } = err;
    const alert = ALERTS[code];
    if (alert) metrics.countAlert(alert);
    if (!alert) log.warn({ reference, code }, 'verify not answered');
    else if (this.#mayAlert(code))
      log.error({ err, reference, code }, 'verify not answered: someone must act');
  }
}
