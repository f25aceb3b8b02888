import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from '@service-pay/sandbox/documented';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';

const MERCHANT = join(ROOT, 'e2e/merchant');

const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

const run = ['shop', 'playwright'].flatMap((folder) =>
  readdirSync(join(MERCHANT, folder)).map((file) => join(MERCHANT, folder, file)),
);

describe('docs/testing.md', () => {
  test('shows tests as they are run', () => {
    const files = run.map((file) => readFileSync(file, 'utf8'));
    const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    const pieces = examples.flatMap((code) => code.split(/(?<=^\}\);\n)\n(?=test\()/m));

    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.filter((piece) => !files.some((file) => file.includes(piece)))).toEqual([]);
  });

  test('names calls of the control API that exist, and one that pays', () => {
    const control = readFileSync(join(ROOT, 'sandbox/src/control/control.ts'), 'utf8');
    const called = [...page.matchAll(/\bcontrol\.(\w+)\(/g)].map(([, name]) => name as string);

    expect(called).toContain('pay');
    expect(
      called.filter((name) => !new RegExp(`^ {2}${name}(?:<.*>)?\\(`, 'm').test(control)),
    ).toEqual([]);
  });

  test('names calls of the page objects and scenarios that exist', () => {
    const popup = readFileSync(join(ROOT, 'sandbox/src/playwright/popup.ts'), 'utf8');
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
