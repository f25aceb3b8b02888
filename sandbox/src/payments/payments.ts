import { type CreateAttempt, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import { findPhone } from '@service-pay/contract/phone';
import { ApiError } from '../http/api-error.ts';
import type { History } from '../storage/history.ts';
import { keyOf, nameOf, type PaymentName } from '../storage/payment-key.ts';
import { type Ending, ONE_TIME_CODE, REASONS, WAITS } from '../test-numbers/outcomes.ts';
import { EVERY_NETWORK, type MobilePhone } from '../test-numbers/phones.ts';
import type { Clock } from '../time/clock.ts';
import { readInstrument } from './channels.ts';
import type { Instrument } from './instrument.ts';
import type { Merchants } from './merchants.ts';
import type { Answer, Attempt, Session, Visit } from './session.ts';
import {
  attemptsLeft,
  begin,
  decline,
  findRunning,
  isReplaceable,
  moveOn,
  type RunningStatus,
  succeed,
} from './session-life.ts';
import { Sessions } from './sessions.ts';
import { type Notify, Settlements } from './settlements.ts';
import type { CollectionStore } from './store.ts';
import {
  attemptBegan,
  attemptEnded,
  attemptMoved,
  attemptPassedOver,
  challengeAnswered,
  changesSince,
  codeRejected,
  promptAnswered,
  recordSteps,
  withdrawalRejected,
} from './story.ts';

interface AttemptScenarios {
  beginAttempt(payment: PaymentName, earlier: number, instrument: Instrument): Instrument;
}

interface PromptChoice {
  merchant?: string | undefined;
  reference?: string | undefined;
}

export interface PaymentsDeps {
  clock: Clock;
  history: History;
  store: CollectionStore;
  merchants: Merchants;
  scenarios: AttemptScenarios;
  notify: Notify;
}

/**
 * Moves payments from the first attempt to the payout, each step on the sandbox's clock. `sessions`
 * opens and ends the sessions they belong to.
 */
export class Payments {
  readonly sessions: Sessions;
  readonly #clock: Clock;
  readonly #history: History;
  readonly #store: CollectionStore;
  readonly #merchants: Merchants;
  readonly #scenarios: AttemptScenarios;
  readonly #notify: Notify;
  readonly #settlements: Settlements;

  constructor({ clock, history, store, merchants, scenarios, notify }: PaymentsDeps) {
    this.#clock = clock;
    this.#history = history;
    this.#store = store;
    this.#merchants = merchants;
    this.#scenarios = scenarios;
    this.#notify = notify;
    this.sessions = new Sessions({ clock, history, store, merchants, notify });
    this.#settlements = new Settlements({ clock, history, store, notify });
    clock.handle('attempt-end', (key) => this.#endAttemptInTime(key));
  }

  /**
   * Starts an attempt. A known id, or an attempt sent while another runs, changes nothing, then or
   * later (T42); one that waits only for a one-time code is replaced (D25). Fails with 400·01,
   * 400·12, 400·04 if no attempt is left, and 401·09 if the session was opened again since.
   */
  attempt(visitor: Visit, input: CreateAttempt): void {
    const { id: visit, session } = visitor;
    if (session.attempts.some(({ id }) => id === input.id) || session.passedOver.includes(input.id))
      return;
    const running = findRunning(session.life);
    if (!running && !attemptsLeft(session.life)) throw noAttemptLeft();
    if (!this.#store.visits.isNewest(visitor)) {
      throw new ApiError(
        'token_rejected',
        'This payment was opened elsewhere. Open it again here, then repeat the attempt.',
      );
    }
    if (running && !isReplaceable(session.life)) {
      this.#store.passOver(session, input.id);
      recordSteps(this.#history, session, attemptPassedOver(session, input.id));
      return;
    }

    const { cardBrands } = this.#merchants.get(session.merchant);
    const read = readInstrument(session, input, { now: this.#clock.now(), cardBrands });
    const { status, ...instrument } = this.#scenarios.beginAttempt(
      session,
      session.attempts.length,
      read,
    );
    const attempt: Attempt = {
      ...instrument,
      id: input.id,
      channel: input.channel,
      visit,
      isWithdrawalRefused: false,
      expiresAt: null,
      planned: null,
    };
    if (running)
      this.#end(session, session.attempts.at(-1)!, {
        status: 'declined',
        reason: REASONS.replaced,
      });
    const life = begin(session.life, attempt.id, status);
    const before = session.life;
    this.#store.addAttempt(session, attempt, life, this.#clock.timestamp());
    recordSteps(this.#history, session, attemptBegan(session, attempt, status));
    recordSteps(this.#history, session, ...changesSince(before, session));
    this.#await(session, attempt, status);
  }

  /**
   * Checks a one-time code. Three wrong ones decline the attempt; after that, or after the right
   * one, a code changes nothing.
   */
  enterCode(visitor: Visit, attemptId: string, code: string): void {
    const { session } = visitor;
    const attempt = ownAttempt(visitor, attemptId);
    const running = findRunning(session.life);
    if (running?.id !== attemptId || running.status !== 'otp-required') return;
    if (code === ONE_TIME_CODE.right) {
      attempt.codesLeft = null;
      this.#move(session, attempt, 'pay-offline');
    } else {
      attempt.codesLeft! -= 1;
      this.#store.markChanged(session);
      recordSteps(this.#history, session, codeRejected(session, attempt));
      if (!attempt.codesLeft)
        this.#end(session, attempt, { status: 'declined', reason: REASONS.codeWrong });
    }
  }

  /**
   * Cancels the prompt of an attempt that waits for the phone. The attempt is declined unless the
   * network cannot cancel it. If it has already ended or been cancelled, nothing changes (D47,
   * T124).
   */
  withdraw(visitor: Visit, attemptId: string): void {
    const { session } = visitor;
    const attempt = ownAttempt(visitor, attemptId);
    const running = findRunning(session.life);
    if (running?.id !== attemptId || running.status !== 'pay-offline') return;
    if (attempt.outcome.withdrawal !== 'refused') {
      this.#end(session, attempt, { status: 'declined', reason: WITHDRAWN_REASON });
    } else if (!attempt.isWithdrawalRefused) {
      attempt.isWithdrawalRefused = true;
      this.#store.markChanged(session);
      recordSteps(this.#history, session, withdrawalRejected(session, attempt));
    }
  }

  /** Records the answer to a challenge. Returns false if it has one already. */
  answerChallenge(secret: string, answer: Answer): boolean {
    const { session, attempt } = this.findChallenge(secret);
    if (!isOpenChallenge(session, attempt)) return false;
    recordSteps(this.#history, session, challengeAnswered(session, attempt, answer));
    this.#end(
      session,
      attempt,
      answer === 'approve'
        ? { status: 'successful' }
        : { status: 'declined', reason: REASONS.challengeDeclined },
    );
    return true;
  }

  findChallenge(secret: string): { session: Session; attempt: Attempt; isOpen: boolean } {
    const found = this.#store.findChallenge(secret);
    if (!found) throw new ApiError('not_found', 'No card verification has this address.');
    return { ...found, isOpen: isOpenChallenge(found.session, found.attempt) };
  }

  /**
   * Approves or declines the newest prompt on a phone, or the newest of a merchant or reference.
   * Returns its reference, or fails with 404·11.
   */
  answerPrompt(number: string, answer: Answer, { merchant, reference }: PromptChoice): string {
    const found = this.listPrompts(this.requirePhone(number)).findLast(
      ({ session, status }) =>
        status === 'pay-offline' &&
        (reference === undefined || session.reference === reference) &&
        (merchant === undefined || session.merchant === merchant),
    );
    if (!found) throw new ApiError('not_found', 'No prompt is waiting on this phone.');
    recordSteps(this.#history, found.session, promptAnswered(found.session, found.attempt, answer));
    this.#end(
      found.session,
      found.attempt,
      answer === 'approve'
        ? { status: 'successful' }
        : { status: 'declined', reason: REASONS.promptDeclined },
    );
    return found.session.reference;
  }

  requirePhone(number: string): MobilePhone {
    const phone = findPhone(number, EVERY_NETWORK);
    if (!phone)
      throw new ApiError(
        'phone_invalid',
        'This is not a number of a known network, such as 0961111111.',
      );
    return phone;
  }

  /**
   * Lists the prompts (`pay-offline`) and one-time codes (`otp-required`) on a phone, oldest first.
   */
  listPrompts(phone: MobilePhone): { session: Session; attempt: Attempt; status: string }[] {
    return this.#store
      .listPrompts(phone.international)
      .map((out) => ({ ...out, status: findRunning(out.session.life)!.status }));
  }

  #move(session: Session, attempt: Attempt, status: RunningStatus): void {
    const before = session.life;
    this.#store.setLife(session, moveOn(before, attempt.id, status), this.#clock.timestamp());
    recordSteps(this.#history, session, attemptMoved(session, attempt, status));
    recordSteps(this.#history, session, ...changesSince(before, session));
    this.#await(session, attempt, status);
  }

  #await(session: Session, attempt: Attempt, status: RunningStatus): void {
    this.#clock.callOff(attempt.planned);
    const { answeredAfterMs, end } = attempt.outcome;
    const plan = (afterMs: number) => {
      attempt.planned = this.#clock.plan(
        this.#clock.now() + afterMs,
        'attempt-end',
        keyOf(session),
      );
    };
    attempt.planned = null;
    attempt.expiresAt = null;
    if (status === 'pay-offline' || status === 'otp-required')
      this.#store.addPrompt(session, attempt);
    if (status === 'pending') {
      if (answeredAfterMs) plan(answeredAfterMs);
      else this.#end(session, attempt, end);
    } else if (status === 'pay-offline') {
      attempt.expiresAt = this.#clock.now() + WAITS.prompt;
      plan(answeredAfterMs ?? WAITS.prompt);
    } else if (status === 'otp-required') {
      attempt.expiresAt = this.#clock.now() + WAITS.oneTimeCode;
      plan(WAITS.oneTimeCode);
    } else {
      attempt.expiresAt = this.#clock.now() + WAITS.challenge;
      plan(WAITS.challenge);
    }
  }

  #end(session: Session, attempt: Attempt, ending: Ending): void {
    this.#clock.callOff(attempt.planned);
    attempt.planned = null;
    attempt.expiresAt = null;
    const life =
      ending.status === 'successful'
        ? succeed(session.life, attempt.id)
        : decline(session.life, attempt.id, ending.reason);
    const before = session.life;
    if (life === before) return;
    this.#store.setLife(session, life, this.#clock.timestamp());
    recordSteps(this.#history, session, attemptEnded(session, attempt, ending));
    recordSteps(this.#history, session, ...changesSince(before, session));
    if (life.session === 'successful') this.#settlements.begin(session, attempt.channel);
    if (life.session === 'failed')
      this.#notify(session.merchant, 'collection.failed', session.collection!);
    this.#store.markChanged(session);
  }

  #endAttemptInTime(key: string): void {
    const session = this.#store.findSession(nameOf(key));
    const attempt = session?.attempts.at(-1);
    if (!session || !attempt) return;
    attempt.planned = null;
    const isCodeOut = findRunning(session.life)?.status === 'otp-required';
    this.#end(
      session,
      attempt,
      isCodeOut ? { status: 'declined', reason: REASONS.codeTimedOut } : attempt.outcome.end,
    );
  }
}

function ownAttempt({ id: visit, session }: Visit, attemptId: string): Attempt {
  const attempt = session.attempts.find(({ id }) => id === attemptId);
  if (!attempt) throw new ApiError('not_found', 'This payment does not have this attempt.');
  if (attempt.visit !== visit)
    throw new ApiError('access_denied', 'Only the visitor who began this attempt can do this.');
  return attempt;
}

function noAttemptLeft(): ApiError {
  return new ApiError('reference_rejected', 'This payment has no attempt left. Start a new order.');
}

function isOpenChallenge(session: Session, attempt: Attempt): boolean {
  return findRunning(session.life)?.id === attempt.id;
}
