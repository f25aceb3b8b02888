import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeElement, toManifest } from '../docs/element-docs.ts';
import { ROOT } from '../programs/run-tool.ts';
import { withoutNumbers } from './private-numbers.ts';

const PRIVATE_NUMBER = /\b(?:[DTUFB][1-9]\d{0,2}|(?:specification|section) \d)/;

describe('private numbers', () => {
  test.each([
    ['A button (specification 2.1; outcomes: section 3).', 'A button.'],
    ['Asks once (D15, T42).', 'Asks once.'],
    ['Signed\n * under a name (T70).', 'Signed\n * under a name.'],
    ['Reads the rules\n * (D6). Throws.', 'Reads the rules. Throws.'],
    ['Reads the rules\n(D6). Throws.', 'Reads the rules. Throws.'],
    ['Retries (not on a 404, D52).', 'Retries (not on a 404).'],
  ])('private numbers are removed from %j', (text, shown) => {
    expect(withoutNumbers(text)).toBe(shown);
  });

  test('the removal of private numbers leaves other remarks as they are', () => {
    const text = 'Ends within 10 s (or 15 s, see B). Uses `F12` (the key).';

    expect(withoutNumbers(text)).toBe(text);
  });

  test('private numbers are not in the manifest that editors read', () => {
    expect(JSON.stringify(toManifest(describeElement()))).not.toMatch(PRIVATE_NUMBER);
  });

  test('private numbers are not in the template that merchants copy', () => {
    const files = globSync('bff-example/{src,assets,pages}/**/*.{ts,js,css,html}', { cwd: ROOT });

    expect(files.length).toBeGreaterThan(10);
    expect(
      files.filter((file) => PRIVATE_NUMBER.test(readFileSync(join(ROOT, file), 'utf8'))),
    ).toEqual([]);
  });
});
