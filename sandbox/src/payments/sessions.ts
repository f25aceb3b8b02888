import { isSameAmount, toDecimal } from '@service-pay/contract/money';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { ApiError, rejectFields } from '../http/api-error.ts';
import type { History } from '../storage/history.ts';
import { keyOf, nameOf } from '../storage/payment-key.ts';
import { EXTENSIONS_PER_SESSION, WAITS } from '../test-numbers/outcomes.ts';
import type { Clock } from '../time/clock.ts';
import { rejectCurrency } from './currency.ts';
import type { Merchants } from './merchants.ts';
import type { Session, SessionTerms, Visit } from './session.ts';
import { expire, NEW_LIFE } from './session-life.ts';
import { termsOf } from './session-terms.ts';
import type { Notify } from './settlements.ts';
import type { CollectionStore } from './store.ts';
import {
  changesSince,
  recordSteps,
  sessionExtended,
  sessionOpened,
  sessionOverdue,
  sessionVisited,
} from './story.ts';

interface SessionsDeps {
  clock: Clock;
  history: History;
  store: CollectionStore;
  merchants: Merchants;
  notify: Notify;
}

/** Opens, extends and ends sessions, on the sandbox's clock. */
export class Sessions {
  readonly #clock: Clock;
  readonly #history: History;
  readonly #store: CollectionStore;
  readonly #merchants: Merchants;
  readonly #notify: Notify;

  constructor({ clock, history, store, merchants, notify }: SessionsDeps) {
    this.#clock = clock;
    this.#history = history;
    this.#store = store;
    this.#merchants = merchants;
    this.#notify = notify;
    clock.handle('session-end', (key) => this.#endInTime(key));
  }

  /**
   * Opens the session of a reference, or resumes it (D17, D18); one that ended without any attempt
   * opens again (D37). The `token` of an earlier visit continues that visit; any other is ignored
   * (D25). Only the newest token starts attempts. Fails with 401·09, 400·01 and 400·04 (D19).
   */
  open(
    request: PaymentRequest,
    token: string | undefined,
  ): { token: string; visit: Visit; isResumed: boolean } {
    const merchant = this.#merchants.find(request.key);
    if (!merchant)
      throw new ApiError(
        'token_rejected',
        "This service does not know this key. Check the key and the script's address.",
      );
    const amount = toDecimal(request.amount);
    if (!amount)
      rejectFields([
        {
          path: 'amount',
          code: 'invalid',
          message: 'amount must be above 0, with at most 15 digits.',
        },
      ]);
    const currency = request.currency ?? merchant.defaultCurrency;
    rejectCurrency({ amount, currency });

    const known = this.#store.findSession({
      merchant: merchant.publicKey,
      reference: request.reference,
    });
    if (known && !(isSameAmount(known.amount, amount) && known.currency === currency)) {
      throw new ApiError(
        'reference_rejected',
        'This reference was used with another amount or currency. Start a new order.',
      );
    }
    if (known?.life.session === 'failed') {
      if (known.collection)
        throw new ApiError(
          'reference_rejected',
          'The payment with this reference is over. Start a new order.',
        );
      this.#reopen(known);
    }
    const session = known ?? this.#addSession(termsOf(merchant, request, { amount, currency }));
    const earlier = token === undefined ? undefined : this.#store.visits.find(token);
    const isResumed =
      earlier?.session.merchant === session.merchant &&
      earlier.session.reference === session.reference;
    if (known) recordSteps(this.#history, session, sessionVisited(isResumed));
    const added = this.#store.visits.add(session, isResumed ? earlier : undefined);
    this.#store.markChanged(session);
    return { ...added, isResumed };
  }

  /**
   * Extends a session to its full time if less than half is left. Fails with 400·04 if it is over
   * or was extended too often (D37).
   */
  extend({ session }: Visit): void {
    const isOver = session.life.session !== 'open' || session.life.isOverdue;
    if (isOver || session.extensions === EXTENSIONS_PER_SESSION) {
      throw new ApiError(
        'reference_rejected',
        'This payment cannot be extended again. Start a new order when it has ended.',
      );
    }
    if (session.expiresAt - this.#clock.now() > WAITS.session / 2) return;
    session.extensions += 1;
    this.#endLater(session);
    this.#store.markChanged(session);
    recordSteps(this.#history, session, sessionExtended(this.#clock.timestamp(session.expiresAt)));
  }

  #addSession(terms: SessionTerms): Session {
    const session = this.#store.addSession(terms, this.#clock.now());
    this.#endLater(session);
    recordSteps(this.#history, session, sessionOpened(session));
    return session;
  }

  #reopen(session: Session): void {
    session.extensions = 0;
    session.endedAt = null;
    this.#endLater(session);
    this.#store.setLife(session, NEW_LIFE, this.#clock.timestamp());
    recordSteps(this.#history, session, sessionOpened(session));
  }

  #endLater(session: Session): void {
    this.#clock.callOff(session.planned);
    session.expiresAt = this.#clock.now() + WAITS.session;
    session.planned = this.#clock.plan(session.expiresAt, 'session-end', keyOf(session));
  }

  #endInTime(key: string): void {
    const session = this.#store.findSession(nameOf(key));
    if (!session) return;
    session.planned = null;
    const before = session.life;
    const life = expire(before);
    this.#store.setLife(session, life, this.#clock.timestamp());
    if (life.isOverdue) recordSteps(this.#history, session, sessionOverdue());
    recordSteps(this.#history, session, ...changesSince(before, session));
    if (life.session === 'failed' && session.collection)
      this.#notify(session.merchant, 'collection.failed', session.collection);
    this.#store.markChanged(session);
  }
}
