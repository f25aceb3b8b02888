import type { CreateAttempt, Session } from '@service-pay/contract/checkout-api';
import { codeOf, isNotKnown, pathsOf, problemsOf } from './call-failure.ts';
import type { Checkout } from './client.ts';
import type { Clock } from './clock.ts';
import type { NewAttempt } from './new-attempt.ts';
import {
  isAskedToStay,
  isFinal,
  isOut,
  isOwnWithdrawal,
  type Known,
  type Payable,
  payableOf,
  screenOf,
} from './payment-state.ts';

/** The intervals of asking for the state. Two tabs of one payment agree within 3 s (T35). */
const ASK_EVERY_MS = { out: 1_000, idle: 2_500 } as const;

/**
 * The time for which an unanswered attempt is sent again under its id. Then it is withdrawn, unless
 * it has arrived.
 */
const SEND_AGAIN_FOR_MS = 60_000;

const PAUSE_MS = { first: 1_000, most: 5_000 } as const;

/** An opening that fails this quickly is retried once: two tries fit into the page's 15 s (D13). */
const QUICK_FAILURE_MS = 3_000;

const TICK_MS = 1_000;

/** Unanswered questions in a row before the customer is told. */
const CUT_AFTER = 2;

export interface FlowDeps {
  checkout: Checkout;
  clock: Clock;
  preview?: Payable | undefined;
  isUnconfirmed?: boolean;
  newId: () => string;
  isHidden: () => boolean;
  isOnline: () => boolean;
  /** Called after each change. Nothing is sent because of a change until its result has settled. */
  onChange: (known: Known) => unknown;
}

/**
 * Drives one payment: opens the session, sends attempts, asks for the state and reports what is
 * known after each step. There is one attempt at a time. An unanswered one is sent again under its
 * id, and nothing is believed until it is answered (D14, T42). Opening the session withdraws
 * whatever has not arrived: only then is an attempt reported as not arrived.
 */
export class PaymentFlow {
  known: Known;
  readonly #deps: FlowDeps;
  readonly #end = new AbortController();
  #cancelNextAsk = () => {};
  #cancelTick = () => {};
  #heardAt = 0;
  /** The last attempt by phone, for sending it again under another id. */
  #byPhone: CreateAttempt | undefined;
  #wake = () => {};
  #isAsking = false;
  #isOpening = false;
  #isSubmitting = false;
  #held: NewAttempt | undefined;
  #unanswered = 0;
  /** The last call was answered, although the browser said that there is no network. */
  #isHeardOffline = false;
  /** Counts calls, so that an answer is dropped if a later call was answered first. */
  #calls = 0;
  #answered = 0;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    // A returning visit may have something out: it shows no form before the service has answered.
    const { checkout, isUnconfirmed = false, preview } = deps;
    const isReturning = checkout.isReturning || isUnconfirmed;
    this.known = { isReturning, isUnconfirmed, preview: isReturning ? undefined : preview };
  }

  /**
   * Opens the session, or retries if nobody answered. Retries a quick failure once before reporting
   * it.
   */
  async open(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    this.#change({ refusal: undefined });
    const startedAt = this.#deps.clock.now();
    try {
      await this.#reopen().catch(async (error) => {
        if (!isNotKnown(error) || this.#deps.clock.now() - startedAt > QUICK_FAILURE_MS)
          throw error;
        await this.#pause(PAUSE_MS.first);
        await this.#reopen();
      });
      if (!this.#end.signal.aborted)
        this.#change({ wasPaid: this.known.session?.status === 'successful' });
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#isOpening = false;
      this.#askLater();
      this.#release();
    }
  }

  /**
   * Sends an attempt, unless one is out, and follows it until its result is known or only opening
   * again can tell. Waits for the session if there is none; sends nothing, now or later, if there
   * is no network.
   */
  async submit(attempt: NewAttempt): Promise<void> {
    if (this.known.sending || this.#isSubmitting || !payableOf(this.known)) return;
    if (this.#isUnsendable()) return;
    if (!this.known.session) {
      this.#held = attempt;
      this.#change({ isHeld: true, unsent: undefined, problems: {} });
      return;
    }
    const sent: CreateAttempt = { ...attempt, id: this.#deps.newId() };
    this.#byPhone = sent.channel === 'mobile-money' ? sent : undefined;
    this.#isSubmitting = true;
    this.#cancelNextAsk();
    await this.#change({
      sending: { id: sent.id, isUnsure: false },
      problems: {},
      isNotArrived: false,
      unsent: undefined,
      leaving: undefined,
    });
    const mustAsk = await this.#send(sent);
    this.#isSubmitting = false;
    if (mustAsk) await this.#ask();
    else this.#askLater();
  }

  /**
   * Withdraws the prompt, so that the customer can pay another way or, with `isRepeated`, is asked
   * on the same phone again (D47). Repeats an unanswered call, since no other attempt begins while
   * the prompt may still charge; without a connection it needs a new press.
   */
  async withdraw(isRepeated = false): Promise<void> {
    const attempt = this.known.session?.attempt;
    if (!attempt?.isYours || attempt.status !== 'pay-offline' || this.known.withdrawing) return;
    if (this.#isUnsendable()) return;
    const { id } = attempt;
    const isOutStill = () => {
      const { attempt } = this.known.session!;
      const isSame = attempt?.id === id && attempt.status === 'pay-offline';
      return isSame && attempt.withdrawable !== false && !this.#end.signal.aborted;
    };
    const repeating = isRepeated ? 'prompt' : undefined;
    this.#change({ withdrawing: id, repeating, keptOut: undefined, unsent: undefined });
    let pauseMs: number = PAUSE_MS.first;
    while (isOutStill() && !this.known.keptOut) {
      try {
        await this.#call((signal) => this.#deps.checkout.withdraw(id, signal));
        if (!isOutStill()) break;
      } catch (error) {
        if (codeOf(error) === 'not_authorized') await this.#reopenQuietly();
        else if (!isNotKnown(error)) this.#change({ keptOut: id });
        if (this.known.refusal || this.known.keptOut || this.#isUnsendable()) break;
      }
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    }
    this.#change({ withdrawing: undefined });
    const { session } = this.known;
    const isVoid =
      session?.status === 'open' && session.attempt?.id === id && isOwnWithdrawal(session.attempt);
    if (isVoid && isRepeated) return this.repeat();
    this.#change({ repeating: undefined });
    this.#askLater();
  }

  async repeat(): Promise<void> {
    if (this.known.sending) return;
    const { id: _, ...attempt } = this.#byPhone ?? {};
    if (this.isRepeatable) {
      this.#change({ repeating: this.known.repeating ?? 'code' });
      await this.submit(attempt as NewAttempt);
    } else this.#askLater();
    this.#change({ repeating: undefined });
  }

  /** False in a reloaded frame, which does not know the number. */
  get isRepeatable(): boolean {
    return this.#byPhone !== undefined && this.#byPhone.id === this.known.session?.attempt?.id;
  }

  /** Shows the form instead of the code. The attempt stands until another one replaces it. */
  useAnotherWay(): void {
    this.#change({ unwanted: this.known.session?.attempt?.id, problems: {} });
  }

  /** Sends a one-time code. Never repeats it by itself: a wrong one would count twice. */
  async sendCode(code: string): Promise<void> {
    const attempt = this.known.session?.attempt;
    if (!attempt || this.known.isSendingCode || this.known.repeating) return;
    this.#change({ isSendingCode: true, problems: {} });
    const codesLeft = attempt.codesLeft;
    try {
      await this.#call((signal) => this.#deps.checkout.sendCode(attempt.id, code, signal));
      const after = this.known.session?.attempt;
      const isRefused =
        after?.status === 'otp-required' && (codesLeft === null || after.codesLeft !== codesLeft);
      this.#change({
        isSendingCode: false,
        problems: isRefused ? { code: { code: 'code-wrong' } } : {},
      });
    } catch (error) {
      const problems = isNotKnown(error) ? { code: { code: 'code-not-sent' } } : problemsOf(error);
      this.#change({ isSendingCode: false, problems });
    }
    this.#askLater();
  }

  /** Asks for more time before the session ends. Returns true if there is more. */
  async extend(): Promise<boolean> {
    if (this.#isUnsendable()) return false;
    const before = this.known.session?.expiresAt;
    try {
      const session = await this.#call((signal) => this.#deps.checkout.extend(signal));
      return session !== undefined && session.expiresAt !== before;
    } catch (error) {
      codeOf(error);
      return false;
    }
  }

  lookNow(): void {
    this.#wake();
    if (this.known.unsent === 'offline' && this.#deps.isOnline())
      this.#change({ unsent: undefined });
    if (this.known.refusal?.code === 'not_known') void this.open();
    else if (this.known.session && !isFinal(this.known)) void this.#ask();
  }

  /**
   * Returns true if the customer can leave; otherwise the question is shown (D15). `isTyped`: the
   * form contains something the customer typed.
   */
  leave(isTyped = false): boolean {
    this.#held = undefined;
    if (isOut(this.known)) this.#change({ leaving: 'out' });
    else if (isTyped) this.#change({ leaving: 'typed', isHeld: false });
    return !isAskedToStay(this.known);
  }

  /** Leads back to what is open: to the code again, if the customer had left it for the form. */
  keepWaiting(): void {
    const { leaving, unwanted } = this.known;
    this.#change({ leaving: undefined, unwanted: leaving === 'out' ? undefined : unwanted });
    this.lookNow();
  }

  /** Stops everything: no call, timer or change after this. */
  stop(): void {
    this.#cancelNextAsk();
    this.#cancelTick();
    this.#end.abort();
    this.#wake();
  }

  /** Checks if nothing can be sent now, and reports it: nothing is sent later without a new press. */
  #isUnsendable(): boolean {
    const isOffline = !this.#deps.isOnline() && !this.#isHeardOffline;
    const unsent = isOffline ? 'offline' : this.known.isCut ? 'cut' : undefined;
    if (unsent) this.#change({ unsent, isNotArrived: false, problems: {} });
    return unsent !== undefined;
  }

  /**
   * Sends the attempt that waited for the session, unless something is out or the session asks for
   * an amount other than the one shown.
   */
  #release(): void {
    const { session, preview } = this.known;
    const held = this.#held;
    this.#held = undefined;
    const isFree = session?.status === 'open' && !isOut(this.known);
    const isAsSeen = session?.total === preview?.total && session?.currency === preview?.currency;
    this.#change({ isHeld: false, ...(held && isFree && { isNotArrived: !isAsSeen }) });
    if (held && isFree && isAsSeen) void this.submit(held);
  }

  /**
   * Sends until there is an answer or only asking can tell; returns whether to ask. After an
   * unanswered call another copy may be on its way, which only an answer that shows the attempt
   * rules out. Uses a new token at once, but only one per pause: another tab that keeps opening the
   * payment invalidates each.
   */
  async #send(attempt: CreateAttempt): Promise<boolean> {
    const { checkout, clock } = this.#deps;
    const { id } = attempt;
    const startedAt = clock.now();
    let pauseMs: number = PAUSE_MS.first;
    let isReopened = false;
    let isLost = false;
    while (!this.#end.signal.aborted) {
      try {
        await this.#call(
          (signal) => checkout.submit(attempt, signal),
          (session) =>
            !isLost || isSettled(id, session)
              ? { sending: undefined, isNotArrived: isPassedOver(id, session) }
              : {},
        );
        return this.known.sending !== undefined;
      } catch (error) {
        const code = codeOf(error);
        if (code === 'not_authorized') {
          // Refused for good: the session was opened since, or the token is too old.
          const isAgain = isReopened;
          isReopened = await this.#reopenQuietly(id);
          if (this.known.refusal || !this.known.sending) return false;
          isLost &&= !isReopened;
          if (isReopened && !isAgain) continue;
        } else if (code === 'not_known') {
          isLost = true;
        } else {
          this.#change({ ...(!isLost && { sending: undefined }), problems: problemsOf(error) });
          return isLost || code === 'reference_used';
        }
      }
      this.#change({ sending: { id, isUnsure: true }, repeating: undefined });
      if (clock.now() - startedAt >= SEND_AGAIN_FOR_MS) return true;
      await this.#pause(pauseMs);
      isReopened = false;
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    }
    return false;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking || this.#isOpening || this.#isSubmitting || this.#end.signal.aborted) return;
    this.#isAsking = true;
    this.#cancelNextAsk();
    const unsure = this.known.sending;
    try {
      if (unsure) await this.#withdraw(unsure.id);
      else await this.#call((signal) => this.#deps.checkout.look(signal));
    } catch (error) {
      this.#unanswered += 1;
      if (codeOf(error) === 'not_authorized' && !unsure) await this.#reopenQuietly();
      else if (this.#unanswered >= CUT_AFTER) this.#change({ isCut: true });
    } finally {
      this.#isAsking = false;
      this.#askLater();
    }
  }

  /**
   * Ends an unsure wait: the opened session contains the attempt, or it can no longer arrive. A
   * session that is over cannot be opened, but still be shown.
   */
  async #withdraw(id: string): Promise<void> {
    try {
      await this.#reopen((session) => ({
        sending: undefined,
        isNotArrived: !isSettled(id, session) && !Object.keys(this.known.problems ?? {}).length,
      }));
    } catch (error) {
      if (codeOf(error) !== 'reference_used') throw error;
      await this.#call(
        (signal) => this.#deps.checkout.look(signal),
        () => ({ sending: undefined }),
      );
    }
  }

  #askLater(): void {
    this.#cancelNextAsk();
    const { clock, isHidden } = this.#deps;
    if (
      this.#end.signal.aborted ||
      this.#isSubmitting ||
      !this.known.session ||
      isFinal(this.known) ||
      isHidden()
    )
      return;
    this.#cancelNextAsk = clock.after(
      isOut(this.known) ? ASK_EVERY_MS.out : ASK_EVERY_MS.idle,
      () => void this.#ask(),
    );
  }

  async #reopen(also: (session: Session) => Partial<Known> = () => ({})): Promise<void> {
    await this.#call(
      (signal) => this.#deps.checkout.open(signal),
      (session) => ({ refusal: undefined, ...also(session) }),
    );
  }

  /**
   * Gets a new token for the same session, which may show that attempt `id` arrived. Returns
   * whether that worked.
   */
  async #reopenQuietly(id?: string): Promise<boolean> {
    try {
      await this.#reopen((session) => (id && isSettled(id, session) ? { sending: undefined } : {}));
      return true;
    } catch (error) {
      if (isNotKnown(error)) return false;
      if (codeOf(error) === 'reference_used') this.#change({ sending: undefined });
      this.#refuse(error);
      return false;
    }
  }

  /** Makes one call. Its answer is ignored if a later call was answered first. */
  async #call(
    make: (signal: AbortSignal) => Promise<Session>,
    also: (session: Session) => Partial<Known> = () => ({}),
  ): Promise<Session | undefined> {
    const place = ++this.#calls;
    const session = await make(this.#end.signal).catch((error) => {
      this.#isHeardOffline = false;
      throw error;
    });
    this.#isHeardOffline = !this.#deps.isOnline();
    if (this.#end.signal.aborted || place < this.#answered) return undefined;
    this.#answered = place;
    this.#heardAt = this.#deps.clock.now();
    this.#unanswered = 0;
    const time = Date.parse(session.now);
    const heard = { session, time, isCut: false, unsent: undefined };
    this.#change({ ...also(session), ...this.#waitOf(session), ...heard });
    this.#tickLater();
    return session;
  }

  /** Advances the time of a wait by the frame's own clock. */
  #tickLater(): void {
    this.#cancelTick();
    if (this.#end.signal.aborted || !isOut(this.known)) return;
    this.#cancelTick = this.#deps.clock.after(TICK_MS, () => {
      const { session } = this.known;
      const time = Date.parse(session!.now) + this.#deps.clock.now() - this.#heardAt;
      this.#change({ time });
      this.#tickLater();
    });
  }

  #waitOf(session: Session): Pick<Known, 'waitingSince'> {
    const before = this.known.session?.attempt;
    const isSame = before?.id === session.attempt?.id && before?.status === session.attempt?.status;
    return { waitingSince: isSame ? (this.known.waitingSince ?? session.now) : session.now };
  }

  #refuse(error: unknown): void {
    this.#change({ refusal: { code: codeOf(error), paths: pathsOf(error) } });
  }

  async #pause(ms: number): Promise<void> {
    if (this.#end.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }

  #change(news: Partial<Known>): unknown {
    if (this.#end.signal.aborted) return undefined;
    this.known = { ...this.known, ...news };
    if (this.known.leaving && !isAskedToStay(this.known))
      this.known = { ...this.known, leaving: undefined };
    return this.#deps.onChange(this.known);
  }
}

/**
 * Checks that sending this attempt can have no further effect: the session contains it, or accepts
 * none.
 */
function isSettled(id: string, session: Session): boolean {
  return session.attempt?.id === id || session.status !== 'open';
}

/** Checks that the service took neither this attempt nor any other. */
function isPassedOver(id: string, session: Session): boolean {
  return !isSettled(id, session) && screenOf({ session }) === 'form';
}
