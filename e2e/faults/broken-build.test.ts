import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

import { patchedFiles, withBrokenBuild } from './broken-build.ts';
import { SOUND } from './harness.ts';
import { HARNESSES } from './harnesses.ts';

const BUILDS = HARNESSES.flatMap(({ id, broken }) =>
  broken.map(({ name, patches }) => ({ id, name, patches })),
);

test('every harness has at least one broken build (F10)', () => {
  expect(HARNESSES.filter(({ broken }) => !broken.length).map(({ id }) => id)).toEqual([]);
});

test.each(BUILDS)('the patches of the shop that $name still apply (F10, $id)', ({ patches }) => {
  const files = patchedFiles(SOUND, patches);

  for (const { file, replace } of patches) expect(files.get(file)).toContain(replace);
});

test('a patch whose text is missing is rejected, and its copy removed', async () => {
  let copy = '';
  const run = async (source: string) => {
    copy = source;
  };

  await withBrokenBuild([], run);

  expect(existsSync(copy)).toBe(false);
  await expect(
    withBrokenBuild(
      [{ file: 'bff-example/src/server.ts', find: 'no such text', replace: '' }],
      run,
    ),
  ).rejects.toThrow('Write its patch anew');
});
