import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';

const ALERTS = 'server/operate/alerts.yml';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const list = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file && existsSync(join(ROOT, file)));

const quoting = [
  ...list('*.md').filter((page) => page !== 'CHANGELOG.md'),
  ...list('server/operate/*.yml', 'server/operate/*.json'),
];

function find(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) => [...read(file).matchAll(pattern)].map(([, found]) => found!));
}

describe('alerts and pages (T140)', () => {
  test('alerts and pages quote only lines that a log call writes', () => {
    const quoted = find(quoting, /(?:Look for|log has)\s+["`]([^"`]+)["`]/g);
    const sources = list('*.ts').filter((file) => !/\.test\.ts$|\/test\//.test(file));
    const written = find(sources, /\blog(?:\.\w+|\[\w+\])\([^;]*?'([^'\n]+)',?\s*\)/g);

    expect(quoted.length).toBeGreaterThan(4);
    expect(quoted.filter((line) => !written.includes(line))).toEqual([]);
  });

  test('alerts name only settings and alerts that exist, the package’s commands and no file of the template', () => {
    const actions = find([ALERTS], /action: (.*)/g).join('\n');
    const named = (pattern: RegExp) => [...new Set(actions.match(pattern))];
    const settings = named(/\b[A-Z]+(?:_[A-Z]+)+\b/g);
    const alerts = named(/\b(?:[A-Z][a-z]+){2,}\b/g);

    expect([settings.length, alerts.length].every((count) => count > 1)).toBe(true);
    expect(named(/\bsrc\/[\w.-]+|\bnpm run [\w-]+/g)).toEqual([]);
    expect(
      settings.filter((name) => !read('bff-example/.env.example').includes(`\n${name}=`)),
    ).toEqual([]);
    expect(alerts.filter((name) => !read(ALERTS).includes(`alert: ${name}\n`))).toEqual([]);
  });
});
