import { randomUUID } from 'node:crypto';
import type { Collection } from '@service-pay/contract/collection';
import * as v from 'valibot';
import { keyOf, type PaymentName } from '../storage/payment-key.ts';
import type { Records } from '../storage/state.ts';
import { type CollectionFilter, CollectionList, type Listed, type Page } from './list.ts';
import type { Attempt, Session, SessionTerms } from './session.ts';
import {
  collectionStatus,
  findRunning,
  type Life,
  NEW_LIFE,
  reasonForFailure,
} from './session-life.ts';
import { Visits } from './visits.ts';

const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const snapshotSchema = v.strictObject({
  serviceReferences: countSchema,
  operatorTransactions: countSchema,
});

const MOST_FINISHED = 10_000;

const MOST_UNTRIED_SESSIONS = 10_000;

const MOST_PASSED_OVER = 64;

/**
 * Everything the service remembers, by merchant. Uses maps, so that a reference such as `__proto__`
 * is safe.
 */
export class CollectionStore {
  readonly visits = new Visits();
  readonly #mostFinished: number;
  readonly #callOff: (planned: number | null) => void;
  readonly #sessions = new Map<string, Session>();
  readonly #untried = new Set<Session>();
  readonly #finished = new Set<Session>();
  readonly #collectionsById = new Map<string, Session>();
  readonly #challenges = new Map<string, Session>();
  readonly #collections = new CollectionList();
  /** By phone, oldest first. A session has at most one attempt waiting. */
  readonly #prompts = new Map<string, Map<Session, Attempt>>();
  #serviceReferences = 0;
  #operatorTransactions = 0;

  readonly records: Records = {
    onChange: () => undefined,
    find: (key) => this.#sessions.get(key),
  };

  /** `callOff` is called with the plan of each deleted session. */
  constructor(
    callOff: (planned: number | null) => void = () => undefined,
    mostFinished = MOST_FINISHED,
  ) {
    this.#callOff = callOff;
    this.#mostFinished = mostFinished;
  }

  reset(): void {
    for (const key of this.#sessions.keys()) this.records.onChange(key);
    const known = [
      ...[this.#sessions, this.#untried, this.#finished, this.visits],
      ...[this.#collectionsById, this.#challenges, this.#collections, this.#prompts],
    ];
    for (const one of known) one.clear();
    this.#serviceReferences = 0;
    this.#operatorTransactions = 0;
  }

  findSession(name: PaymentName): Session | undefined {
    return this.#sessions.get(keyOf(name));
  }

  addSession(terms: SessionTerms, expiresAt: number): Session {
    const session: Session = {
      ...terms,
      attempts: [],
      tokens: [],
      passedOver: [],
      life: NEW_LIFE,
      expiresAt,
      extensions: 0,
      collection: null,
      endedAt: null,
      planned: null,
    };
    this.#sessions.set(keyOf(session), session);
    this.#untried.add(session);
    this.markChanged(session);
    const [oldest] = this.#untried;
    if (oldest && this.#untried.size > MOST_UNTRIED_SESSIONS) this.#forget(oldest);
    return session;
  }

  /** Marks a session as changed. If it is over, an older one may be deleted. */
  markChanged(session: Session): void {
    this.records.onChange(keyOf(session));
    if (session.life.session === 'open' || !session.collection) return;
    this.#finished.add(session);
    const [oldest] = this.#finished;
    if (oldest && this.#finished.size > this.#mostFinished) this.#forget(oldest);
  }

  passOver(session: Session, attemptId: string): void {
    if (!session.passedOver.includes(attemptId)) session.passedOver.push(attemptId);
    if (session.passedOver.length > MOST_PASSED_OVER) session.passedOver.shift();
    this.markChanged(session);
  }

  /** Sets a session's next life, and what its collection shows of it. */
  setLife(session: Session, life: Life, now: string): void {
    session.life = life;
    this.markChanged(session);
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

  /** Adds an attempt that begins with `life`; the first one creates the collection (D35). */
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

  /** Creates an empty collection (D33) with its own service reference (D45). */
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

  newOperatorTransactionId(): string {
    return `SANDBOX-${String(++this.#operatorTransactions).padStart(6, '0')}`;
  }

  addCollection(session: Session, collection: Collection): void {
    session.collection = collection;
    this.#untried.delete(session);
    this.#list(session, collection);
  }

  findCollection(name: PaymentName): Collection | undefined {
    return this.findSession(name)?.collection ?? undefined;
  }

  findCollectionById({ merchant, id }: { merchant: string; id: string }): Collection | undefined {
    const session = this.#collectionsById.get(id);
    return session?.merchant === merchant ? (session.collection ?? undefined) : undefined;
  }

  hasCollectionId(id: string): boolean {
    return this.#collectionsById.has(id);
  }

  listCollections(filter: CollectionFilter, page: Page): { total: number; found: Listed[] } {
    return this.#collections.find(filter, page);
  }

  findChallenge(secret: string): { session: Session; attempt: Attempt } | undefined {
    const session = this.#challenges.get(secret);
    const attempt = session?.attempts.find(({ challenge }) => challenge === secret);
    return session && attempt && { session, attempt };
  }

  addPrompt(session: Session, attempt: Attempt): void {
    this.#takePrompt(session, attempt);
    const { international } = attempt.phone!;
    const waiting = this.#prompts.get(international) ?? new Map();
    this.#prompts.set(international, waiting.set(session, attempt));
  }

  listPrompts(international: string): readonly { session: Session; attempt: Attempt }[] {
    const waiting = this.#prompts.get(international) ?? [];
    return Array.from(waiting, ([session, attempt]) => ({ session, attempt }));
  }

  snapshot(): v.InferOutput<typeof snapshotSchema> {
    return {
      serviceReferences: this.#serviceReferences,
      operatorTransactions: this.#operatorTransactions,
    };
  }

  restore(data: unknown, sessions: readonly unknown[]): void {
    const { serviceReferences, operatorTransactions } = v.parse(snapshotSchema, data);
    this.reset();
    const waiting: { session: Session; attempt: Attempt }[] = [];
    for (const session of sessions as readonly Session[]) {
      const { collection, life, attempts } = session;
      this.#sessions.set(keyOf(session), session);
      this.visits.restore(session);
      for (const { challenge } of attempts) if (challenge) this.#challenges.set(challenge, session);
      if (collection) this.#list(session, collection);
      else this.#untried.add(session);
      this.markChanged(session);
      const last = attempts.at(-1);
      if (last?.phone && findRunning(life)) waiting.push({ session, attempt: last });
    }
    waiting.sort((one, other) => (one.attempt.planned ?? 0) - (other.attempt.planned ?? 0));
    for (const { session, attempt } of waiting) this.addPrompt(session, attempt);
    this.#serviceReferences = serviceReferences;
    this.#operatorTransactions = operatorTransactions;
  }

  #takePrompt(session: Session, { phone }: Attempt): void {
    const waiting = phone ? this.#prompts.get(phone.international) : undefined;
    if (!phone || !waiting?.delete(session)) return;
    if (!waiting.size) this.#prompts.delete(phone.international);
  }

  #list(session: Session, collection: Collection): void {
    this.#collections.add({ merchant: session.merchant, collection });
    this.#collectionsById.set(collection.id, session);
  }

  #forget(session: Session): void {
    const { collection, planned, attempts } = session;
    this.#callOff(planned);
    this.#sessions.delete(keyOf(session));
    this.#untried.delete(session);
    this.#finished.delete(session);
    this.visits.forget(session);
    for (const { challenge } of attempts) if (challenge) this.#challenges.delete(challenge);
    if (collection) {
      this.#collections.delete(collection);
      this.#collectionsById.delete(collection.id);
    }
    this.records.onChange(keyOf(session));
  }
}
