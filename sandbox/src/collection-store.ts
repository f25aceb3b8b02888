import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Network } from '@service-pay/contract/checkout-api';
import type { CardDetails, Collection, MobileMoneyDetails } from '@service-pay/contract/collection';
import type { Bearer, Channel } from '@service-pay/contract/payment-request-schema';

import { collectionStatus, findRunning, type Life, NEW_LIFE, reasonForFailure } from './collection-life.ts';
import type { Charge } from './fees.ts';
import type { Outcome } from './outcomes.ts';
import type { MobilePhone } from './phone-numbers.ts';

/** One try with one instrument, beside its state in the session's life. Holds no card number and no code. */
export interface Attempt {
  readonly id: string;
  readonly channel: Channel;
  /** The visit that submitted it: nobody else may answer it (D25). */
  readonly visit: string;
  readonly outcome: Outcome;
  readonly cardDetails: CardDetails | null;
  readonly mobileMoneyDetails: MobileMoneyDetails | null;
  readonly phone: MobilePhone | null;
  /** The unguessable end of the challenge page's address. */
  readonly challenge: string | null;
  codesLeft: number | null;
  /** When what is waited for gives up by itself. */
  expiresAt: number | null;
  /** Calls off what the clock would do next. */
  cancel: () => void;
}

/** What a session is made of: one merchant's reference, amount and terms. */
export interface SessionTerms {
  readonly merchant: string;
  readonly accountId: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly bearer: Bearer;
  readonly label: string | null;
  readonly channels: readonly Channel[];
  readonly networks: readonly Network[];
  readonly charge: Charge;
  expiresAt: number;
}

/** One reference of one merchant: its terms, its life, its attempts, and from the first attempt on its collection (D35). */
export interface Session extends SessionTerms {
  /** In order of beginning, as in its life. */
  readonly attempts: Attempt[];
  /** Of every token given out: its digest and whose visit it is, oldest first. Only the newest begins attempts. */
  readonly tokens: { readonly digest: string; readonly visit: string }[];
  /** Ids of attempts that were answered and did not begin, newest last: none of them begins later. */
  readonly passedOver: string[];
  life: Life;
  /** How often the customer has asked for more time. */
  extensions: number;
  collection: Collection | null;
  endedAt: number | null;
  /** Calls off the end of its time. */
  cancel: () => void;
}

/** Somebody at the checkout page of a session, known by a token. It stays the same visit when it is opened again. */
export interface Visit {
  readonly id: string;
  readonly session: Session;
  /** The digest of the token in hand. */
  readonly token: string;
}

/** Which collections a list is of (D39). Times are milliseconds; `from` is inclusive, `to` is not. */
export interface CollectionFilter {
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Sessions nobody has tried to pay in are forgotten beyond this many, the oldest first. */
const MOST_UNTRIED_SESSIONS = 10_000;

/** Tokens of one session that are remembered, the newest ones. */
const MOST_TOKENS = 64;

/** Attempts of one session that never began and are remembered, the newest ones. */
const MOST_PASSED_OVER = 64;

/** Everything the service remembers, by merchant: nobody can see another's. Maps, so that any reference is as good as another. */
export class CollectionStore {
  #sessions = new Map<string, Map<string, Session>>();
  #untried = new Set<Session>();
  #visits = new Map<string, Visit>();
  #challenges = new Map<string, { session: Session; attempt: Attempt }>();
  #collections = new Map<string, Collection[]>();
  #collectionsById = new Map<string, Collection>();
  #prompts = new Map<string, { session: Session; attempt: Attempt }[]>();
  #serviceReferences = 0;
  #operatorTransactions = 0;

  /** Forgets everything. */
  reset(): void {
    for (const byReference of this.#sessions.values()) byReference.clear();
    for (const known of [this.#sessions, this.#untried, this.#visits, this.#challenges, this.#collections]) known.clear();
    this.#collectionsById.clear();
    this.#prompts.clear();
    this.#serviceReferences = 0;
    this.#operatorTransactions = 0;
  }

  findSession(merchant: string, reference: string): Session | undefined {
    return this.#sessions.get(merchant)?.get(reference);
  }

  /** Keeps a new session; its reference must be free. */
  addSession(terms: SessionTerms): Session {
    const session: Session = {
      ...terms,
      attempts: [],
      tokens: [],
      passedOver: [],
      life: NEW_LIFE,
      extensions: 0,
      collection: null,
      endedAt: null,
      cancel: () => undefined,
    };
    const byReference = this.#sessions.get(terms.merchant) ?? new Map<string, Session>();
    this.#sessions.set(terms.merchant, byReference.set(terms.reference, session));
    this.#untried.add(session);
    if (this.#untried.size > MOST_UNTRIED_SESSIONS) this.#forgetOldestUntried();
    return session;
  }

  /** Lets somebody in, or an earlier visit go on: the token is given out once and only its digest is kept. */
  addVisit(session: Session, earlier?: Visit): { token: string; visit: Visit } {
    const token = randomBytes(32).toString('base64url');
    const key = digest(token);
    const visit: Visit = { id: earlier?.id ?? key, session, token: key };
    this.#visits.set(key, visit);
    session.tokens.push({ digest: key, visit: visit.id });
    if (session.tokens.length > MOST_TOKENS) this.#forgetOldestIdleToken(session);
    return { token, visit };
  }

  /** Tells whether nobody has opened the session since this visit did. */
  isNewest({ session, token }: Visit): boolean {
    return session.tokens.at(-1)?.digest === token;
  }

  /** Remembers that an attempt was answered and did not begin. */
  passOver(session: Session, attemptId: string): void {
    if (!session.passedOver.includes(attemptId)) session.passedOver.push(attemptId);
    if (session.passedOver.length > MOST_PASSED_OVER) session.passedOver.shift();
  }

  findVisit(token: string): Visit | undefined {
    return this.#visits.get(digest(token));
  }

  /** Gives a session its next life, and tells its collection. The only way either changes. */
  setLife(session: Session, life: Life, now: string): void {
    session.life = life;
    if (life.session !== 'open') {
      session.endedAt ??= Date.parse(now);
      session.cancel();
    }
    const { collection } = session;
    const status = collectionStatus(life);
    if (!collection || !status) return;
    const attempt = session.attempts.at(-1)!;
    collection.status = status;
    collection.type = attempt.channel;
    collection.reasonForFailure = reasonForFailure(life);
    collection.cardDetails = attempt.cardDetails;
    collection.mobileMoneyDetails = attempt.mobileMoneyDetails;
    if (life.session !== 'open') collection.completedAt ??= now;
  }

  /** Remembers an attempt that begins with `life`; the first one makes the collection (D35). */
  addAttempt(session: Session, attempt: Attempt, life: Life, now: string): void {
    session.attempts.push(attempt);
    if (attempt.challenge) this.#challenges.set(attempt.challenge, { session, attempt });
    this.#untried.delete(session);
    if (!session.collection) {
      session.collection = {
        ...this.newCollection(now),
        amount: session.amount,
        bearer: session.bearer,
        currency: session.currency,
        reference: session.reference,
        type: attempt.channel,
      };
      this.addCollection(session.merchant, session.collection);
    }
    this.setLife(session, life, now);
  }

  /** A collection with nothing to say yet (D33), under a service reference of its own (D45). */
  newCollection(initiatedAt: string): Collection {
    return {
      id: randomUUID(),
      initiatedAt,
      completedAt: null,
      amount: '0.00',
      fee: null,
      bearer: 'merchant',
      currency: '',
      reference: '',
      serviceReference: String(++this.#serviceReferences).padStart(9, '0'),
      type: '',
      status: 'pending',
      source: 'api',
      reasonForFailure: null,
      settlementStatus: null,
      settlement: null,
      mobileMoneyDetails: null,
      bankAccountDetails: null,
      cardDetails: null,
    };
  }

  /** What a network calls its next payment. */
  newOperatorTransactionId(): string {
    return `SANDBOX-${String(++this.#operatorTransactions).padStart(6, '0')}`;
  }

  /** Keeps a collection in the merchant's list, which stays in order of `initiatedAt`. */
  addCollection(merchant: string, collection: Collection): void {
    this.#collectionsById.set(collection.id, collection);
    const list = this.#collections.get(merchant) ?? [];
    this.#collections.set(merchant, list);
    const initiatedAt = Date.parse(collection.initiatedAt);
    let at = list.length;
    while (at > 0 && Date.parse(list[at - 1]!.initiatedAt) > initiatedAt) at--;
    list.splice(at, 0, collection);
  }

  /** Counts a session that came with its collection among those that were tried. */
  keepWithCollection(session: Session, collection: Collection, life: Life): void {
    this.#untried.delete(session);
    session.collection = collection;
    session.life = life;
  }

  findCollection(merchant: string, reference: string): Collection | undefined {
    return this.findSession(merchant, reference)?.collection ?? undefined;
  }

  findCollectionById(merchant: string, id: string): Collection | undefined {
    const found = this.#collectionsById.get(id);
    return found && this.findCollection(merchant, found.reference) === found ? found : undefined;
  }

  /** Tells whether any merchant's collection has this id. */
  hasCollectionId(id: string): boolean {
    return this.#collectionsById.has(id);
  }

  /** A merchant's collections that pass the filter, newest first (D39). */
  listCollections(merchant: string, { status, type, from, to }: CollectionFilter): Collection[] {
    const passes = (collection: Collection) => {
      if (status !== undefined && collection.status !== status) return false;
      if (type !== undefined && collection.type !== type) return false;
      if (from === undefined && to === undefined) return true;
      const initiatedAt = Date.parse(collection.initiatedAt);
      return initiatedAt >= (from ?? -Infinity) && initiatedAt < (to ?? Infinity);
    };
    return (this.#collections.get(merchant) ?? []).filter(passes).reverse();
  }

  findChallenge(secret: string): { session: Session; attempt: Attempt } | undefined {
    return this.#challenges.get(secret);
  }

  /** Puts a prompt or a code on the attempt's handset, as the newest there. */
  addPrompt(session: Session, attempt: Attempt): void {
    const { international } = attempt.phone!;
    const others = this.listPrompts(international).filter((out) => out.attempt !== attempt);
    this.#prompts.set(international, [...others, { session, attempt }]);
  }

  /** What is out on a handset, oldest first: prompts to answer and one-time codes to read. What has ended is taken away. */
  listPrompts(international: string): readonly { session: Session; attempt: Attempt }[] {
    const out = (this.#prompts.get(international) ?? []).filter(({ session, attempt }) => findRunning(session.life)?.id === attempt.id);
    if (out.length) this.#prompts.set(international, out);
    else this.#prompts.delete(international);
    return out;
  }

  #forgetOldestUntried(): void {
    const [oldest] = this.#untried;
    if (!oldest) return;
    oldest.cancel();
    this.#untried.delete(oldest);
    this.#sessions.get(oldest.merchant)?.delete(oldest.reference);
    for (const { digest } of oldest.tokens) this.#visits.delete(digest);
  }

  /** The last token of a visit that made an attempt is kept: it alone may answer that attempt. */
  #forgetOldestIdleToken({ attempts, tokens }: Session): void {
    const kept = new Set(attempts.map(({ visit }) => tokens.findLast((token) => token.visit === visit)));
    const idleAt = tokens.findIndex((token) => !kept.has(token));
    for (const { digest } of tokens.splice(idleAt, 1)) this.#visits.delete(digest);
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
