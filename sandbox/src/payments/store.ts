import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Collection } from '@service-pay/contract/collection';
import * as v from 'valibot';
import type { Records } from '../storage/state.ts';
import { type CollectionFilter, CollectionList, type Listed } from './list.ts';
import { keyOf } from './payment-key.ts';
import type { Attempt, Session, SessionTerms, Visit } from './session.ts';
import {
  collectionStatus,
  findRunning,
  type Life,
  NEW_LIFE,
  reasonForFailure,
} from './session-life.ts';

const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** How far the numbers of a store went, as plain data. Its sessions are records. */
const snapshotSchema = v.strictObject({
  serviceReferences: countSchema,
  operatorTransactions: countSchema,
});

/** Finished collections that are kept: beyond this many, the one that finished first leaves. */
export const MOST_FINISHED = 10_000;

/** Sessions nobody has tried to pay in are forgotten beyond this many, the oldest first. */
const MOST_UNTRIED_SESSIONS = 10_000;

/** Tokens of one session that are remembered, the newest ones. */
const MOST_TOKENS = 64;

/** Attempts of one session that never began and are remembered, the newest ones. */
const MOST_PASSED_OVER = 64;

/**
 * Everything the service remembers, by merchant: nobody can see another's. Maps, so that any
 * reference is as good as another.
 */
export class CollectionStore {
  readonly #callOff: (planned: number | null) => void;
  readonly #sessions = new Map<string, Session>();
  readonly #untried = new Set<Session>();
  /** In order of finishing. */
  readonly #finished = new Set<Session>();
  readonly #visits = new Map<string, Session>();
  readonly #collectionsById = new Map<string, Session>();
  readonly #challenges = new Map<string, Session>();
  readonly #collections = new CollectionList();
  /** By handset, in order of going out. A session has one attempt out at most. */
  readonly #prompts = new Map<string, Map<Session, Attempt>>();
  #serviceReferences = 0;
  #operatorTransactions = 0;

  /** Each session under its merchant and reference. */
  readonly records: Records = {
    onChange: () => undefined,
    find: (key) => this.#sessions.get(key),
  };

  /** `callOff` is given the plan of a session that is forgotten. */
  constructor(callOff: (planned: number | null) => void = () => undefined) {
    this.#callOff = callOff;
  }

  /** Forgets everything. */
  reset(): void {
    for (const key of this.#sessions.keys()) this.records.onChange(key);
    const known = [
      ...[this.#sessions, this.#untried, this.#finished, this.#visits],
      ...[this.#collectionsById, this.#challenges, this.#collections, this.#prompts],
    ];
    for (const one of known) one.clear();
    this.#serviceReferences = 0;
    this.#operatorTransactions = 0;
  }

  findSession(merchant: string, reference: string): Session | undefined {
    return this.#sessions.get(keyOf({ merchant, reference }));
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
      planned: null,
    };
    this.#sessions.set(keyOf(session), session);
    this.#untried.add(session);
    this.keep(session);
    const [oldest] = this.#untried;
    if (oldest && this.#untried.size > MOST_UNTRIED_SESSIONS) this.#forget(oldest);
    return session;
  }

  /** Notes that a session has changed. One that is over may make an older one leave. */
  keep(session: Session): void {
    this.records.onChange(keyOf(session));
    if (session.life.session === 'open' || !session.collection) return;
    this.#finished.add(session);
    const [oldest] = this.#finished;
    if (oldest && this.#finished.size > MOST_FINISHED) this.#forget(oldest);
  }

  /**
   * Lets somebody in, or an earlier visit go on: the token is given out once and only its digest is
   * kept.
   */
  addVisit(session: Session, earlier?: Visit): { token: string; visit: Visit } {
    const token = randomBytes(32).toString('base64url');
    const key = digest(token);
    const visit: Visit = { id: earlier?.id ?? key, session, token: key };
    this.#visits.set(key, session);
    session.tokens.push({ digest: key, visit: visit.id });
    if (session.tokens.length > MOST_TOKENS) this.#forgetOldestIdleToken(session);
    this.keep(session);
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
    this.keep(session);
  }

  findVisit(token: string): Visit | undefined {
    const key = digest(token);
    const session = this.#visits.get(key);
    const known = session?.tokens.find(({ digest }) => digest === key);
    return session && known && { id: known.visit, session, token: key };
  }

  /** Gives a session its next life, and tells its collection. The only way either changes. */
  setLife(session: Session, life: Life, now: string): void {
    session.life = life;
    this.keep(session);
    if (life.session !== 'open') {
      session.endedAt ??= Date.parse(now);
      this.#callOff(session.planned);
      session.planned = null;
    }
    const { collection } = session;
    const status = collectionStatus(life);
    if (!collection || !status) return;
    const attempt = session.attempts.at(-1)!;
    if (!findRunning(life)) this.#takePrompt(session, attempt);
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
    if (attempt.challenge) this.#challenges.set(attempt.challenge, session);
    if (!session.collection) {
      this.addCollection(session, {
        ...this.newCollection(now),
        amount: session.amount,
        bearer: session.bearer,
        currency: session.currency,
        reference: session.reference,
        type: attempt.channel,
      });
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

  /**
   * Gives a session its collection and takes that into the list; a session that has one counts
   * among those that were tried.
   */
  addCollection(session: Session, collection: Collection): void {
    session.collection = collection;
    this.#untried.delete(session);
    this.#list(session, collection);
  }

  findCollection(merchant: string, reference: string): Collection | undefined {
    return this.findSession(merchant, reference)?.collection ?? undefined;
  }

  findCollectionById(merchant: string, id: string): Collection | undefined {
    const session = this.#collectionsById.get(id);
    return session?.merchant === merchant ? (session.collection ?? undefined) : undefined;
  }

  /** Tells whether any merchant's collection has this id. */
  hasCollectionId(id: string): boolean {
    return this.#collectionsById.has(id);
  }

  /**
   * `count` of the collections that pass the filter, from the `start`th on, newest first (D39),
   * each with its merchant; and how many there are.
   */
  listCollections(
    filter: CollectionFilter,
    start: number,
    count: number,
  ): { total: number; found: Listed[] } {
    return this.#collections.find(filter, start, count);
  }

  findChallenge(secret: string): { session: Session; attempt: Attempt } | undefined {
    const session = this.#challenges.get(secret);
    const attempt = session?.attempts.find(({ challenge }) => challenge === secret);
    return session && attempt && { session, attempt };
  }

  /** Puts a prompt or a code on the attempt's handset, as the newest there. */
  addPrompt(session: Session, attempt: Attempt): void {
    this.#takePrompt(session, attempt);
    const { international } = attempt.phone!;
    const out = this.#prompts.get(international) ?? new Map();
    this.#prompts.set(international, out.set(session, attempt));
  }

  /** What is out on a handset, oldest first: prompts to answer and one-time codes to read. */
  listPrompts(international: string): readonly { session: Session; attempt: Attempt }[] {
    const out = this.#prompts.get(international) ?? [];
    return Array.from(out, ([session, attempt]) => ({ session, attempt }));
  }

  /** How far its numbers went. */
  snapshot(): v.InferOutput<typeof snapshotSchema> {
    return {
      serviceReferences: this.#serviceReferences,
      operatorTransactions: this.#operatorTransactions,
    };
  }

  /** Goes on from a snapshot and the sessions of that moment. Throws if it is no snapshot. */
  restore(data: unknown, sessions: readonly unknown[]): void {
    const { serviceReferences, operatorTransactions } = v.parse(snapshotSchema, data);
    this.reset();
    const out: { session: Session; attempt: Attempt }[] = [];
    for (const session of sessions as readonly Session[]) {
      const { collection, life, tokens, attempts } = session;
      this.#sessions.set(keyOf(session), session);
      for (const { digest } of tokens) this.#visits.set(digest, session);
      for (const { challenge } of attempts) if (challenge) this.#challenges.set(challenge, session);
      if (collection) this.#list(session, collection);
      else this.#untried.add(session);
      this.keep(session);
      const last = attempts.at(-1);
      if (last?.phone && findRunning(life)) out.push({ session, attempt: last });
    }
    out.sort((one, other) => (one.attempt.planned ?? 0) - (other.attempt.planned ?? 0));
    for (const { session, attempt } of out) this.addPrompt(session, attempt);
    this.#serviceReferences = serviceReferences;
    this.#operatorTransactions = operatorTransactions;
  }

  #takePrompt(session: Session, { phone }: Attempt): void {
    const out = phone ? this.#prompts.get(phone.international) : undefined;
    if (!phone || !out?.delete(session)) return;
    if (!out.size) this.#prompts.delete(phone.international);
  }

  #list(session: Session, collection: Collection): void {
    this.#collections.add({ merchant: session.merchant, collection });
    this.#collectionsById.set(collection.id, session);
  }

  #forget(session: Session): void {
    const { collection, planned, tokens, attempts } = session;
    this.#callOff(planned);
    this.#sessions.delete(keyOf(session));
    this.#untried.delete(session);
    this.#finished.delete(session);
    for (const { digest } of tokens) this.#visits.delete(digest);
    for (const { challenge } of attempts) if (challenge) this.#challenges.delete(challenge);
    if (collection) {
      this.#collections.delete(collection);
      this.#collectionsById.delete(collection.id);
    }
    this.records.onChange(keyOf(session));
  }

  /** The last token of a visit that made an attempt is kept: it alone may answer that attempt. */
  #forgetOldestIdleToken(session: Session): void {
    const { attempts, tokens } = session;
    const kept = new Set(
      attempts.map(({ visit }) => tokens.findLast((token) => token.visit === visit)),
    );
    const idleAt = tokens.findIndex((token) => !kept.has(token));
    for (const { digest } of tokens.splice(idleAt, 1)) this.#visits.delete(digest);
  }
}

/** 128 bits of a digest: a token cannot be found for it, and a hundred thousand are kept. */
function digest(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url');
}
