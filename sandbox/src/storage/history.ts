import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { Clock } from '../time/clock.ts';
import { keyOf, type PaymentName } from './payment-key.ts';
import type { Records } from './state.ts';

/**
 * The subject of a happening. `request` is a call of the merchant or checkout API, `control` a call
 * of the control API.
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
 * One event, in one sentence. `at` is in the sandbox's time; `merchant` is a public key, null like
 * `reference` if it concerns none. `detail` never holds a token, a card number or a code.
 */
export type Happening = Readonly<v.InferOutput<typeof happeningSchema>>;

export type NewHappening = Omit<Happening, 'seq' | 'at'>;

const snapshotSchema = v.strictObject({
  life: v.optional(v.string()),
  last: v.pipe(v.number(), v.safeInteger()),
});
type Snapshot = v.InferOutput<typeof snapshotSchema>;
const recordsSchema = v.array(happeningSchema);

export type Listener = (news: Happening | 'reset') => void;

export const DEFAULT_HISTORY_LIMIT = 20_000;

interface Entry {
  readonly happening: Happening;
  next: Entry | undefined;
}

/**
 * The newest `limit` happenings of a sandbox, found by number and by collection without a search.
 */
export class History {
  readonly #clock: Pick<Clock, 'timestamp'>;
  readonly #limit: number;
  readonly #listeners = new Set<Listener>();
  /** A ring: a happening's index is its number modulo `limit`. */
  #ring: (Entry | undefined)[] = [];
  #stories = new Map<string, { first: Entry; last: Entry }>();
  #last = 0;
  #kept = 0;
  /**
   * Distinguishes this run's numbers from those of another sandbox, of one that lost its newest
   * events, or of this one before a reset.
   */
  #runId = newRunId();
  /** The run this one was restored from, and its highest number. */
  #earlier: { life: string | undefined; last: number } | undefined;

  readonly records: Records = {
    onChange: () => undefined,
    find: (key) => this.#find(Number(key)),
  };

  constructor({
    clock,
    limit = DEFAULT_HISTORY_LIMIT,
  }: { clock: Pick<Clock, 'timestamp'>; limit?: number | undefined }) {
    this.#clock = clock;
    this.#limit = limit;
  }

  record({ kind, merchant, reference, summary, detail }: NewHappening): void {
    const happening = {
      seq: this.#last + 1,
      at: this.#clock.timestamp(),
      kind,
      merchant,
      reference,
      summary,
      detail,
    };
    this.#store(happening);
    for (const listener of this.#listeners) listener(happening);
  }

  storyOf(name: PaymentName): Happening[] {
    const story: Happening[] = [];
    for (let entry = this.#stories.get(keyOf(name))?.first; entry; entry = entry.next)
      story.push(entry.happening);
    return story;
  }

  get last(): number {
    return this.#last;
  }

  get size(): number {
    return this.#kept;
  }

  /** Returns an id that stays valid after a restart, for `findNumber`. */
  idOf(seq: number): string {
    return `${this.#runId}-${seq}`;
  }

  /**
   * Returns the number of an id from `idOf`, or a bare number; undefined if this run does not know
   * the id.
   */
  findNumber(id: string): number | undefined {
    const [, life, digits] = /^(?:([0-9a-f]{12})-)?([0-9]{1,15})$/.exec(id) ?? [];
    if (digits === undefined) return undefined;
    const seq = Number(digits);
    const isKnown =
      life === undefined ||
      life === this.#runId ||
      (life === this.#earlier?.life && seq <= this.#earlier.last);
    return isKnown ? seq : undefined;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  /**
   * Returns at most `most` happenings after `seq`, oldest first; undefined if some of them are no
   * longer kept or `seq` is in the future.
   */
  since(seq: number, most = Number.POSITIVE_INFINITY): Happening[] | undefined {
    if (seq > this.#last || seq < this.#last - this.#kept) return undefined;
    const news: Happening[] = [];
    const end = Math.min(this.#last, seq + most);
    for (let at = seq + 1; at <= end; at++) news.push(this.#ring[at % this.#limit]!.happening);
    return news;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Deletes everything except the count of numbers used. Earlier ids become unknown. */
  reset(): void {
    this.#forget();
    this.#runId = newRunId();
    this.#earlier = undefined;
    for (const listener of this.#listeners) listener('reset');
  }

  snapshot(): Snapshot {
    return { life: this.#runId, last: this.#last };
  }

  restore(data: unknown, happenings: readonly unknown[]): void {
    const { life, last } = v.parse(snapshotSchema, data);
    const kept = v.parse(recordsSchema, happenings);
    if (kept.some(({ seq }, at) => seq !== last - kept.length + 1 + at))
      throw new Error('A happening is missing.');
    this.#forget();
    this.#earlier = { life, last };
    for (const happening of kept) this.#store(happening);
    this.#last = last;
  }

  #find(seq: number): Happening | undefined {
    return seq > this.#last - this.#kept && seq <= this.#last
      ? this.#ring[seq % this.#limit]?.happening
      : undefined;
  }

  #store(happening: Happening): void {
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

function newRunId(): string {
  return randomBytes(6).toString('hex');
}
