import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { pay, problemsOf, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox({ clock: 'virtual' });
const client = new TestClient(() => sandbox);

describe('sessions', () => {
  test('a session is rejected for an unknown key, a secret as key, a foreign origin and another content type (T37)', async () => {
    expect(await client.openSession('a', { key: 'pub_nobody' })).toMatchObject(rejected(401, '09'));
    const secret = await client.openSession('a', { key: 'sec_sandbox_demo' });
    expect(secret).toMatchObject(rejected(400, '01'));
    expect(secret.text).not.toContain('sec_sandbox_demo');
    const body = JSON.stringify({
      key: 'pub_sandbox_demo',
      email: 'a@b.c',
      reference: 'a',
      amount: '10.00',
    });
    const send = (headers: Record<string, string>) =>
      client.call('/checkout/v1/sessions', { method: 'POST', body, headers });
    expect(
      await send({ 'content-type': 'application/json', origin: 'https://evil.example' }),
    ).toMatchObject(rejected(401, '13'));
    expect(await send({ 'content-type': 'application/json', origin: 'null' })).toMatchObject(
      rejected(401, '13'),
    );
    expect(
      await send({ 'content-type': 'application/json', 'sec-fetch-site': 'same-site' }),
    ).toMatchObject(rejected(401, '13'));
    expect(await send({ 'content-type': 'text/plain' })).toMatchObject(rejected(415, '01'));
    expect(await send({})).toMatchObject(rejected(415, '01'));
    const own = {
      'content-type': 'application/json; charset=utf-8',
      origin: sandbox.url,
      'sec-fetch-site': 'same-origin',
    };
    expect((await send(own)).status).toBe(201);
  });

  test('malformed, oversized, compressed and empty bodies are rejected in the envelope (T52)', async () => {
    const send = (body: string, headers = {}) =>
      client.call('/checkout/v1/sessions', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });

    expect(await send('{"key":')).toMatchObject(rejected(400, '01'));
    expect(await send('null')).toMatchObject(rejected(400, '01'));
    expect(await send('[]')).toMatchObject(rejected(400, '01'));
    expect(await send('')).toMatchObject(rejected(400, '01'));
    expect(await send(`"${'x'.repeat(1_000_000)}"`)).toMatchObject(rejected(413, '01'));
    expect(await send('{}', { 'content-encoding': 'gzip' })).toMatchObject(rejected(415, '01'));
    expect((await send('{"key": "canary-in-bad-json')).text).not.toContain('canary');
  });

  test.each([
    ['amount', { amount: '0.00' }],
    ['amount', { amount: '-1.00' }],
    ['amount', { amount: '10.001' }],
    ['amount', { amount: '1e400' }],
    ['amount', { amount: 10 }],
    ['amount', { amount: null }],
    ['amount', { amount: '1234567890123456.00' }],
    ['reference', { reference: '..' }],
    ['reference', { reference: 'a/b' }],
    ['reference', { reference: 'x'.repeat(129) }],
    ['reference', { reference: 'x'.repeat(5_000) }],
    ['email', { email: 'nobody' }],
    ['currency', { currency: 'zmw' }],
    ['channels.0', { channels: ['bank'] }],
    ['bearer', { bearer: 'bank' }],
    ['billing.country', { billing: { country: 'Zambia' } }],
  ])('the checkout API names an invalid %s and never its value: %j', async (path, more) => {
    const response = await client.openSession('good', more);

    expect(response).toMatchObject(rejected(400, '01'));
    expect(problemsOf(response).join()).toContain(path);
    expect(response.text).not.toContain('Zambia');
  });

  test.each(['__proto__', 'constructor', '...', 'a.b', 'x'.repeat(128)])(
    'the checkout API accepts the reference %s from session to verify (T6)',
    async (reference) => {
      const visitor = await client.visit(reference);
      await client.attempt(visitor, pay.card('4242424242424242'));

      expect(await client.collection(reference)).toMatchObject({ reference, status: 'successful' });
    },
  );

  test('the checkout API creates one session for two simultaneous requests for one reference', async () => {
    const visits = await Promise.all(Array.from({ length: 20 }, () => client.visit('race')));
    const responses = await Promise.all(
      visits.map((visitor) => client.attempt(visitor, pay.phone('0966666666', 'mtn'))),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);

    const looks = await Promise.all(visits.map((visitor) => client.look(visitor)));
    expect(new Set(looks.map(({ json }) => json.data.attempt.id)).size).toBe(1);
    expect(new Set(visits.map(({ token }) => token)).size).toBe(20);
  });

  test('another amount or currency for a reference is rejected with 04; case and merchant distinguish references (T39)', async () => {
    await client.visit('Ref');

    expect(await client.openSession('Ref', { amount: '10.01' })).toMatchObject(rejected(400, '04'));
    expect(await client.openSession('Ref', { currency: 'MWK' })).toMatchObject(rejected(400, '04'));
    expect((await client.openSession('Ref', { amount: '10', currency: 'ZMW' })).status).toBe(201);
    expect((await client.openSession('ref', { amount: '11.00' })).status).toBe(201);
    expect(
      (await client.openSession('Ref', { amount: '12.00', key: 'pub_sandbox_other' })).status,
    ).toBe(201);
  });

  test('the checkout API ignores claims in a body beyond the request (T38)', async () => {
    const claims = {
      fee: '0.00',
      status: 'successful',
      total: '0.01',
      merchant: 'pub_sandbox_other',
    };
    const visitor = await client.visit('claims', claims);
    await client.attempt(visitor, { ...pay.card('4242424242424242'), amount: '0.01', ...claims });

    expect(visitor.session.status).toBe('open');
    expect(await client.collection('claims')).toMatchObject({ amount: '10.00', fee: '0.25' });
  });

  test.each([
    [null, undefined, 'merchant', '0.00', '10.00', '9.75'],
    [null, 'customer', 'customer', '0.25', '10.25', '10.00'],
    ['merchant', 'customer', 'merchant', '0.00', '10.00', '9.75'],
    ['customer', 'merchant', 'customer', '0.25', '10.25', '10.00'],
  ] as const)(
    'the checkout API lets the right party bear the fee: dashboard %s, request %s, so %s (D36)',
    async (setting, requested, bearer, fee, total, settled) => {
      await sandbox.control.putMerchant('pub_sandbox_demo', { bearer: setting });

      const visitor = await client.visit('bearer', requested && { bearer: requested });
      await client.attempt(visitor, pay.card('4242424242424242'));

      expect(visitor.session).toMatchObject({ bearer, amount: '10.00', fee, total });
      expect(await client.collection('bearer')).toMatchObject({
        bearer,
        amount: '10.00',
        fee: '0.25',
        settlement: { amountSettled: settled },
      });
    },
  );

  test('the checkout API derives channels and networks from request, merchant and currency', async () => {
    const channelsOf = async (reference: string, more: object) => {
      const { channels, networks } = (await client.visit(reference, more)).session;
      return { channels, networks: networks.map(({ operator }) => operator) };
    };

    expect(await channelsOf('c1', {})).toEqual({
      channels: ['card', 'mobile-money'],
      networks: ['mtn', 'airtel', 'zamtel'],
    });
    expect(await channelsOf('c2', { currency: 'MWK' })).toEqual({
      channels: ['card', 'mobile-money'],
      networks: ['airtel', 'tnm'],
    });
    expect(await channelsOf('c3', { channels: ['card'] })).toEqual({
      channels: ['card'],
      networks: [],
    });
    expect(await channelsOf('c4', { channels: [] })).toMatchObject({
      channels: ['card', 'mobile-money'],
    });
    expect(await channelsOf('c5', { currency: 'USD' })).toEqual({
      channels: ['card'],
      networks: [],
    });
    expect(
      await client.openSession('c6', { currency: 'USD', channels: ['mobile-money'] }),
    ).toMatchObject(rejected(400, '01'));
    await sandbox.control.putMerchant('pub_sandbox_demo', { channels: ['mobile-money'] });
    expect(await client.openSession('c7', { channels: ['card'] })).toMatchObject(
      rejected(400, '01'),
    );
  });

  test.each([
    { currency: 'QQQ' },
    { currency: 'JPY', amount: '10.75' },
    { currency: 'XAF', amount: '0.50' },
  ])(
    'a session rejects %j: no ISO 4217 currency, or too many decimals for it (D48)',
    async (more) => {
      expect(await client.openSession('d48', more)).toMatchObject(rejected(400, '01'));
    },
  );

  test('the checkout API accepts a whole amount in a currency without decimals (D48)', async () => {
    expect((await client.openSession('d48', { currency: 'JPY', amount: '10.00' })).status).toBe(
      201,
    );
  });

  test('the e-mail is in the story and in no response of the merchant API (D29)', async () => {
    const visitor = await client.visit('d29');
    await client.attempt(visitor, pay.card('4242424242424242'));

    const { session } = (await client.control('GET', '/collections/pub_sandbox_demo/d29')).json
      .data;
    expect(session.email).toBe('ada@shop.example');
    for (const path of ['/collections/status/d29', '/collections'])
      expect((await client.merchant(path)).text).not.toContain('ada@shop');
  });

  test('the checkout API returns receipt details with the attempt: card, phone, time (D29)', async () => {
    const byCard = await client.visit('receipt-card');
    const paid = (await client.attempt(byCard, pay.card('5555555555554444'))).json.data;
    const byPhone = await client.visit('receipt-phone');
    const prompted = (await client.attempt(byPhone, pay.phone('0960000000', 'mtn'))).json.data;

    expect(paid).toMatchObject({
      completedAt: expect.stringMatching(/Z$/),
      attempt: { card: { brand: 'mastercard', lastDigits: '4444' } },
    });
    expect(prompted).toMatchObject({
      completedAt: null,
      attempt: { card: null, prompt: { firstDigits: '096', lastDigits: '0000' } },
    });
    const stranger = await client.visit('receipt-card');
    expect(stranger.session.attempt).toMatchObject({ isYours: false, card: null });
  });

  test('a card brand that the merchant does not accept is rejected at the card number', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { cardBrands: ['visa'] });
    const visitor = await client.visit('brand');

    expect((await client.attempt(visitor, pay.card('5555555555554444'))).json).toMatchObject({
      errorCode: '01',
      data: { problems: [{ path: 'card.number', code: 'card-brand-not-accepted' }] },
    });
  });

  test('the checkout API cuts a long stored label between characters (D27)', async () => {
    const { label } = (
      await client.visit('d27', { label: `${'x'.repeat(119)}\u{1f375}${'y'.repeat(10_000)}` })
    ).session;

    expect(label).toBe(`${'x'.repeat(119)}\u{1f375}`);
  });

  test("the checkout API defaults to the merchant's currency (D8), stores the label and does not return the e-mail", async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', {
      defaultCurrency: 'MWK',
      name: 'Tea House',
    });

    const response = await client.openSession('d8', {
      label: 'Tea',
      customer: { firstName: 'Canary' },
    });

    expect(response.json.data.session).toMatchObject({
      currency: 'MWK',
      label: 'Tea',
      merchantName: 'Tea House',
      isTest: true,
      attemptsLeft: 5,
    });
    expect(response.text).not.toMatch(/ada@shop|Canary/);
  });
});

describe('access to a session', () => {
  test('the checkout API shows everything to the tab that began it, and only state and amount to others (T40, D25)', async () => {
    const owner = await client.visit('mine');
    await client.attempt(owner, pay.card('4000000000003220'));
    const stranger = await client.visit('mine');
    const again = await client.openSession('mine', {}, owner.token);

    expect(again).toMatchObject({
      status: 200,
      json: { data: { session: { attempt: { isYours: true, challengeUrl: expect.any(String) } } } },
    });
    expect(stranger.session).toMatchObject({
      amount: '10.00',
      attempt: {
        status: '3ds-auth-required',
        isYours: false,
        challengeUrl: null,
        prompt: null,
        codesLeft: null,
        reasonForFailure: null,
      },
    });
  });

  test('the checkout API keeps strangers from entering the code, but lets them replace an attempt that only waits for one (D25)', async () => {
    const owner = await client.visit('coded');
    const { id } = (await client.attempt(owner, pay.phone('0969999999', 'mtn'))).json.data.attempt;
    const stranger = await client.visit('coded');

    expect(await client.enterCode(stranger, id, '000000')).toMatchObject(rejected(401, '13'));
    const replaced = await client.attempt(stranger, pay.card('4242424242424242'));

    expect(replaced.json.data).toMatchObject({ status: 'successful', attempt: { isYours: true } });
    expect((await client.enterCode(owner, id, '000000')).json.data).toMatchObject({
      status: 'successful',
      attempt: { isYours: false },
    });
    expect(await client.enterCode(owner, randomUUID(), '000000')).toMatchObject(
      rejected(404, '11'),
    );
  });

  test('the checkout API rejects tokens that are missing, guessed, in the URL, from before a reset or long expired (T41)', async () => {
    const visitor = await client.visit('t41');
    const look = (headers: object, query = '') =>
      client.call(`/checkout/v1/sessions/current${query}`, {
        headers: headers as Record<string, string>,
      });

    expect(visitor.token).toMatch(/^[\w-]{43}$/);
    expect(await look({})).toMatchObject(rejected(401, '09'));
    expect(await look({ authorization: visitor.token })).toMatchObject(rejected(401, '09'));
    expect(await look({ authorization: `Bearer ${'A'.repeat(43)}` })).toMatchObject(
      rejected(401, '09'),
    );
    expect(await look({}, `?token=${visitor.token}`)).toMatchObject(rejected(401, '09'));
    expect((await look({ authorization: `Bearer ${visitor.token}` })).status).toBe(200);

    await sandbox.control.advance(31 * 60);
    expect((await client.look(visitor)).json.data.status).toBe('failed');
    await sandbox.control.advance(61 * 60);
    const ended = 'This payment ended more than an hour ago. Open it again.';
    const expired = { ...rejected(401, '09'), json: { message: ended } };
    expect(await client.look(visitor)).toMatchObject(expired);

    const another = await client.visit('t41-b');
    await sandbox.control.reset();
    expect(await client.look(another)).toMatchObject(rejected(401, '09'));
  });

  test('the checkout API ignores the token of another session when opening', async () => {
    const one = await client.visit('one');

    const two = await client.openSession('two', {}, one.token);
    const ofOther = await client.openSession('one', { key: 'pub_sandbox_other' }, one.token);

    expect(ofOther.status).toBe(201);
    expect(two).toMatchObject({ status: 201, json: { data: { session: { reference: 'two' } } } });
    expect(two.json.data.token).not.toBe(one.token);
  });
});
