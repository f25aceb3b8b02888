import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { keyOf } from '../payments/payment-key.ts';
import type { Records } from '../storage/state.ts';
import type { Clock } from '../time/clock.ts';

/**
 * What a happening is about. `request` is a call of the merchant API or the checkout API, `control`
 * one that set the scene.
 */
export const HAPPENING_KINDS = [
  'session',
  'attempt',
  'state',
  'settlement',
  'delivery',
  'request',
  'control',
] as const;

const factSchema = v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(v.string())]);
/** One happening, as it is kept and told. */
export const happeningSchema = v.strictObject({
  seq: v.pipe(v.number(), v.integer(), v.minValue(1)),
  at: v.string(),
  kind: v.picklist(HAPPENING_KINDS),
  merchant: v.nullable(v.string()),
  reference: v.nullable(v.string()),
  summary: v.string(),
  detail: v.nullable(v.record(v.string(), factSchema)),
});

/**
 * One thing that happened, in one plain sentence. `at` is the sandbox's time; `merchant` is a
 * public key, and with `reference` null where it is about none. `detail` holds a few facts and
 * never a token, a card number or a code.
 */
export type Happening = Readonly<v.InferOutput<typeof happeningSchema>>;

/** A happening as whoever saw it tells it. */
export type Telling = Omit<Happening, 'seq' | 'at'>;

/** What a history is as plain data, beside its happenings, which are records. */
const snapshotSchema = v.strictObject({
  life: v.optional(v.string()),
  /** The number of the newest happening there ever was, in this life or in those before it. */
  last: v.pipe(v.number(), v.safeInteger()),
});
type Snapshot = v.InferOutput<typeof snapshotSchema>;
const recordsSchema = v.array(happeningSchema);

/** Who is told of what happens, as it happens. `reset` says that everything before is forgotten. */
export type Listener = (news: Happening | 'reset') => void;

/** How many happenings are kept where nobody says. */
export const DEFAULT_HISTORY_LIMIT = 20_000;

interface Entry {
  readonly happening: Happening;
  /** The next of the same collection. */
  next: Entry | undefined;
}

/**
 * What happened in a sandbox, in order: the newest `limit` happenings, each found by its number and
 * by its collection without a search.
 */
export class History {
  readonly #clock: Pick<Clock, 'timestamp'>;
  readonly #limit: number;
  readonly #listeners = new Set<Listener>();
  /** A ring: a happening's place is its number modulo `limit`. */
  #ring: (Entry | undefined)[] = [];
  #stories = new Map<string, { first: Entry; last: Entry }>();
  #last = 0;
  #kept = 0;
  /**
   * Numbers are only true within a life: another sandbox, or one that lost its newest happenings,
   * gives them to other happenings.
   */
  readonly #life = randomBytes(6).toString('hex');
  /** The life this one was restored from, and how far its numbers went then. */
  #earlier: { life: string | undefined; last: number } | undefined;

  /** Each happening under its number. */
  readonly records: Records = {
    onChange: () => undefined,
    find: (key) => this.#find(Number(key)),
  };

  constructor({
    clock,
    limit = DEFAULT_HISTORY_LIMIT,
  }: { clock: Pick<Clock, 'timestamp'>; limit?: number | undefined }) {
    this.#clock = clock;
    this.#limit = Math.max(1, limit);
  }

  /** Writes down what has just happened, under the next number, and tells it to whoever listens. */
  record({ kind, merchant, reference, summary, detail }: Telling): void {
    const happening = {
      seq: this.#last + 1,
      at: this.#clock.timestamp(),
      kind,
      merchant,
      reference,
      summary,
      detail,
    };
    this.#keep(happening);
    for (const listener of this.#listeners) listener(happening);
  }

  /** What is kept of one collection, oldest first. */
  storyOf(merchant: string, reference: string): Happening[] {
    const story: Happening[] = [];
    for (
      let entry = this.#stories.get(keyOf({ merchant, reference }))?.first;
      entry;
      entry = entry.next
    )
      story.push(entry.happening);
    return story;
  }

  /** The number of the newest happening there ever was; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** How many happenings are kept. */
  get size(): number {
    return this.#kept;
  }

  /** Names a happening for good, in other lives too: for `findNumber`. */
  idOf(seq: number): string {
    return `${this.#life}-${seq}`;
  }

  /**
   * The number that an id of `idOf` names, or a bare number; undefined for an id that means nothing
   * to this life.
   */
  findNumber(id: string): number | undefined {
    const [, life, digits] = /^(?:([0-9a-f]{12})-)?([0-9]{1,15})$/.exec(id) ?? [];
    if (digits === undefined) return undefined;
    const seq = Number(digits);
    const isKnown =
      life === undefined ||
      life === this.#life ||
      (life === this.#earlier?.life && seq <= this.#earlier.last);
    return isKnown ? seq : undefined;
  }

  /** How many are listening. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  /**
   * What came after a number, oldest first, at most `most` of it. Undefined where some of that is
   * no longer kept, or where there was no such number yet.
   */
  since(seq: number, most = Number.POSITIVE_INFINITY): Happening[] | undefined {
    if (seq > this.#last || seq < this.#last - this.#kept) return undefined;
    const news: Happening[] = [];
    const end = Math.min(this.#last, seq + most);
    for (let at = seq + 1; at <= end; at++) news.push(this.#ring[at % this.#limit]!.happening);
    return news;
  }

  /** Tells `listener` of everything from now on. Returns what ends that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets everything but how far the numbers went, and tells whoever listens. */
  reset(): void {
    this.#forget();
    for (const listener of this.#listeners) listener('reset');
  }

  /** Which life this is, and how far its numbers went. */
  snapshot(): Snapshot {
    return { life: this.#life, last: this.#last };
  }

  /** Goes on from a snapshot and its happenings as if nothing had come between. Throws otherwise. */
  restore(data: unknown, happenings: readonly unknown[]): void {
    const { life, last } = v.parse(snapshotSchema, data);
    const kept = v.parse(recordsSchema, happenings);
    if (kept.some(({ seq }, at) => seq !== last - kept.length + 1 + at))
      throw new Error('A happening is missing.');
    this.#forget();
    this.#earlier = { life, last };
    for (const happening of kept) this.#keep(happening);
    this.#last = last;
  }

  #find(seq: number): Happening | undefined {
    return seq > this.#last - this.#kept && seq <= this.#last
      ? this.#ring[seq % this.#limit]?.happening
      : undefined;
  }

  #keep(happening: Happening): void {
    const place = happening.seq % this.#limit;
    const oldest = this.#ring[place];
    if (oldest) this.#drop(oldest);
    else this.#kept += 1;
    const entry: Entry = { happening, next: undefined };
    this.#ring[place] = entry;
    this.#last = happening.seq;
    this.records.onChange(String(happening.seq));
    if (happening.reference === null || happening.merchant === null) return;
    const key = keyOf({ merchant: happening.merchant, reference: happening.reference });
    const story = this.#stories.get(key);
    if (!story) this.#stories.set(key, { first: entry, last: entry });
    else {
      story.last.next = entry;
      story.last = entry;
    }
  }

  /** The oldest of all is the oldest of its collection. */
  #drop({ happening, next }: Entry): void {
    this.records.onChange(String(happening.seq));
    if (happening.reference === null || happening.merchant === null) return;
    const key = keyOf({ merchant: happening.merchant, reference: happening.reference });
    if (next) this.#stories.get(key)!.first = next;
    else this.#stories.delete(key);
  }

  #forget(): void {
    for (const entry of this.#ring) if (entry) this.records.onChange(String(entry.happening.seq));
    this.#ring = [];
    this.#stories = new Map();
    this.#kept = 0;
  }
}
