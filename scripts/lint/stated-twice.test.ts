import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_KINDS, OPERATORS } from '@service-pay/sandbox/documented';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../programs/run-tool.ts';

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the project', () => {
  test('the project states the same minimum version of Node everywhere', () => {
    const [least = '', other] = ['server', 'sandbox'].map((folder) =>
      JSON.parse(read(`${folder}/package.json`)).engines.node.replace('>=', ''),
    );
    expect(other).toBe(least);
    const pages = tracked.filter((file) => /^(?!CHANGELOG|README).+\.md$/.test(file));
    const stated = [...pages, 'scripts/run.js'].flatMap((file) =>
      [...read(file).matchAll(/Node (\d+\.\d+) (?:or|and) newer/g)].map(([, version]) => version),
    );

    expect([...new Set(stated)]).toEqual([least]);
    expect(read('contract/src/node-version.ts')).toContain(
      `const LEAST = [${least.replace('.', ', ')}]`,
    );
    expect(read('scripts/run.js')).toContain('major < 22 || (major === 22 && minor < 19)');
  });

  test('the project offers only test numbers that the sandbox knows', () => {
    const digits = (file: string, pattern: RegExp) =>
      [...read(file).matchAll(pattern)].map(([, number = '']) => number.replaceAll(' ', ''));
    const known = digits('sandbox/src/test-numbers/outcomes.ts', /number: '(\d+)'/g);
    const offered = digits('widget/src/checkout/screens/test-numbers.ts', /'([\d ]{10,})'/g);

    expect(offered.length).toBeGreaterThan(10);
    expect(offered.filter((number) => !known.includes(number))).toEqual([]);
  });

  test.each([...OPERATORS])(
    'the project has a colour of %s in the popup and on the phone',
    (operator) => {
      expect(read('widget/src/checkout/parts/marks.ts')).toContain(`\n  .${operator} {\n`);
      expect(read('sandbox/pages/styles/handset.css')).toContain(`[data-network="${operator}"]`);
    },
  );

  test.each([...FAULT_KINDS])('the project says what the fault %s does', (kind) => {
    expect(read('docs/errors.md')).toContain(`\n| \`${kind}\` | `);
  });
});
