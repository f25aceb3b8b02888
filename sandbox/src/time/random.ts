import * as v from 'valibot';

const stateSchema = v.pipe(v.number(), v.integer());

/** What the sequences of a seed are as plain data. */
export const seededRandomSnapshotSchema = v.strictObject({
  seed: stateSchema,
  states: v.record(v.string(), stateSchema),
});
export type SeededRandomSnapshot = v.InferOutput<typeof seededRandomSnapshotSchema>;

/**
 * Sequences of numbers that only depend on a seed and on their names: what is drawn from one
 * disturbs no other. The same seed and the same draws give the same numbers, wherever and whenever.
 */
export class SeededRandom {
  readonly #seed: number;
  readonly #states: Map<string, number>;

  constructor(seed: number, states: Readonly<Record<string, number>> = {}) {
    this.#seed = seed;
    this.#states = new Map(Object.entries(states));
  }

  /** The next number from 0 up to 1 of the sequence of that name. */
  draw(name: string): number {
    const state = ((this.#states.get(name) ?? startOf(this.#seed, name)) + 0x6d2b79f5) | 0;
    this.#states.set(name, state);
    return toFraction(state);
  }

  /** The same members in another order, decided by the sequence of that name. */
  shuffle<Member>(name: string, members: readonly Member[]): Member[] {
    const shuffled = [...members];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = Math.floor(this.draw(name) * (last + 1));
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }

  /** Where every sequence stands, for another of this class to go on from. */
  snapshot(): SeededRandomSnapshot {
    return { seed: this.#seed, states: Object.fromEntries(this.#states) };
  }
}

/** Parts the sequences of one seed from each other (FNV-1a over the name). */
function startOf(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed ^ Math.floor(seed / 2 ** 32);
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Spreads one state over the numbers from 0 to 1 (mulberry32). */
function toFraction(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
