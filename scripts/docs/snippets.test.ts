import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';

/** A fenced block with what stands before it: a mark, and perhaps the file's name for readers. */
const BLOCK =
  /(?:^ *<!-- (?:file|example): (\S+) -->\n(?: *\*\*`\S+`\*\*\n\n)?)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

/** Commands have tests of their own, and diagrams are drawn. */
const NO_CODE = ['sh', 'mermaid'];

/**
 * Blocks that no test runs as a reader's program: samples of a message, which another test compares
 * with what is sent, and code for what is not here.
 */
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/api.md': {
    '{': 'scripts/docs/api-docs.long.test.ts compares it with what the sandbox sends',
    'POST /webhooks/service-pay': 'scripts/docs/api-docs.long.test.ts compares it, too',
  },
  'docs/check-shop.md': {
    '{ "sku": "honey" }':
      'the order of the check that scripts/docs/sample-servers.long.test.ts runs',
    '{ "items": [{ "sku": "honey-500", "quantity": 1 }], "customer": { "email": "ann@example.com" } }':
      'e2e/shop-http/check-shop.test.ts checks the template with it',
    Orders: 'sandbox/src/check/shop prints such lines',
  },
  'docs/security.md': {
    'script-src https://pay.example;': 'scripts/demo/pages.test.ts sends it with the demo pages',
  },
  'docs/service.md': {
    '{': 'sandbox/src/check/check.test.ts checks the sandbox with these numbers',
    "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; style-src 'self';":
      'sandbox/src/check/check.test.ts compares it with what the check demands',
  },
  'docs/fulfilment.md': {
    "import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';":
      'needs a server of Temporal; the page says that it is not tested',
  },
  'docs/migrate/paystack.md': { '// before': 'needs the script of Paystack' },
  'docs/migrate/flutterwave.md': { '// before': 'needs the script of Flutterwave' },
  'docs/quick-start/ci.md': {
    'services:': 'needs Docker on GitHub Actions',
    "import { GenericContainer, TestContainers, Wait } from 'testcontainers';": 'needs Docker',
  },
};

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const pages = execFileSync('git', ['ls-files', '*.md', ':!docs/project', ':!CHANGELOG.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);

const shown = pages
  .flatMap((page) =>
    [...read(page).matchAll(BLOCK)].map(([, name, indent, language = '', code = '']) => {
      const text = code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      const [first = ''] = text.split('\n', 1);
      return { page, name, language, text, first, title: `${page}: ${first}` };
    }),
  )
  .filter(({ language }) => !NO_CODE.includes(language));

/** Pages whose marked blocks are all run, as a test of theirs checks (`every-block.ts`). */
const playedPages = globSync('scripts/**/*.long.test.ts', { cwd: ROOT }).flatMap((file) =>
  [...read(file).matchAll(/expectEveryBlockRun\(([\s\S]*?)\);\n/g)].flatMap(([call]) =>
    [...call.matchAll(/'(\S+\.md)'/g)].map(([, page]) => page as string),
  ),
);

const played = shown.filter(({ page, name }) => name && playedPages.includes(page));

/** Everything that is run: marked blocks, and the files of the shop in `e2e/merchant`. */
const run = [
  ...played.map(({ text }) => text),
  ...globSync('e2e/merchant/*/*.{js,ts}', { cwd: ROOT }).map(read),
];

describe('every block of code on a page', () => {
  test('every block of code on a page is run as printed by a test, or is a part of what is', () => {
    const others = shown
      .filter(({ text }) =>
        text
          .split(/(?<=^\}\);\n)\n(?=test\()/m) // tests that stand one after another on the page
          .some((piece) => !run.some((whole) => whole.includes(piece))),
      )
      .filter(({ page, first }) => !OTHERS[page]?.[first]);

    expect(played.length).toBeGreaterThan(100);
    expect(others.map(({ title }) => title)).toEqual([]);
  });

  test('every exception among the blocks of code is on its page', () => {
    const titles = shown.map(({ title }) => title);
    const exceptions = Object.entries(OTHERS).flatMap(([page, firsts]) =>
      Object.keys(firsts).map((first) => `${page}: ${first}`),
    );

    expect(exceptions.filter((title) => !titles.includes(title))).toEqual([]);
  });

  test('every block of code on a page has a type on each button: a plain one submits the form around it', () => {
    const plain = shown.filter(({ text }) => /<button(?![^>]*\btype=)/.test(text));

    expect(plain.map(({ title }) => title)).toEqual([]);
  });

  test('every page compares the request of an order under an idempotency key, since its price may change', () => {
    const keyed = shown.filter(
      ({ text }) => /payments\.create\(/.test(text) && /idempotency/i.test(text),
    );

    expect(keyed.length).toBeGreaterThan(3);
    expect(keyed.filter(({ text }) => !/\brequest: /.test(text)).map(({ title }) => title)).toEqual(
      [],
    );
  });

  test('every cache on a page forgets a promise that rejected, so that the next call tries again (T152)', () => {
    const kept = shown.filter(({ text }) => /\?\?= create\w+[(<]/.test(text));

    expect(kept.length).toBeGreaterThan(2);
    expect(
      kept.filter(({ text }) => !/\}\)\.catch\(\(error\) => \{\n +[\w.]+ = undefined;/.test(text)),
    ).toEqual([]);
  });
});
