import { describe, expect, test } from 'vitest';

import { findReleaseProblems, type ReleaseState, readNotes } from './release-notes.ts';

const CHANGELOG = `# Changelog

## Unreleased

- Another thing.

## 0.2.0 (2026-11-23)

### Added

- A thing.

## 0.1.0

- The first.
`;

const READY: ReleaseState = {
  version: '0.3.0',
  branch: 'main',
  current: '0.2.0',
  changelog: CHANGELOG,
  isClean: true,
  tags: ['v0.1.0', 'v0.2.0'],
};

describe('a release', () => {
  test('a release is made when version, CHANGELOG, work tree and tags fit', () => {
    expect(findReleaseProblems(READY)).toEqual([]);
    expect(findReleaseProblems({ ...READY, current: '0.2.9', version: '0.2.10' })).toEqual([]);
  });

  test('a release may be one to try out, which comes before the version that it is named after', () => {
    for (const [current, version] of [
      ['0.2.0', '0.3.0-rc.1'],
      ['0.3.0-rc.1', '0.3.0-rc.2'],
      ['0.3.0-rc.2', '0.3.0-rc.10'],
      ['0.3.0-rc.10', '0.3.0'],
    ] as const) {
      expect(findReleaseProblems({ ...READY, current, version }), version).toEqual([]);
      expect(findReleaseProblems({ ...READY, current: version, version: current })).toContain(
        `--version must be above ${version}, the version of the packages.`,
      );
    }
  });

  test.each<[string, Partial<ReleaseState>, RegExp]>([
    ['no version', { version: '' }, /three numbers/],
    ['a half version', { version: '0.3.0-rc' }, /three numbers/],
    ['a word for a version', { version: 'next' }, /three numbers/],
    ['an older version', { version: '0.1.9' }, /above 0.2.0/],
    ['the same version', { current: '0.3.0' }, /above 0.3.0/],
    ['nothing unreleased', { changelog: CHANGELOG.replace('- Another thing.\n', '') }, /is empty/],
    ['another branch', { branch: 'next' }, /Release from main/],
    ['uncommitted changes', { isClean: false }, /not committed/],
    ['a tag of that version', { tags: ['v0.3.0'] }, /tag v0.3.0 exists/],
  ])('a release is rejected with %s, and says what to do', (_what, change, message) => {
    expect(findReleaseProblems({ ...READY, ...change })).toEqual([expect.stringMatching(message)]);
  });

  test('a release lists every problem at once', () => {
    const problems = findReleaseProblems({ ...READY, isClean: false, tags: ['v0.3.0'] });

    expect(problems).toHaveLength(2);
  });

  test('a release contains the notes of its version alone', () => {
    expect(readNotes(CHANGELOG, '0.2.0')).toBe('### Added\n\n- A thing.');
    expect(readNotes(CHANGELOG, '0.1.0')).toBe('- The first.');
    expect(readNotes(CHANGELOG, 'Unreleased')).toBe('- Another thing.');
    expect(readNotes(CHANGELOG, '0.2')).toBeUndefined();
  });
});
