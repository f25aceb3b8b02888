import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

import { HARNESSES } from './harnesses.ts';
import { importMutant } from './mutants.ts';

const MUTANTS = readdirSync(new URL('mutants', import.meta.url)).map((file) =>
  file.replace('.ts', ''),
);

test('every harness has at least one broken build (F10)', () => {
  expect(HARNESSES.filter(({ broken }) => !broken.length).map(({ id }) => id)).toEqual([]);
});

test('every mutant is of a broken build, and the other way round (F10)', () => {
  const builds = HARNESSES.flatMap(({ broken }) => broken).filter(({ script }) => !script);

  expect([...new Set(builds.map(({ name }) => name))].sort()).toEqual(MUTANTS.sort());
});

test.each(MUTANTS)('the mutant %s differs from its module in one export (F10)', async (name) => {
  const { insteadOf, ...mutant } = await importMutant(name);
  const sound = await import(insteadOf!);

  const different = Object.entries(mutant).filter(([part, value]) => value !== sound[part]);

  expect(Object.keys(mutant).sort()).toEqual(Object.keys(sound).sort());
  expect(different).toHaveLength(1);
});
