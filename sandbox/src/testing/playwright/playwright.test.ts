import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LANGUAGES } from '@service-pay/contract/languages';
import { describe, expect, test } from 'vitest';
import { TEST_CARDS as CARDS, TEST_PHONES as PHONES } from '../../test-numbers/outcomes.ts';
import { TEST_CARDS, TEST_PHONES } from './index.ts';
import { type NameKey, nameIn, namesOf } from './names.ts';

const FIELDS: NameKey[] = [
  'cardNumber',
  'expiryDate',
  'securityCode',
  'nameOnCard',
  'phoneNumber',
  'streetAddress',
  'city',
  'oneTimeCode',
];

const WITHOUT_PLAYWRIGHT = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (/playwright/.test(name)) throw new Error(name + ' was imported');
      return next(name, context);
    },
  });
  const { startSandbox } = await import('@service-pay/sandbox');
  await (await startSandbox()).close();
`;

describe('the entry for Playwright', () => {
  test('the entry for Playwright names every test number once', () => {
    expect(Object.values(TEST_CARDS)).toEqual(CARDS.map(({ number }) => number));
    expect(Object.values(TEST_PHONES).map(({ phone }) => phone)).toEqual(
      PHONES.map(({ number }) => number),
    );
    expect(TEST_CARDS.declined).toBe('4000000000000002');
    expect(TEST_PHONES.waits).toEqual({ network: 'MTN', phone: '0960000000' });
    expect(TEST_PHONES.successfulTnm).toEqual({ network: 'TNM', phone: '0881111111' });
  });

  test('the entry for Playwright finds a French name whether its spaces break or not', () => {
    const [title = ''] = namesOf('leave-prompt', ['fr']);

    expect(title).toContain('\u00a0?');
    for (const text of [title, title.replaceAll('\u00a0', ' ')])
      expect(text).toMatch(nameIn('leave-prompt', ['fr']));
  });

  test('the entry for Playwright knows every field in each language, and no two fields share a name', () => {
    const names = FIELDS.flatMap((field) => namesOf(field).map((name) => ({ field, name })));

    expect(names).toHaveLength(FIELDS.length * LANGUAGES.length);
    for (const { field, name } of names) {
      expect(name).toMatch(/\S/);
      expect(names.filter((other) => other.name === name && other.field !== field)).toEqual([]);
    }
  });

  test('only the entry for Playwright loads Playwright: the library runs without it', async () => {
    const run = promisify(execFile);

    await run(process.execPath, ['--input-type=module', '--eval', WITHOUT_PLAYWRIGHT], {
      cwd: import.meta.dirname,
    });
  });
});
