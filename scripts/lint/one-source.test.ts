import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '@service-pay/contract/envelope';
import { describe, expect, test } from 'vitest';

import { ENGINES } from '../packages/pack.ts';
import { ROOT } from '../programs/run-tool.ts';

/** Each rule, the one file that has it, and a pattern that finds copies. */
const RULES: [rule: string, file: string, copy: RegExp][] = [
  [
    'Luhn, length and validity of a card',
    'contract/src/card.ts',
    /13,19|% 10 === 0|month, 1, 12\)/,
  ],
  ['reading a phone number', 'contract/src/phone.ts', /prefixes\.(?:some|find|filter)\(/],
  ['digits as people paste them', 'contract/src/plain-digits.ts', /Default_Ignorable/],
  ['prefixes of networks', 'sandbox/src/test-numbers/phones.ts', /prefixes: \[/],
  [
    'addresses of this machine',
    'contract/src/loopback.ts',
    /127\(\?|=== 'localhost'|\\\.localhost/,
  ],
  ['signature of a webhook', 'contract/src/webhook-signature.ts', /createHmac\('sha512'/],
  ['statuses that acknowledge a webhook', 'contract/src/webhook.ts', /200, 201, 202/],
  [
    'final statuses',
    'contract/src/status.ts',
    /'successful' \|\|.+'failed'|'failed' &&.+'successful'/,
  ],
  ['currencies and their decimals', 'contract/src/currency.ts', /\b(?:JPY|XOF)\b/],
  ['amounts as decimals', 'contract/src/money.ts', /Number\.EPSILON/],
  ['format of amounts', 'contract/src/money-format.ts', /currencyDisplay/],
  ['rules of a payment request', 'contract/src/payment-request.ts', /-\._A-Za-z0-9\]\{1,128\}/],
  ['languages of the popup', 'contract/src/languages.ts', /'en', 'fr'/],
  ['messages between page and frame', 'contract/src/frame-messages.ts', /'service-pay:\w+': \{/],
  ['bodies that may be read as JSON', 'contract/src/json-body.ts', /charset\\s\*=/],
  ['sentences about a wrong field', 'contract/src/issue-text.ts', /is not a known member/],
  ['envelope of an answer', 'contract/src/envelope.ts', /status: (?:true|false),\s+message/],
  ['events of a stream', 'contract/src/server-sent-event.ts', /`(?:event|data|id): /],
];

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Examples of the API's description are data, and the gallery shows made-up sessions. */
const SOURCES = tracked
  .filter((file) => /^(?:contract|widget|server|sandbox|bff-example)\/src\/.+\.ts$/.test(file))
  .filter((file) => !/\.test\.ts$|\/test\/|\/gallery\/|openapi\/examples\.ts$/.test(file));

describe('one source', () => {
  test.each(RULES)('has the rule once: %s', (rule, home, copy) => {
    expect(SOURCES.filter((file) => copy.test(read(file)))).toEqual([home]);
    expect(read('docs/project/one-source.md')).toContain(`| ${rule} | \`${home}\` |`);
  });

  test('states the usual HTTP status of an error code only in the table of codes', () => {
    const pairs =
      /errorCode: '(?<code>\d\d)',\s*httpStatus: (?<status>\d+)|httpStatus: (?<before>\d+),\s*errorCode: '(?<after>\d\d)'/g;
    const repeated = SOURCES.flatMap((file) =>
      [...read(file).matchAll(pairs)]
        .map(({ groups = {} }) => ({ ...groups, file }) as Record<string, string | undefined>)
        .filter(({ code, status, before, after }) => {
          const { httpStatus } = ERROR_CODES[(code ?? after) as keyof typeof ERROR_CODES];
          return httpStatus === Number(status ?? before);
        })
        .map(({ file }) => file),
    );

    expect(repeated).toEqual([]);
  });

  test('states the same minimum version of Node everywhere', () => {
    const least = ENGINES.node.replace('>=', '');
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

  test('offers only test numbers that the sandbox knows', () => {
    const digits = (file: string, pattern: RegExp) =>
      [...read(file).matchAll(pattern)].map(([, number = '']) => number.replaceAll(' ', ''));
    const known = digits('sandbox/src/test-numbers/outcomes.ts', /number: '(\d+)'/g);
    const offered = digits('widget/src/checkout/screens/test-numbers.ts', /'([\d ]{10,})'/g);

    expect(offered.length).toBeGreaterThan(10);
    expect(offered.filter((number) => !known.includes(number))).toEqual([]);
  });
});
