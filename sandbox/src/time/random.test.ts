import fc from 'fast-check';
import { expect, test } from 'vitest';

import { SeededRandom } from './random.ts';

const draws = (random: SeededRandom, name: string, count: number) =>
  Array.from({ length: count }, () => random.draw(name));

test('the same seed draws the same numbers, another seed or name draws others (T61)', () => {
  const numbers = draws(new SeededRandom(7), 'a', 50);

  expect(draws(new SeededRandom(7), 'a', 50)).toEqual(numbers);
  expect(draws(new SeededRandom(8), 'a', 50)).not.toEqual(numbers);
  expect(draws(new SeededRandom(7), 'b', 50)).not.toEqual(numbers);
});

test('drawing under one name does not affect another, and a snapshot continues each sequence (T61)', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
      (seed, names) => {
        const random = new SeededRandom(seed);
        const alone = new SeededRandom(seed);

        for (const name of names)
          if (name === 'a') expect(random.draw('a')).toBe(alone.draw('a'));
          else random.draw(name);

        const { seed: same, states } = structuredClone(random.snapshot());
        expect(new SeededRandom(same, states).draw('b')).toBe(random.draw('b'));
      },
    ),
  );
});

test('numbers are from 0 up to 1 and spread evenly, for any whole seed', () => {
  for (const seed of [0, 1, -1, 2 ** 53 - 1, -(2 ** 40)]) {
    const tenths = new Set(
      draws(new SeededRandom(seed), 'spread', 500).map((number) => Math.floor(number * 10)),
    );

    expect([...tenths].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});

test('a shuffle loses nothing', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.nat()), (seed, members) => {
      expect(new SeededRandom(seed).shuffle('order', members).sort()).toEqual([...members].sort());
    }),
  );
});
