import { describe, expect, test } from 'vitest';

import { findReleaseProblems, type ReleaseState, readNotes } from './release-notes.ts';

const CHANGELOG = `# Changelog

What those who integrate notice.

## Unreleased

## 0.2.0 (2026-11-23)

### Added

- A thing.

## 0.1.0

- The first.
`;

const READY: ReleaseState = {
  versions: { contract: '0.2.0', widget: '0.2.0' },
  changelog: CHANGELOG,
  isClean: true,
  tags: ['v0.1.0'],
};

describe('a release', () => {
  test('is made when versions, CHANGELOG, work tree and tags fit', () => {
    expect(findReleaseProblems(READY)).toEqual([]);
  });

  test.each<[string, Partial<ReleaseState>, RegExp]>([
    ['packages of several versions', { versions: { a: '0.2.0', b: '0.1.0' } }, /several versions/],
    ['no section', { versions: { a: '0.3.0' } }, /no section "## 0.3.0"/],
    [
      'unreleased changes',
      { changelog: CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n- Another.\n') },
      /unreleased/,
    ],
    ['uncommitted changes', { isClean: false }, /not committed/],
    ['a tag of that version', { tags: ['v0.2.0'] }, /tag v0.2.0 exists/],
  ])('is refused with %s, and says what to do', (_what, change, message) => {
    expect(findReleaseProblems({ ...READY, ...change })).toEqual([expect.stringMatching(message)]);
  });

  test('lists every problem at once', () => {
    const problems = findReleaseProblems({ ...READY, isClean: false, tags: ['v0.2.0'] });

    expect(problems).toHaveLength(2);
  });

  test('contains the notes of its version alone', () => {
    expect(readNotes(CHANGELOG, '0.2.0')).toBe('### Added\n\n- A thing.');
    expect(readNotes(CHANGELOG, '0.1.0')).toBe('- The first.');
    expect(readNotes(CHANGELOG, 'Unreleased')).toBe('');
    expect(readNotes(CHANGELOG, '0.2')).toBeUndefined();
  });
});
