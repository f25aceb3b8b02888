import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { findLongSubjects } from './commit-subjects.ts';

const LONG = 'a'.repeat(73);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-subjects-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the check names commits with a subject of more than 72 characters, after the check was added', () => {
  git('init', '--quiet');
  commit(`before ${LONG}`);
  const file = join(folder, 'scripts/lint/commit-subjects.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  git('add', '.');
  commit(`with ${LONG}`);
  commit('é'.repeat(72));
  commit('short', LONG);
  expect(findLongSubjects(folder)).toEqual([]);

  commit(LONG);

  expect(findLongSubjects(folder)).toEqual([expect.stringMatching(new RegExp(` ${LONG}$`))]);
});

test('the check names none in an unpacked archive, which has no .git', () => {
  expect(findLongSubjects(folder)).toEqual([]);
});

function commit(...paragraphs: string[]): void {
  git('commit', '--quiet', '--allow-empty', ...paragraphs.flatMap((text) => ['-m', text]));
}

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  execFileSync('git', [...identity, '-c', 'commit.gpgsign=false', ...args], { cwd: folder });
}
