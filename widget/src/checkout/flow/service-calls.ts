import type { Session } from '@service-pay/contract/checkout-api';
import { codeOf, isNotKnown, pathsOf } from './call-failure.ts';
import type { Checkout } from './client.ts';
import type { Clock } from './clock.ts';
import {
  isAskedToStay,
  isInFlight,
  type Known,
  NOT_ARRIVED,
  NOTHING_KNOWN,
  type Payable,
  type Service,
  screenOfOpen,
  sentOf,
} from './payment-state.ts';

const TICK_MS = 1_000;

/** A call without a response for this long is slow. */
const SLOW_MS = 5_000;

/** Polls without a response in a row before the screen says that the service does not respond. */
const CUT_AFTER = 2;

/** The pauses between calls that are repeated. */
export const PAUSE_MS = { first: 1_000, most: 5_000 } as const;

export interface ServiceCallsDeps {
  checkout: Checkout;
  clock: Clock;
  preview?: Payable | undefined;
  isUnconfirmed?: boolean;
  isOnline: () => boolean;
  /** Called after each change. The next call waits for what it returns. */
  onChange: (known: Known) => unknown;
}

/** Returns the changes that follow from a response. */
type Also = (session: Session) => Partial<Known>;

/**
 * Calls the service about one payment and keeps what is known of it. A response is dropped if
 * a later call got one first.
 */
export class ServiceCalls {
  known: Known;
  readonly #deps: ServiceCallsDeps;
  readonly #end = new AbortController();
  #cancelTick = () => {};
  #cancelSlow = () => {};
  /** Ends the pause early. */
  wake = () => {};
  #receivedAt = 0;
  #missed = 0;
  /** The last call got a response, although the browser said that there is no network. */
  #isReachedOffline = false;
  #lastCall = 0;
  #newest = 0;

  constructor(deps: ServiceCallsDeps) {
    this.#deps = deps;
    // A returning visit may have something in flight: it shows no form before the service has
    // responded.
    const { checkout, isUnconfirmed, preview } = deps;
    const visit = isUnconfirmed ? 'unconfirmed' : checkout.isReturning ? 'returning' : 'first';
    this.known = {
      ...NOTHING_KNOWN,
      service: { visit, preview: visit === 'first' ? preview : undefined },
    };
  }

  get session(): Session | undefined {
    return this.known.service.session;
  }

  get isStopped(): boolean {
    return this.#end.signal.aborted;
  }

  /** Stops everything: no call, timer or change after this. */
  stop(): void {
    this.#cancelTick();
    this.#cancelSlow();
    this.#end.abort();
    this.wake();
  }

  change(news: Partial<Known>): unknown {
    if (this.isStopped) return undefined;
    const wasSending = this.known.sending !== undefined;
    this.known = { ...this.known, ...news, isOffline: this.#isOffline };
    if (wasSending !== (this.known.sending !== undefined)) {
      this.#watchSending();
      this.#tickLater();
    }
    if (this.known.leaving && !isAskedToStay(this.known))
      this.known = { ...this.known, leaving: undefined };
    return this.#deps.onChange(this.known);
  }

  /** Notices a call that is slow to get a response. */
  #watchSending(): void {
    this.#cancelSlow();
    this.known = { ...this.known, isSlow: false };
    if (this.known.sending)
      this.#cancelSlow = this.#deps.clock.after(SLOW_MS, () => this.change({ isSlow: true }));
  }

  /** Makes one call. Returns nothing if its response is dropped. */
  async call(
    make: (checkout: Checkout, signal: AbortSignal) => Promise<Session>,
    also: Also = () => ({}),
  ): Promise<Session | undefined> {
    const number = ++this.#lastCall;
    const session = await make(this.#deps.checkout, this.#end.signal).catch((error) => {
      this.#isReachedOffline = false;
      throw error;
    });
    this.#isReachedOffline = !this.#deps.isOnline();
    if (this.isStopped || number < this.#newest) return undefined;
    this.#newest = number;
    this.#receivedAt = this.#deps.clock.now();
    this.#missed = 0;
    this.change({ service: this.#after(session), wire: { isCut: false }, ...also(session) });
    this.#tickLater();
    return session;
  }

  async open(also: Also = () => ({})): Promise<void> {
    await this.call(
      (checkout, signal) => checkout.open(signal),
      (session) => ({
        service: { ...this.#after(session), rejection: undefined },
        ...also(session),
      }),
    );
  }

  /** Gets a new token for the same session. Returns whether that worked. */
  async openQuietly(also?: Also): Promise<boolean> {
    try {
      await this.open(also);
      return true;
    } catch (error) {
      if (isNotKnown(error)) return false;
      if (codeOf(error) === 'reference_used') this.change({ sending: undefined });
      this.reject(error);
      return false;
    }
  }

  reject(error: unknown): void {
    const rejection = { code: codeOf(error), paths: pathsOf(error) };
    this.change({ service: { ...this.known.service, rejection } });
  }

  /** Polls the state. Only opening again can say what became of an attempt in flight. */
  async poll(): Promise<void> {
    const sent = sentOf(this.known);
    try {
      if (sent) await this.#settle(sent.id);
      else await this.#look();
    } catch (error) {
      this.#missed += 1;
      if (codeOf(error) === 'not_authorized' && !sent) await this.openQuietly();
      else if (this.#missed >= CUT_AFTER)
        this.change({ wire: { ...this.known.wire, isCut: true } });
    }
  }

  /**
   * Finds out what became of an attempt that has no response yet. It ends if the service has it.
   */
  async lookFor(id: string): Promise<void> {
    await this.#look((session) => (isSettled(id, session) ? { sending: undefined } : {}));
  }

  get #isOffline(): boolean {
    return !this.#deps.isOnline() && !this.#isReachedOffline;
  }

  /**
   * Checks if nothing can be sent now, and reports it: nothing is sent later without a new press.
   */
  isUnsendable(): boolean {
    const { isCut, unsent: before } = this.known.wire;
    const unsent = this.#isOffline ? 'offline' : isCut ? 'cut' : undefined;
    if (unsent || before) this.change({ wire: { isCut, unsent }, ...(unsent && { problems: {} }) });
    return unsent !== undefined;
  }

  /** Waits, unless something wakes it earlier. */
  async pause(ms: number): Promise<void> {
    if (this.isStopped) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
    this.wake = () => {};
  }

  async #look(also?: Also): Promise<void> {
    await this.call((checkout, signal) => checkout.look(signal), also);
  }

  /**
   * Ends an unsure wait: the opened session contains the attempt, or it can no longer arrive. A
   * session that is over cannot be opened, but still be shown.
   */
  async #settle(id: string): Promise<void> {
    try {
      await this.open((session) => {
        const isNews = isPassedOver(id, session) && !Object.keys(this.known.problems).length;
        return { sending: undefined, ...(isNews && { problems: NOT_ARRIVED }) };
      });
    } catch (error) {
      if (codeOf(error) !== 'reference_used') throw error;
      await this.#look(() => ({ sending: undefined }));
    }
  }

  #after(session: Session): Service {
    const { service } = this.known;
    const time = Date.parse(session.now);
    const { attempt } = service.session ?? {};
    const isSameWait =
      service.session &&
      attempt?.id === session.attempt?.id &&
      attempt?.status === session.attempt?.status;
    const waitingSince = isSameWait ? service.waitingSince : time;
    return { ...service, session, time, waitingSince };
  }

  /** Advances the time of a wait by the frame's own clock. */
  #tickLater(): void {
    this.#cancelTick();
    if (this.isStopped || !isInFlight(this.known)) return;
    this.#cancelTick = this.#deps.clock.after(TICK_MS, () => {
      const { service } = this.known;
      if (!service.session) return;
      const time = Date.parse(service.session.now) + this.#deps.clock.now() - this.#receivedAt;
      this.change({ service: { ...service, time } });
      this.#tickLater();
    });
  }
}

/**
 * Checks that sending this attempt can have no further effect: the session contains it, or accepts
 * none.
 */
export function isSettled(id: string, session: Session): boolean {
  return session.attempt?.id === id || session.status !== 'open';
}

/** Checks that the service took neither this attempt nor any other. */
export function isPassedOver(id: string, session: Session): boolean {
  return !isSettled(id, session) && screenOfOpen(session) === 'form';
}
