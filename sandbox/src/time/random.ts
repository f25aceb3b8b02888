import { hash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import * as v from 'valibot';

const wholeNumber = v.pipe(v.number(), v.integer());

export const seededRandomSnapshotSchema = v.strictObject({
  seed: wholeNumber,
  states: v.record(v.string(), v.pipe(v.array(wholeNumber), v.readonly())),
});
export type SeededRandomSnapshot = v.InferOutput<typeof seededRandomSnapshotSchema>;

/**
 * Random sequences that depend only on a seed and their names: drawing from one does not affect
 * another.
 */
export class SeededRandom {
  readonly #seed: number;
  readonly #generators: Map<string, RandomGenerator>;

  constructor(seed: number, states: SeededRandomSnapshot['states'] = {}) {
    this.#seed = seed;
    this.#generators = new Map(
      Object.entries(states).map(([name, state]) => [name, xoroshiro128plusFromState(state)]),
    );
  }

  draw(name: string): number {
    const generator = this.#generators.get(name) ?? xoroshiro128plus(seedOf(this.#seed, name));
    this.#generators.set(name, generator);
    return uniformFloat64(generator);
  }

  shuffle<Member>(name: string, members: readonly Member[]): Member[] {
    const shuffled = [...members];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = Math.floor(this.draw(name) * (last + 1));
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }

  snapshot(): SeededRandomSnapshot {
    const states = Array.from(
      this.#generators,
      ([name, generator]) => [name, [...generator.getState()]] as const,
    );
    return { seed: this.#seed, states: Object.fromEntries(states) };
  }
}

function seedOf(seed: number, name: string): number {
  return hash('sha256', `${seed} ${name}`, 'buffer').readInt32LE();
}
