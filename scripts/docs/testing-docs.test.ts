import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from '@service-pay/sandbox/documented';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';

const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

describe('docs/testing.md', () => {
  test('docs/testing.md names calls of the control API that exist, and one that pays', () => {
    const control = readFileSync(join(ROOT, 'sandbox/src/control/client.ts'), 'utf8');
    const called = [...page.matchAll(/\bcontrol\.(\w+)\(/g)].map(([, name]) => name as string);

    expect(called).toContain('pay');
    expect(
      called.filter((name) => !new RegExp(`^ {2}${name}(?:<.*>)?\\(`, 'm').test(control)),
    ).toEqual([]);
  });

  test('docs/testing.md names calls of the page objects and scenarios that exist', () => {
    const popup = readFileSync(join(ROOT, 'sandbox/src/testing/playwright/popup.ts'), 'utf8');
    const [, table = ''] = /\| call \| what it does \|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const cells = table
      .split('\n')
      .slice(1)
      .map((row) => row.replaceAll('\\|', '').split('|')[1] ?? '');
    const called = cells.flatMap((cell) =>
      [...cell.matchAll(/`(\w+)[(`]/g)].map(([, name]) => name as string),
    );
    const scenarios = [...page.matchAll(/`((?:webhook|receiver|verify)-[a-z-]+)`/g)].map(
      ([, name]) => name,
    );

    expect(called.length).toBeGreaterThan(15);
    expect(
      called.filter(
        (name) => !new RegExp(`^  (?:async |get |readonly )${name}\\b`, 'm').test(popup),
      ),
    ).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(5);
    expect(
      scenarios.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)),
    ).toEqual([]);
  });
});
