import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TEST_CARDS, TEST_PHONES } from './outcomes.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

test('the README lists every test number with its name and its reason', () => {
  const rows = readme
    .split('\n')
    .filter((line) => line.startsWith('| 4') || line.startsWith('| 0'));
  const numbers = [...Object.values(TEST_CARDS), ...Object.values(TEST_PHONES)];
  const isListed = ({ name, number, end, answeredAfterMs }: (typeof numbers)[number]) =>
    rows.some(
      (row) =>
        row.replaceAll(/(?<=\d) (?=\d)/g, '').includes(number) &&
        row.includes(`\`${name}\``) &&
        (end.status === 'successful' ||
          answeredAfterMs === null ||
          row.includes(`\`${end.reason}\``)),
    );

  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((entry) => !isListed(entry))).toEqual([]);
});
