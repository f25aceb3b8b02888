import fc from 'fast-check';
import { expect, test } from 'vitest';

import { DigestIndex } from './digest-index.ts';

/** Two texts under the same number. */
const ALIKE = findAlike();

function findAlike(): [string, string] {
  const index = new DigestIndex<{ text: string }>();
  for (let at = 0; ; at++) {
    const text = `text-${at}`;
    const found: string[] = [];
    index.find(text, (other) => found.push(other.text) < 0);
    if (found[0]) return [found[0], text];
    index.add(text, { text });
  }
}

test('finds what was added and not taken back, texts under the same number apart', () => {
  const text = fc.constantFrom(...ALIKE, 'other', '');
  fc.assert(
    fc.property(fc.array(fc.record({ text, isAdded: fc.boolean() })), (steps) => {
      const index = new DigestIndex<{ text: string }>();
      const expected = new Map<string, { text: string }>();
      for (const { text, isAdded } of steps) {
        const known = expected.get(text);
        if (isAdded && !known) {
          const thing = { text };
          expected.set(text, thing);
          index.add(text, thing);
        } else if (!isAdded && known) {
          expected.delete(text);
          index.delete(text, known);
        }
      }
      for (const text of [...ALIKE, 'other', '']) {
        expect(index.find(text, (thing) => thing.text === text)).toBe(expected.get(text));
      }
      index.delete('other', { text: 'never added' });
      expect(index.find('other', (thing) => thing.text === 'other')).toBe(expected.get('other'));
    }),
  );
});
