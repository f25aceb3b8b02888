import { expect, test } from 'vitest';

import { HARNESSES } from './harnesses.ts';
import { MUTANTS } from './mutant-table.ts';
import { importMutant, importSound } from './mutants.ts';

test('every harness has at least one broken build (F10)', () => {
  expect(HARNESSES.filter(({ broken }) => !broken.length).map(({ id }) => id)).toEqual([]);
});

test('every mutant is of a broken build, and the other way round (F10)', () => {
  const builds = HARNESSES.flatMap(({ broken }) => broken).filter(({ script }) => !script);

  expect([...new Set(builds.map(({ name }) => name))].sort()).toEqual(Object.keys(MUTANTS).sort());
});

test.each(Object.keys(MUTANTS))(
  'the mutant %s spoils one export of its file (F10)',
  async (name) => {
    const sound = await importSound(name);
    const wrong = Object.entries(await importMutant(name));

    expect(wrong).toHaveLength(1);
    for (const [part, value] of wrong) {
      expect(Object.keys(sound)).toContain(part);
      expect(value).not.toBe(sound[part]);
    }
  },
);
