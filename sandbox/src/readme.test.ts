import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startSandbox } from './start.ts';
import { withRoutes } from './test/routes.ts';
import { TEST_CARDS, TEST_PHONES } from './test-numbers/outcomes.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README lists every control call with its library method, and no other', async () => {
  const { started, routes } = await withRoutes(() => startSandbox());
  await started.close();
  const unnamed = Object.keys(started.control).filter((name) => !readme.includes(`\`${name}(`));
  const listed = [...readme.matchAll(/`(GET|POST|PUT|DELETE) (\/_sandbox\/[^`\s]+)`/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  const served = routes
    .filter(({ path }) => path.startsWith('/_sandbox/'))
    .map(({ method, path }) => `${method} ${path}`);

  expect(served.length).toBeGreaterThan(20);
  expect(unnamed).toEqual([]);
  expect(listed.sort()).toEqual(served.filter((route) => !route.endsWith('/decline')).sort());
});

test('the README lists every test number with its reason', () => {
  const rows = readme
    .split('\n')
    .filter((line) => line.startsWith('| 4') || line.startsWith('| 0'));
  const numbers = [...Object.values(TEST_CARDS), ...Object.values(TEST_PHONES)];
  const isListed = ({ number, end, answeredAfterMs }: (typeof numbers)[number]) =>
    rows.some(
      (row) =>
        row.replaceAll(/(?<=\d) (?=\d)/g, '').includes(number) &&
        (end.status === 'successful' ||
          answeredAfterMs === null ||
          row.includes(`\`${end.reason}\``)),
    );

  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((entry) => !isListed(entry))).toEqual([]);
});
