import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Collection } from '@service-pay/contract/collection';
import * as v from 'valibot';
import { DigestIndex } from '../storage/digest-index.ts';
import { packSession, unpackSession } from '../storage/session-record.ts';
import { type CollectionFilter, CollectionList, type Listed, mark } from './list.ts';
import type { Attempt, Session, SessionTerms, Visit } from './session.ts';
import {
  collectionStatus,
  findRunning,
  type Life,
  NEW_LIFE,
  reasonForFailure,
} from './session-life.ts';

/**
 * Where one session is kept: as itself while it is alive, packed once it has ended
 * (`session-record.ts`).
 */
interface Place extends Listed {
  alive: Session | null;
  ended: string;
}

const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/**
 * What a store is as plain data: each session packed, those with a collection in the order of the
 * list; and how far its numbers went.
 */
const snapshotSchema = v.strictObject({
  sessions: v.array(v.string()),
  serviceReferences: countSchema,
  operatorTransactions: countSchema,
});

/** Sessions nobody has tried to pay in are forgotten beyond this many, the oldest first. */
const MOST_UNTRIED_SESSIONS = 10_000;

/** Tokens of one session that are remembered, the newest ones. */
const MOST_TOKENS = 64;

/** Attempts of one session that never began and are remembered, the newest ones. */
const MOST_PASSED_OVER = 64;

/**
 * Everything the service remembers, by merchant: nobody can see another's. Maps, so that any
 * reference is as good as another. A session that has ended comes as a copy each time it is asked
 * for: what changes one says so by `keep`.
 */
export class CollectionStore {
  readonly #callOff: (planned: number | null) => void;
  #sessions = new Map<string, Map<string, Place>>();
  #untried = new Set<Place>();
  /** Both by texts that stand in the session, too: they are not kept twice. */
  readonly #visits = new DigestIndex<Place>();
  readonly #collectionsById = new DigestIndex<Place>();
  #challenges = new Map<string, Place>();
  readonly #collections = new CollectionList<Place>();
  /** By handset, in order of going out. A session has one attempt out at most. */
  #prompts = new Map<string, Map<Place, { session: Session; attempt: Attempt }>>();
  #serviceReferences = 0;
  #operatorTransactions = 0;

  /** `callOff` is told of the plan of a session that is forgotten. */
  constructor(callOff: (planned: number | null) => void = () => undefined) {
    this.#callOff = callOff;
  }

  /** Forgets everything. */
  reset(): void {
    const byKey = [
      this.#sessions,
      this.#visits,
      this.#challenges,
      this.#collectionsById,
      this.#prompts,
    ];
    for (const known of [...byKey, this.#untried, this.#collections]) known.clear();
    this.#serviceReferences = 0;
    this.#operatorTransactions = 0;
  }

  findSession(merchant: string, reference: string): Session | undefined {
    const place = this.#sessions.get(merchant)?.get(reference);
    return place && read(place);
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
    this.#untried.add(this.#place(session));
    if (this.#untried.size > MOST_UNTRIED_SESSIONS) this.#forgetOldestUntried();
    return session;
  }

  /** Keeps what was changed of a session, and keeps it small once it has ended. */
  keep(session: Session): void {
    const place = this.#placeOf(session);
    const { collection, life } = session;
    if (collection) mark(place, collection);
    if (life.session === 'open' || !collection) return;
    place.alive = null;
    place.ended = packSession(session);
  }

  /**
   * Lets somebody in, or an earlier visit go on: the token is given out once and only its digest is
   * kept.
   */
  addVisit(session: Session, earlier?: Visit): { token: string; visit: Visit } {
    const token = randomBytes(32).toString('base64url');
    const key = digest(token);
    const visit: Visit = { id: earlier?.id ?? key, session, token: key };
    this.#visits.add(key, this.#placeOf(session));
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
  }

  findVisit(token: string): Visit | undefined {
    const key = digest(token);
    let visit: Visit | undefined;
    this.#visits.find(key, (place) => {
      const session = read(place);
      const token = session.tokens.find(({ digest }) => digest === key);
      if (token) visit = { id: token.visit, session, token: key };
      return token !== undefined;
    });
    return visit;
  }

  /** Gives a session its next life, and tells its collection. The only way either changes. */
  setLife(session: Session, life: Life, now: string): void {
    session.life = life;
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
    mark(this.#placeOf(session), collection);
  }

  /** Remembers an attempt that begins with `life`; the first one makes the collection (D35). */
  addAttempt(session: Session, attempt: Attempt, life: Life, now: string): void {
    session.attempts.push(attempt);
    if (attempt.challenge) this.#challenges.set(attempt.challenge, this.#placeOf(session));
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
    const place = this.#placeOf(session);
    this.#untried.delete(place);
    this.#list(place, collection);
  }

  findCollection(merchant: string, reference: string): Collection | undefined {
    return this.findSession(merchant, reference)?.collection ?? undefined;
  }

  findCollectionById(merchant: string, id: string): Collection | undefined {
    const place = this.#placeById(id);
    return place?.merchant === merchant ? (read(place).collection ?? undefined) : undefined;
  }

  /** Tells whether any merchant's collection has this id. */
  hasCollectionId(id: string): boolean {
    return this.#placeById(id) !== undefined;
  }

  /**
   * `count` of the collections that pass the filter, from the `start`th on, newest first (D39),
   * each with its merchant; and how many there are.
   */
  listCollections(
    filter: CollectionFilter,
    start: number,
    count: number,
  ): { total: number; found: { merchant: string; collection: Collection }[] } {
    const { total, found } = this.#collections.find(filter, start, count);
    return {
      total,
      found: found.map((place) => ({
        merchant: place.merchant,
        collection: read(place).collection!,
      })),
    };
  }

  findChallenge(secret: string): { session: Session; attempt: Attempt } | undefined {
    const place = this.#challenges.get(secret);
    if (!place) return undefined;
    const session = read(place);
    return { session, attempt: session.attempts.find(({ challenge }) => challenge === secret)! };
  }

  /** Puts a prompt or a code on the attempt's handset, as the newest there. */
  addPrompt(session: Session, attempt: Attempt): void {
    this.#takePrompt(session, attempt);
    const { international } = attempt.phone!;
    const out = this.#prompts.get(international) ?? new Map();
    this.#prompts.set(international, out.set(this.#placeOf(session), { session, attempt }));
  }

  /** What is out on a handset, oldest first: prompts to answer and one-time codes to read. */
  listPrompts(international: string): readonly { session: Session; attempt: Attempt }[] {
    return [...(this.#prompts.get(international)?.values() ?? [])];
  }

  /** Everything as plain data. What has ended is handed out as it is kept: it never changes. */
  snapshot(): v.InferOutput<typeof snapshotSchema> {
    const textOf = ({ alive, ended }: Place) => (alive ? packSession(alive) : ended);
    return {
      sessions: [...this.#collections.all(), ...this.#untried].map(textOf),
      serviceReferences: this.#serviceReferences,
      operatorTransactions: this.#operatorTransactions,
    };
  }

  /** Goes on from a snapshot. Throws where it is none. */
  restore(data: unknown): void {
    const { sessions, serviceReferences, operatorTransactions } = v.parse(snapshotSchema, data);
    this.reset();
    const out: { session: Session; attempt: Attempt }[] = [];
    for (const text of sessions) {
      const session = unpackSession(text);
      const { collection, life, tokens, attempts } = session;
      const place = this.#place(session);
      for (const { digest } of tokens) this.#visits.add(digest, place);
      for (const { challenge } of attempts) if (challenge) this.#challenges.set(challenge, place);
      if (collection) this.#list(place, collection);
      else this.#untried.add(place);
      if (collection && life.session !== 'open') {
        place.alive = null;
        place.ended = text;
      }
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
    if (!phone || !out?.delete(this.#placeOf(session))) return;
    if (!out.size) this.#prompts.delete(phone.international);
  }

  #place(session: Session): Place {
    const { merchant, reference } = session;
    const place: Place = {
      merchant,
      reference,
      alive: session,
      ended: '',
      initiatedAt: 0,
      status: '',
      type: '',
      marks: '',
    };
    const byReference = this.#sessions.get(merchant) ?? new Map<string, Place>();
    this.#sessions.set(merchant, byReference.set(reference, place));
    return place;
  }

  #placeOf({ merchant, reference }: Session): Place {
    return this.#sessions.get(merchant)!.get(reference)!;
  }

  #placeById(id: string): Place | undefined {
    return this.#collectionsById.find(id, (place) => read(place).collection?.id === id);
  }

  #list(place: Place, collection: Collection): void {
    this.#collections.add(place, collection);
    this.#collectionsById.add(collection.id, place);
  }

  #forgetOldestUntried(): void {
    const [oldest] = this.#untried;
    if (!oldest) return;
    const { merchant, reference, planned, tokens } = read(oldest);
    this.#callOff(planned);
    this.#untried.delete(oldest);
    this.#sessions.get(merchant)?.delete(reference);
    for (const { digest } of tokens) this.#visits.delete(digest, oldest);
  }

  /** The last token of a visit that made an attempt is kept: it alone may answer that attempt. */
  #forgetOldestIdleToken(session: Session): void {
    const { attempts, tokens } = session;
    const kept = new Set(
      attempts.map(({ visit }) => tokens.findLast((token) => token.visit === visit)),
    );
    const idleAt = tokens.findIndex((token) => !kept.has(token));
    for (const { digest } of tokens.splice(idleAt, 1))
      this.#visits.delete(digest, this.#placeOf(session));
  }
}

function read({ alive, ended }: Place): Session {
  return alive ?? unpackSession(ended);
}

/** 128 bits of a digest: a token cannot be found for it, and a hundred thousand are kept. */
function digest(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url');
}
