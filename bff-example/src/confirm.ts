import { isSameAmount } from '@service-pay/contract/money';

import { buildThrottle, type Clock } from './clock.ts';
import { isDatabaseFailure } from './database.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { isOver, type Payment } from './order.ts';
import { OPEN_STATES, PAID_BEFORE } from './paid-statements.ts';
import type { PaymentFeed } from './payment-feed.ts';
import { ServiceAnswers } from './service-answers.ts';
import {
  ServiceCallError,
  type ServiceCallErrorCode,
  type ServiceClient,
  type VerifiedCollection,
} from './service-client.ts';
import type { ShopStore } from './shop-store.ts';
import { TokenGate } from './token-gate.ts';

/** The service is asked about one reference at most this often (D59). */
const ASK_EVERY_MS = 2_000;

/**
 * How often, and how long, an instance looks whether others have let go of a payment it has news
 * of.
 */
const LOOK_AGAIN_MS = 250;
const LONGEST_WAIT_MS = 6_000;

/** A payment without an attempt for so long is over for its customer. */
const EXPIRES_AFTER_MS = 24 * 60 * 60_000;

const ALERT_EVERY_MS = 60_000;

/** Payments remembered because nobody knows whether they were moved. */
const MOST_UNCERTAIN = 10_000;

/** Shorter than any card number. */
const LONGEST_TOLD_AMOUNT = 12;

/**
 * Why a confirm was begun: news of a payment (`webhook`, `success`) waits for a fresh answer, a
 * mere `look` does not, and what is `due` takes any answer that was really given (D59).
 */
export type Trigger = 'webhook' | 'success' | 'look' | 'due';

/**
 * Asks the service about a payment and moves it once: the only way to `paid` but for a person's
 * word. Gives the payment as it then stands, or undefined where there is none. Fails with
 * `ServiceCallError` where it is not known yet (D52). Who has just read the payment hands it over,
 * and it is not read again.
 */
export type Confirm = (
  reference: string,
  trigger: Trigger,
  justRead?: Payment,
) => Promise<Payment | undefined>;

export interface ConfirmDeps {
  store: ShopStore;
  service: Pick<ServiceClient, 'verify'>;
  feed: PaymentFeed;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  tokenGate?: TokenGate;
  /** Remembers each answer, for pages that say more than the state. */
  answers?: ServiceAnswers;
  failpoint?: Failpoint;
}

interface Asking {
  /** Whether the service is asked at all: another instance may have been quicker. */
  turn: Promise<boolean>;
  answer: Promise<Payment | undefined>;
  isRunning: boolean;
  /** The call after this one, which everybody with news shares. */
  next: PromiseWithResolvers<Payment | undefined> | undefined;
}

/** What is to become of a payment, or undefined where it stays as it is. */
export type Move = { to: 'paid' | 'failed' | 'expired' } | { to: 'needs-review'; reason: string };

/** Makes the one `confirm` that page, webhook and reconciler share (D54). */
export function buildConfirm(deps: ConfirmDeps): Confirm {
  const {
    store,
    service,
    feed,
    metrics,
    clock,
    log,
    tokenGate = new TokenGate(clock),
    failpoint = noFailpoint,
  } = deps;
  const { answers = new ServiceAnswers() } = deps;
  const askings = new Map<string, Asking>();
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);
  /** Payments whose move was not answered: it may have been made, or be made yet. */
  const uncertain = new Set<string>();

  return confirm;

  async function confirm(
    reference: string,
    trigger: Trigger,
    justRead?: Payment,
  ): Promise<Payment | undefined> {
    // the database has just said that it is open, and it is what counts
    if (trigger === 'due') store.forget(reference);
    // it may have moved after it was read
    const payment = store.recall(reference) ?? justRead ?? (await find(reference));
    if (!payment || isOver(payment)) return payment;
    tellIfUncertain(payment);
    const asking = askings.get(reference);
    if (!asking) return ask(payment, trigger);
    if (trigger === 'due')
      return (await asking.turn) ? asking.answer : confirm(reference, 'success');
    if (trigger === 'look') return asking.isRunning ? asking.answer : payment;
    asking.next ??= Promise.withResolvers();
    return asking.next.promise;
  }

  /**
   * Where the database was late it is asked once more by itself: the reconciler's claim may hold
   * for a minute yet.
   */
  function ask(payment: Payment, trigger: Trigger, isAgain = false): Promise<Payment | undefined> {
    const { reference } = payment;
    const turn = takeTurn(reference, trigger);
    const answer = askAndMove(payment, trigger, turn).finally(() => {
      asking.isRunning = false;
    });
    const asking: Asking = { turn, answer, isRunning: true, next: undefined };
    askings.set(reference, asking);
    answer
      .then((moved) => {
        if (!moved || !isOver(moved)) return;
        cancel();
        askings.delete(reference);
        store.keep(moved);
        asking.next?.resolve(moved);
      })
      .catch((error: unknown) => {
        if (isDatabaseFailure(error) && !isAgain)
          clock.after(ASK_EVERY_MS, () => void askAnew(reference, trigger, true).catch(() => {}));
      });
    const cancel = clock.after(ASK_EVERY_MS, () => {
      if (askings.get(reference) === asking) askings.delete(reference);
      if (!asking.next) return;
      const next = askAnew(reference, 'success');
      // who waited may have been answered before, and then nobody hears that this failed
      next.catch(() => {});
      asking.next.resolve(next);
    });
    return answer;
  }

  /**
   * Asks, unless it is over. A call that was begun meanwhile is fresh enough for whoever waits for
   * this one.
   */
  async function askAnew(
    reference: string,
    trigger: Trigger,
    isAgain = false,
  ): Promise<Payment | undefined> {
    const payment = await find(reference);
    if (!payment || isOver(payment)) return payment;
    const begun = askings.get(reference);
    return begun && (await begun.turn) ? begun.answer : ask(payment, trigger, isAgain);
  }

  async function askAndMove(
    payment: Payment,
    trigger: Trigger,
    turn: Promise<boolean>,
  ): Promise<Payment | undefined> {
    const { reference } = payment;
    try {
      if (!(await turn)) return await find(reference);
      const collection = await verify(reference);
      answers.note(reference, collection?.status ?? null);
      await failpoint('after-verify');
      const move = decide(payment, collection, clock.now());
      const moved =
        move &&
        (await makeMove(reference, move).catch((error: unknown) => {
          if (isDatabaseFailure(error)) rememberUncertain(reference);
          throw error;
        }));
      metrics.countConfirm(trigger, moved ?? 'unchanged');
      if (moved) feed.tell(reference);
      else if (collection && isFinal(collection) && trigger !== 'look')
        await store.handleDeliveries(reference, clock.now());
      if (moved === 'paid') return { ...payment, state: moved }; // and so it stays
      return move ? await find(reference) : payment;
    } catch (error) {
      metrics.countConfirm(trigger, error instanceof ServiceCallError ? error.code : 'error');
      if (error instanceof ServiceCallError) report(reference, error);
      throw error;
    }
  }

  /**
   * Waits until no instance has asked for two seconds, and says false where it is not worth waiting
   * for (D59). One that died or froze with its turn holds up nobody any longer.
   */
  async function takeTurn(reference: string, trigger: Trigger): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      if (await store.claimAsk(reference, ASK_EVERY_MS, clock.now())) return true;
      if (trigger === 'look') return false;
      if (waitedMs >= LONGEST_WAIT_MS)
        throw new ServiceCallError('busy', 'Other instances keep asking about this payment.');
      await untilTold(reference);
      const payment = await find(reference);
      if (!payment || isOver(payment)) return false;
    }
  }

  /** Another instance may have moved it, and said so; else a moment is waited. */
  async function untilTold(reference: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stops = [feed.watch(reference, resolve), clock.after(LOOK_AGAIN_MS, resolve)];
    await promise;
    for (const stop of stops) stop();
  }

  async function verify(reference: string): Promise<VerifiedCollection | undefined> {
    if (!tokenGate.admit())
      throw new ServiceCallError(
        'token_refused',
        'The service refused the API token a moment ago.',
      );
    try {
      const collection = await metrics.timeCall(() => service.verify(reference));
      tokenGate.note(false);
      return collection;
    } catch (error) {
      if (error instanceof ServiceCallError && error.code === 'token_refused') tokenGate.note(true);
      throw error;
    }
  }

  /** Gives the state it really moved to, or undefined where it had moved before. */
  async function makeMove(reference: string, move: Move): Promise<Move['to'] | undefined> {
    const now = clock.now();
    if (move.to === 'paid') {
      const state = await store.markPaid(reference, now);
      if (state === 'paid') log.info({ reference }, 'order paid');
      if (state === 'needs-review') tellOfReview({ reference, reviewReason: PAID_BEFORE });
      return state;
    }
    if (move.to === 'needs-review') {
      if (!(await store.move(reference, OPEN_STATES, 'needs-review', now, move.reason)))
        return undefined;
      tellOfReview({ reference, reviewReason: move.reason });
      return move.to;
    }
    return (await store.move(reference, ['awaiting-payment'], move.to, now)) ? move.to : undefined;
  }

  async function find(reference: string): Promise<Payment | undefined> {
    const payment = await store.findPayment(reference);
    if (payment) tellIfUncertain(payment);
    return payment;
  }

  function tellIfUncertain(payment: Payment): void {
    if (payment.state === 'needs-review' && uncertain.has(payment.reference)) tellOfReview(payment);
  }

  /** Each of these is one customer's money, and happens once: none is held back. */
  function tellOfReview({
    reference,
    reviewReason,
  }: Pick<Payment, 'reference' | 'reviewReason'>): void {
    uncertain.delete(reference);
    const isPaidTwice = reviewReason === PAID_BEFORE;
    metrics.countAlert(isPaidTwice ? 'paid_twice' : 'needs_review');
    if (isPaidTwice) log.error({ reference }, 'order was paid twice: payment needs review');
    else
      log.error(
        { reference, reason: reviewReason },
        'payment is not what was ordered: it needs review',
      );
  }

  /**
   * A payment in review is asked about again, and is then seen to be there. A shop that ends before
   * says at its next start what is in review.
   */
  function rememberUncertain(reference: string): void {
    uncertain.add(reference);
    const [oldest] = uncertain;
    if (uncertain.size > MOST_UNCERTAIN) uncertain.delete(oldest!);
  }

  function report(reference: string, err: ServiceCallError): void {
    const { code } = err;
    if (!isForSomeone(code)) {
      log.warn({ reference, code }, 'verify not answered');
      return;
    }
    metrics.countAlert(code === 'garbled' ? 'garbled_answer' : code);
    if (mayAlert(code))
      log.error({ err, reference, code }, 'verify not answered: someone must act');
  }
}

function isForSomeone(
  code: ServiceCallErrorCode,
): code is 'token_refused' | 'garbled' | 'reference_unusable' {
  return code === 'token_refused' || code === 'garbled' || code === 'reference_unusable';
}

/**
 * Whether the service will not change its mind about it: then nothing more is to be done about news
 * of it.
 */
function isFinal({ status }: VerifiedCollection): boolean {
  return status === 'successful' || status === 'failed';
}

/** What the service's answer means for a payment (D50–D52, D32, D35). Pure. */
export function decide(
  payment: Payment,
  collection: VerifiedCollection | undefined,
  now: number,
): Move | undefined {
  const isAwaiting = payment.state === 'awaiting-payment';
  if (!collection)
    return isAwaiting && now - payment.createdAt >= EXPIRES_AFTER_MS
      ? { to: 'expired' }
      : undefined;
  if (collection.status === 'failed') return isAwaiting ? { to: 'failed' } : undefined;
  if (collection.status !== 'successful' || !OPEN_STATES.some((state) => state === payment.state))
    return undefined;
  const arrived = sayArrived(collection);
  if (collection.currency !== payment.currency)
    return { to: 'needs-review', reason: `currency differs${arrived}` };
  if (!isSameAmount(collection.amount, payment.amount))
    return { to: 'needs-review', reason: `amount differs${arrived}` };
  return { to: 'paid' };
}

/**
 * What a person needs to decide, where it is what money looks like: it goes into a log and onto a
 * terminal.
 */
function sayArrived({ currency, amount }: VerifiedCollection): string {
  return /^[A-Z]{3}$/.test(currency) && amount.length <= LONGEST_TOLD_AMOUNT
    ? `: ${currency} ${amount} arrived`
    : '';
}
