import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { pay, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const { expiries, phones } = JSON.parse(
  readFileSync(
    new URL('../../../contract/src/test-data/instrument-vectors.json', import.meta.url),
    'utf8',
  ),
) as {
  expiries: { text: string; now: string; problem: string | null }[];
  phones: { text: string; national: string | null }[];
};

const sandbox = shareSandbox();
const client = new TestClient(() => sandbox);

const codesOf = ({ json }: { json: any }): string[] =>
  (json.data.problems ?? []).map(({ code }: { code: string }) => code);

test.each(expiries)(
  'judges a card with the expiry $text at $now: $problem (T44)',
  async ({ text, now, problem }) => {
    await sandbox.control.setClock({ mode: 'virtual', now: new Date(now).toISOString() });
    const attempt = pay.card('4242424242424242');

    const response = await client.attempt(await client.visit('expiry'), {
      ...attempt,
      card: { ...attempt.card, expiry: text },
    });

    expect(codesOf(response)).toEqual(problem ? [problem] : []);
  },
);

test.each(phones)(
  'the checkout API reads the phone "$text" as $national (T46)',
  async ({ text, national }) => {
    const response = await client.attempt(await client.visit('phone'), pay.phone(text, 'mtn'));

    expect(codesOf(response)).toEqual(national ? [] : ['phone-invalid']);
    if (national)
      expect((await client.collection('phone')).mobileMoneyDetails.phone).toBe(national);
  },
);

test('the checkout API accepts a card in digits of another script and with invisible marks (T128)', async () => {
  const attempt = pay.card('\u202a４２４２ 4242\u200b4242\u00a04242\u202c');

  const response = await client.attempt(await client.visit('copied-card'), {
    ...attempt,
    card: { ...attempt.card, securityCode: '\u200e١٢٣' },
  });

  expect(codesOf(response)).toEqual([]);
  expect((await client.collection('copied-card')).cardDetails).toMatchObject({ last4: '4242' });
});

test('a one-time code and the phone of a prompt may have digits of another script and invisible marks (T128)', async () => {
  const token = await client.visit('copied-code');
  const attempt = pay.phone('٠٩٦٩٩٩٩٩٩٩', 'mtn');
  await client.attempt(token, attempt);

  expect((await client.enterCode(token, attempt.id, '\u2068０００ 000\u2069')).status).toBe(200);
  await sandbox.control.approve('\u202a+260 96 999 9999\u202c');
  expect((await client.collection('copied-code')).status).toBe('successful');
});
