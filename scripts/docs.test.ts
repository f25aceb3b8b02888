import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ROOT } from './run-tool.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(join(ROOT, file)));
const pages = tracked.filter((file) => file.endsWith('.md'));
const sources = tracked.filter((file) => /\.(?:ts|js|grit|css|html)$/.test(file));

describe('the documents', () => {
  test.each([
    ['decision', 'D', 'docs/decisions.md'],
    ['threat', 'T', 'docs/threats.md'],
    ['budget', 'B', 'docs/budgets.md'],
    ['fault', 'F', 'docs/budgets.md'],
    ['habit of integrators', 'U', 'docs/integrators.md'],
  ])('explain every %s that code or a test cites', (_what, letter, page) => {
    const known = read(page);

    expect(
      cited(new RegExp(`(?<![\\w#.])${letter}(\\d{1,3})\\b(?!\\.)`, 'g')).filter((number) => !known.includes(`| ${letter}${number} |`)),
    ).toEqual([]);
  });

  test('explain every section of the specification that code or a test cites', () => {
    const page = read('docs/specification.md');

    expect(
      cited(/specification (\d(?:\.\d)?)/g).filter((section) => !page.includes(`# ${section}`) && !page.includes(`| ${section} |`)),
    ).toEqual([]);
  });

  test.each(pages)('name only files that exist: %s', (page) => {
    const named = [...read(page).matchAll(/`((?:contract|widget|bff-example|sandbox|e2e|bench|public|docs|scripts)\/[\w./-]*\.\w+)`/g)];
    const missing = named.map(([, path]) => path as string).filter((path) => !path.includes('/dist/') && !existsSync(join(ROOT, path)));

    expect(missing).toEqual([]);
  });

  test.each(pages)('link only to what is there: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links
      .map(([, path = '', anchor]) => ({ target: path ? join(dirname(page), path) : page, anchor }))
      .filter(({ target, anchor }) => !existsSync(join(ROOT, target)) || (anchor && !anchorsOf(target).includes(anchor)))
      .map(({ target, anchor }) => `${target}#${anchor ?? ''}`);

    expect(broken).toEqual([]);
  });

  test('give a reason for every package whose install script is allowed or denied', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const rows = Object.entries(allowScripts).map(([name, allowed]) => `| \`${name}\` | ${allowed ? 'allowed' : 'denied'} | `);

    expect(rows.filter((row) => !read('CONTRIBUTING.md').includes(row))).toEqual([]);
  });

  test('keep CONTRIBUTING within 80 lines, with commands that exist', () => {
    const page = read('CONTRIBUTING.md');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/npm (?:run )?(check|test|start|dev|build|bench|copy-template)\b/g)].map(
      ([, name]) => name as string,
    );

    expect(page.split('\n').length).toBeLessThanOrEqual(80);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => !scripts[name])).toEqual([]);
  });
});

function cited(pattern: RegExp): string[] {
  const numbers = sources.flatMap((file) => [...read(file).matchAll(pattern)].map(([, number]) => number as string));
  return [...new Set(numbers)].sort();
}

/** Anchors of a page's headings, as they are made from their words. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
}
