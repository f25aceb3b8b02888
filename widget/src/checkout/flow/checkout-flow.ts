import type { CreateAttempt } from '@service-pay/contract/checkout-api';
import { AttemptDelivery, type AttemptDeliveryDeps } from './attempt-delivery.ts';
import { codeOf, type FieldProblems, isNotKnown, problemsOf } from './call-failure.ts';
import type { NewAttempt } from './new-attempt.ts';
import {
  isAskedToStay,
  isFinal,
  isInFlight,
  isOwnWithdrawal,
  type Known,
  NOT_ARRIVED,
  payableOf,
  sentOf,
} from './payment-state.ts';
import { PAUSE_MS, ServiceCalls, type ServiceCallsDeps } from './service-calls.ts';

/** The intervals of polling the state. Two tabs of one payment agree within 3 s (T35). */
const POLL_EVERY_MS = { out: 1_000, idle: 2_500 } as const;

/** A poll that has hung this long no longer blocks the next one, which runs beside it. */
const POLL_BESIDE_MS = 3_000;

/** An opening that fails this quickly is retried once: two tries fit into the page's 15 s (D13). */
const QUICK_FAILURE_MS = 3_000;

export interface CheckoutFlowDeps extends ServiceCallsDeps, AttemptDeliveryDeps {
  newId: () => string;
  isHidden: () => boolean;
}

/**
 * The end of a request for more time, or why there is none. `unsent`: for lack of a network, which
 * the alert says.
 */
export type Extension = 'given' | 'unsent' | 'not_known' | 'rejected';

/**
 * Drives one payment: opens the session, sends attempts, polls the state and reports what is
 * known after each step. There is one attempt at a time. One without a response is sent again under
 * its id, and nothing is believed until it has one (D14, T42). Opening the session withdraws
 * whatever has not arrived: only then is an attempt reported as not arrived.
 */
export class CheckoutFlow {
  readonly #deps: CheckoutFlowDeps;
  readonly #calls: ServiceCalls;
  readonly #delivery: AttemptDelivery;
  #cancelNextPoll = () => {};
  #cancelBeside = () => {};
  /** The last attempt by phone, for sending it again under another id. */
  #byPhone: CreateAttempt | undefined;
  #polling: Promise<void> | undefined;
  #isOpening = false;
  #isSubmitting = false;

  constructor(deps: CheckoutFlowDeps) {
    this.#deps = deps;
    this.#calls = new ServiceCalls(deps);
    this.#delivery = new AttemptDelivery(deps, this.#calls);
  }

  get known(): Known {
    return this.#calls.known;
  }

  /**
   * Opens the session, or retries if the service did not respond. Retries a quick failure once
   * before reporting it.
   */
  async open(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    const calls = this.#calls;
    calls.change({ service: { ...this.known.service, rejection: undefined } });
    const startedAt = this.#deps.clock.now();
    try {
      await calls.open().catch(async (error) => {
        if (!isNotKnown(error) || this.#deps.clock.now() - startedAt > QUICK_FAILURE_MS)
          throw error;
        await calls.pause(PAUSE_MS.first);
        await calls.open();
      });
      const wasPaid = calls.session?.status === 'successful';
      calls.change({ service: { ...this.known.service, wasPaid } });
    } catch (error) {
      calls.reject(error);
    } finally {
      this.#isOpening = false;
      this.#pollLater();
      this.#release();
    }
  }

  /**
   * Sends an attempt, unless one is open, and follows it until its result is known or the session
   * must be opened again to learn it. Waits for the session if there is none; sends nothing, now or
   * later, if there is no network.
   */
  async submit(attempt: NewAttempt): Promise<void> {
    if (sentOf(this.known) || this.#isSubmitting || !payableOf(this.known)) return;
    if (this.#calls.isUnsendable()) return;
    if (!this.#calls.session) {
      this.#calls.change({ sending: { is: 'held', attempt }, problems: {} });
      return;
    }
    const sent: CreateAttempt = { ...attempt, id: this.#deps.newId() };
    this.#byPhone = sent.channel === 'mobile-money' ? sent : undefined;
    this.#isSubmitting = true;
    this.#cancelNextPoll();
    await this.#calls.change({
      sending: { is: 'attempt', id: sent.id, isUnsure: false },
      problems: {},
      leaving: undefined,
    });
    const mustPoll = await this.#delivery.deliver(sent);
    this.#isSubmitting = false;
    if (mustPoll) await this.#poll();
    else this.#pollLater();
  }

  /**
   * Withdraws the prompt, so that the customer can pay another way or, with `isRepeated`, gets
   * another on the same phone (D47). Repeats a call without a response, since no other attempt
   * begins while the prompt may still charge; without a connection it needs a new press.
   */
  async withdraw(isRepeated = false): Promise<void> {
    const calls = this.#calls;
    const { attempt } = calls.session ?? {};
    if (!attempt?.isYours || attempt.status !== 'pay-offline' || this.#isWithdrawing) return;
    if (calls.isUnsendable()) return;
    const { id } = attempt;
    const isStillOpen = () => {
      const { attempt } = calls.session!;
      const isSame = attempt?.id === id && attempt.status === 'pay-offline';
      return isSame && attempt.withdrawable !== false && !calls.isStopped;
    };
    calls.change({ action: { is: 'withdrawing', id, repeats: isRepeated ? 'prompt' : undefined } });
    let pauseMs: number = PAUSE_MS.first;
    while (isStillOpen()) {
      try {
        await calls.call((checkout, signal) => checkout.withdraw(id, signal));
        if (!isStillOpen()) break;
      } catch (error) {
        if (codeOf(error) === 'not_authorized') await calls.openQuietly();
        else if (!isNotKnown(error)) calls.change({ action: { is: 'not-withdrawn', id } });
        if (this.known.service.rejection || !this.#isWithdrawing || calls.isUnsendable()) break;
      }
      await calls.pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    }
    const last = calls.session?.status === 'open' && calls.session.attempt;
    const isVoid = last && last.id === id && isOwnWithdrawal(last);
    if (isVoid && isRepeated) return this.repeat();
    if (this.#isWithdrawing) calls.change({ action: undefined });
    this.#pollLater();
  }

  async repeat(): Promise<void> {
    if (sentOf(this.known)) return;
    const { id: before, ...attempt } = this.#byPhone ?? {};
    const repeats = this.known.action?.repeats ?? 'code';
    if (this.isRepeatable) {
      this.#calls.change({ action: { is: 'repeating', repeats } });
      await this.submit(attempt as NewAttempt);
    } else this.#pollLater();
    const { id } = this.#byPhone ?? {};
    if (this.known.action?.is === 'repeating' && id && id !== before && this.isRepeatable)
      this.#calls.change({ action: { is: 'repeated', id } });
    else this.#stopRepeating();
  }

  /** False in a reloaded frame, which does not know the number. */
  get isRepeatable(): boolean {
    return this.#byPhone !== undefined && this.#byPhone.id === this.#calls.session?.attempt?.id;
  }

  /** Shows the form instead of the code. The attempt stays until another one replaces it. */
  useAnotherWay(): void {
    const { id } = this.#calls.session?.attempt ?? {};
    if (id) this.#calls.change({ action: { is: 'another-way', id }, problems: {} });
  }

  /** Sends a one-time code. Never repeats it by itself: a wrong one would count twice. */
  async sendCode(code: string): Promise<void> {
    const attempt = this.#calls.session?.attempt;
    if (!attempt || this.known.sending || this.known.action?.repeats) return;
    const { id, codesLeft } = attempt;
    const sending = { is: 'code', id } as const;
    this.#calls.change({ sending, problems: {} });
    const end = (problems: FieldProblems) => {
      if (this.known.sending === sending) this.#calls.change({ sending: undefined, problems });
    };
    try {
      await this.#calls.call((checkout, signal) => checkout.sendCode(id, code, signal));
      const after = this.#calls.session?.attempt;
      const isWrong =
        after?.status === 'otp-required' && (codesLeft === null || after.codesLeft !== codesLeft);
      end(isWrong ? { code: { code: 'code-wrong' } } : {});
    } catch (error) {
      const { code = { code: 'code-not-sent' } } = problemsOf(error);
      end({ code });
    }
    this.#pollLater();
  }

  /** Requests more time before the session ends. */
  async extend(): Promise<Extension> {
    const calls = this.#calls;
    if (calls.isUnsendable()) return 'unsent';
    const before = calls.session?.expiresAt;
    try {
      const session = await calls.call((checkout, signal) => checkout.extend(signal));
      // A poll may have overtaken the response, and have been sent before it or after it.
      if (!session) await this.#poll();
    } catch (error) {
      return isNotKnown(error) ? 'not_known' : 'rejected';
    }
    return calls.session?.expiresAt === before ? 'rejected' : 'given';
  }

  lookNow(): void {
    void this.look();
  }

  /** Polls the state at once. Resolves when there is a response. */
  async look(): Promise<void> {
    const { service, wire } = this.known;
    this.#calls.wake();
    if (wire.unsent === 'offline' && this.#deps.isOnline())
      this.#calls.change({ wire: { isCut: wire.isCut } });
    const { id } = sentOf(this.known) ?? {};
    if (service.rejection?.code === 'not_known') await this.open();
    else if (id && this.#isSubmitting) await this.#delivery.lookFor(id).catch(() => {});
    else if (service.session && !isFinal(this.known)) await this.#poll();
  }

  /**
   * Returns true if the customer can leave; otherwise the question is shown (D15). `isTyped`: the
   * form contains something the customer typed.
   */
  leave(isTyped = false): boolean {
    this.#takeHeld();
    if (isInFlight(this.known)) this.#calls.change({ leaving: 'in-flight' });
    else if (isTyped) this.#calls.change({ leaving: 'typed' });
    return !isAskedToStay(this.known);
  }

  /** Leads back to what is open: to the code again, if the customer had left it for the form. */
  keepWaiting(): void {
    const { leaving, action } = this.known;
    const isCodeWanted = leaving === 'in-flight' && action?.is === 'another-way';
    this.#calls.change({ leaving: undefined, ...(isCodeWanted && { action: undefined }) });
    this.lookNow();
  }

  /** Stops everything: no call, timer or change after this. */
  stop(): void {
    this.#cancelNextPoll();
    this.#cancelBeside();
    this.#delivery.stop();
    this.#calls.stop();
  }

  get #isWithdrawing(): boolean {
    return this.known.action?.is === 'withdrawing';
  }

  #stopRepeating(): void {
    if (this.known.action?.repeats) this.#calls.change({ action: undefined });
  }

  #takeHeld(): NewAttempt | undefined {
    const { sending } = this.known;
    if (sending?.is !== 'held') return undefined;
    this.#calls.change({ sending: undefined });
    return sending.attempt;
  }

  /**
   * Sends the attempt that waited for the session, unless something is in flight or the session has
   * an amount other than the one shown.
   */
  #release(): void {
    const held = this.#takeHeld();
    const { session, preview } = this.known.service;
    if (!held || session?.status !== 'open' || isInFlight(this.known)) return;
    if (session.total === preview?.total && session.currency === preview.currency)
      void this.submit(held);
    else this.#calls.change({ problems: NOT_ARRIVED });
  }

  /** Polls the state, or waits for the poll under way. */
  async #poll(): Promise<void> {
    if (this.#isOpening || this.#isSubmitting || this.#calls.isStopped) return;
    this.#polling ??= this.#pollOnce();
    await this.#polling;
  }

  async #pollOnce(): Promise<void> {
    this.#cancelNextPoll();
    const go = () => {
      this.#polling = undefined;
      this.#pollLater();
    };
    // Opening the session twice at once would make two tokens, of which the first is invalid.
    if (!sentOf(this.known)) this.#cancelBeside = this.#deps.clock.after(POLL_BESIDE_MS, go);
    const cancelBeside = this.#cancelBeside;
    try {
      await this.#calls.poll();
    } finally {
      cancelBeside();
      go();
    }
  }

  #pollLater(): void {
    this.#cancelNextPoll();
    const { clock, isHidden } = this.#deps;
    if (
      this.#calls.isStopped ||
      this.#isSubmitting ||
      !this.#calls.session ||
      isFinal(this.known) ||
      isHidden()
    )
      return;
    this.#cancelNextPoll = clock.after(
      isInFlight(this.known) ? POLL_EVERY_MS.out : POLL_EVERY_MS.idle,
      () => void this.#poll(),
    );
  }
}
