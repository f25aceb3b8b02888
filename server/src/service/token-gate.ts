import { type Clock, hasPassed } from '../support/clock.ts';

/** While the token is refused, one call so often finds out whether it works again. */
const TRY_EVERY_MS = 5_000;

/**
 * Holds calls back while the service refuses the token (T101): every one of them would be refused,
 * and nobody but a person can mend it. One in five seconds goes through; the first that is not
 * refused opens the gate.
 */
export class TokenGate {
  readonly #clock: Clock;
  #triedAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the token was refused when it was last shown. */
  get isRefused(): boolean {
    return this.#triedAt !== undefined;
  }

  /**
   * Says whether a call may be made, and counts it as the one that finds out where the token is
   * refused.
   */
  admit(): boolean {
    if (this.#triedAt === undefined) return true;
    if (!hasPassed(this.#clock, this.#triedAt, TRY_EVERY_MS)) return false;
    this.#triedAt = this.#clock.now();
    return true;
  }

  /** Takes down what the service made of the token. */
  note(wasRefused: boolean): void {
    if (!wasRefused) this.#triedAt = undefined;
    else this.#triedAt ??= this.#clock.now();
  }
}
