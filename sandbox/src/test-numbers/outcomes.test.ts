import { describe, expect, test } from 'vitest';
import { pay, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';
import { TEST_CARDS, TEST_PHONES } from './outcomes.ts';

const sandbox = shareSandbox({ clock: 'virtual' });
const client = new TestClient(() => sandbox);

describe('cards', () => {
  test.each(['4242 4242 4242 4242', '5555555555554444', '4242-4242-4242-4242'])(
    '%s is successful',
    async (number) => {
      const visitor = await client.visit('card-1');

      const { json } = await client.attempt(visitor, pay.card(number));

      expect(json.data).toMatchObject({
        status: 'successful',
        attempt: { status: 'successful', isYours: true, reasonForFailure: null },
      });
      expect(await client.collection('card-1')).toMatchObject({
        type: 'card',
        status: 'successful',
        amount: '10.00',
        fee: '0.25',
        reasonForFailure: null,
        mobileMoneyDetails: null,
        bankAccountDetails: null,
        settlementStatus: 'pending',
        settlement: { status: 'pending', type: 'next-day', settledAt: null, amountSettled: '9.75' },
        cardDetails: {
          firstName: 'Ada',
          lastName: 'Test',
          bin: number.replace(/\D/g, '').slice(0, 6),
          last4: number.slice(-4),
          cardType: number.startsWith('5') ? 'mastercard' : 'visa',
        },
      });
    },
  );

  test.each([
    ['4000 0000 0000 0002', 'Card declined'],
    ['4000 0000 0000 9995', 'Not enough funds'],
    ['4000 0000 0000 0069', 'Card expired'],
  ])(
    '%s is declined: %s; the session stays open and another card pays (D31)',
    async (number, reason) => {
      const visitor = await client.visit('card-2');

      const declined = await client.attempt(visitor, pay.card(number));

      expect(declined.json.data).toMatchObject({
        status: 'open',
        attemptsLeft: 4,
        reasonForFailure: null,
        attempt: { status: 'declined', reasonForFailure: reason },
      });
      expect(await client.collection('card-2')).toMatchObject({
        status: 'pending',
        reasonForFailure: null,
        completedAt: null,
        fee: null,
      });

      await client.attempt(visitor, pay.card('4242424242424242'));
      expect(await client.collection('card-2')).toMatchObject({ status: 'successful' });
    },
  );

  test('4000 0000 0000 0077 is pending for 20 s, then successful', async () => {
    const visitor = await client.visit('card-3');
    await client.attempt(visitor, pay.card('4000000000000077'));

    await sandbox.control.advance(19);
    expect((await client.look(visitor)).json.data).toMatchObject({
      status: 'open',
      attempt: { status: 'pending' },
    });
    expect(await client.collection('card-3')).toMatchObject({ status: 'pending' });

    await sandbox.control.advance(1);
    expect((await client.look(visitor)).json.data).toMatchObject({ status: 'successful' });
  });

  test('4000 0000 0000 0010 asks for each field of the billing address without counting an attempt', async () => {
    const visitor = await client.visit('card-4');

    const rejected = await client.attempt(
      visitor,
      pay.card('4000000000000010', { billing: { country: 'US', streetAddress: ' ' } }),
    );

    expect(rejected.status).toBe(400);
    expect(rejected.json).toMatchObject({ status: false, errorCode: '01' });
    expect(rejected.json.data.problems).toEqual(
      ['billing.streetAddress', 'billing.city', 'billing.postalCode', 'billing.state'].map(
        (path) => ({
          path,
          code: 'billing-required',
          message: expect.any(String),
        }),
      ),
    );
    expect((await client.look(visitor)).json.data).toMatchObject({
      attemptsLeft: 5,
      attempt: null,
    });

    const billing = {
      streetAddress: '1 Cairo Road',
      city: 'Lusaka',
      postalCode: '10101',
      country: 'zm',
    };
    expect(
      (await client.attempt(visitor, pay.card('4000000000000010', { billing }))).json.data,
    ).toMatchObject({ status: 'successful' });
  });

  test.each([
    ['approve', 'successful', null],
    ['decline', 'open', 'Card verification declined'],
  ])(
    '4000 0000 0000 3220 is challenged; %s makes the session %s',
    async (answer, status, reason) => {
      const visitor = await client.visit('card-5');
      const challenged = await client.attempt(visitor, pay.card('4000000000003220'));
      const { challengeUrl } = challenged.json.data.attempt;
      expect(challenged.json.data.attempt).toMatchObject({
        status: '3ds-auth-required',
        challengeUrl: expect.stringMatching(/^\/checkout\/v1\/challenges\//),
      });
      expect(await client.collection('card-5')).toMatchObject({ status: '3ds-auth-required' });

      await client.call(challengeUrl, { method: 'POST', body: { answer } });

      expect((await client.look(visitor)).json.data).toMatchObject({
        status,
        attempt: { reasonForFailure: reason, challengeUrl: null },
      });
    },
  );

  test('an unanswered challenge is declined after 10 minutes (D37, T34)', async () => {
    const visitor = await client.visit('card-6');
    await client.attempt(visitor, pay.card('4000000000003220'));

    await sandbox.control.advance(599);
    expect((await client.look(visitor)).json.data.attempt.status).toBe('3ds-auth-required');
    await sandbox.control.advance(1);

    expect((await client.look(visitor)).json.data.attempt).toMatchObject({
      status: 'declined',
      reasonForFailure: 'Card verification timed out',
    });
  });
});

describe('phones', () => {
  const prompted = TEST_PHONES.filter(
    (row) => row.answeredAfterMs !== null && row.first === undefined,
  );

  test('test phones are declined for the documented reasons', () => {
    const reasons = prompted.flatMap(({ number, end }) =>
      end.status === 'declined' ? [`${number} ${end.reason}`] : [],
    );

    expect(reasons).toEqual([
      '0962222222 Not enough funds',
      '0975555555 Not enough funds',
      '0963333333 Withdrawal amount limit exceeded',
      '0964444444 Transaction unauthorized',
      '0965555555 Transaction unauthorized',
      '0972222222 Incorrect Pin',
      '0883333333 Not enough funds',
      '0992222222 Not enough funds',
      '0885555555 Transaction unauthorized',
      '0984444444 Transaction unauthorized',
    ]);
  });

  test.each([...prompted, { ...prompted[0]!, number: '0967654321' }])(
    '$number ($operator) answers after 3 s: $end',
    async ({ number, operator, country, end }) => {
      const visitor = await client.visit('phone-1', { currency: country === 'mw' ? 'MWK' : 'ZMW' });

      const out = await client.attempt(visitor, pay.phone(number, operator));
      expect(out.json.data.attempt).toMatchObject({
        status: 'pay-offline',
        prompt: { operator, firstDigits: number.slice(0, 3), lastDigits: number.slice(-4) },
      });
      expect(await client.collection('phone-1')).toMatchObject({
        status: 'pay-offline',
        type: 'mobile-money',
        mobileMoneyDetails: {
          country,
          phone: number,
          operator,
          accountName: null,
          operatorTransactionId: null,
        },
      });
      await sandbox.control.advance(2.9);
      expect((await client.look(visitor)).json.data.attempt.status).toBe('pay-offline');
      await sandbox.control.advance(0.1);

      const { data } = (await client.look(visitor)).json;
      if (end.status === 'successful') {
        expect(data).toMatchObject({ status: 'successful', attempt: { status: 'successful' } });
        expect(await client.collection('phone-1')).toMatchObject({
          status: 'successful',
          settlement: { status: 'pending', type: 'instant' },
          mobileMoneyDetails: {
            accountName: 'TEST PAYER',
            operatorTransactionId: expect.stringMatching(/^SANDBOX-\d{6}$/),
          },
        });
      } else {
        expect(data).toMatchObject({
          status: 'open',
          attempt: { status: 'declined', reasonForFailure: end.reason },
        });
      }
    },
  );

  test.each([
    ['0966666666', 'mtn'],
    ['0977777777', 'airtel'],
    ['0960000000', 'mtn'],
    ['0970000000', 'airtel'],
  ])('%s (%s) never answers and is declined after 3 minutes', async (number, operator) => {
    const visitor = await client.visit('phone-2');
    await client.attempt(visitor, pay.phone(number, operator));

    await sandbox.control.advance(179);
    expect((await client.look(visitor)).json.data.attempt.status).toBe('pay-offline');
    await sandbox.control.advance(1);

    expect((await client.look(visitor)).json.data.attempt).toMatchObject({
      status: 'declined',
      reasonForFailure: 'Transaction Timed Out',
    });
  });

  test('0969999999 asks for a one-time code first; after 000000 the prompt follows', async () => {
    const visitor = await client.visit('phone-3');
    const prompted = await client.attempt(visitor, pay.phone('0969999999', 'mtn'));
    const { id } = prompted.json.data.attempt;
    expect(prompted.json.data.attempt).toMatchObject({ status: 'otp-required', codesLeft: 3 });
    expect(await client.collection('phone-3')).toMatchObject({ status: 'otp-required' });

    expect((await client.enterCode(visitor, id, '123456')).json.data.attempt).toMatchObject({
      status: 'otp-required',
      codesLeft: 2,
    });
    expect((await client.enterCode(visitor, id, '000000')).json.data.attempt).toMatchObject({
      status: 'pay-offline',
      codesLeft: null,
    });
    expect((await client.enterCode(visitor, id, '000000')).json.data.attempt).toMatchObject({
      status: 'pay-offline',
    });
    await sandbox.control.advance(3);

    expect(await client.collection('phone-3')).toMatchObject({ status: 'successful' });
  });

  test('three wrong codes, even simultaneous ones, decline the attempt, and the right code afterwards changes nothing (T47)', async () => {
    const visitor = await client.visit('phone-4');
    const { id } = (await client.attempt(visitor, pay.phone('0969999999', 'mtn'))).json.data
      .attempt;

    const letters = await client.enterCode(visitor, id, 'abcdef');
    await Promise.all(Array.from({ length: 10 }, () => client.enterCode(visitor, id, '111111')));
    const late = await client.enterCode(visitor, id, '000000');

    expect(letters).toMatchObject({ status: 400, json: { errorCode: '01' } });
    expect(late.json.data.attempt).toMatchObject({
      status: 'declined',
      reasonForFailure: 'Wrong one-time code',
    });
    expect(await client.collection('phone-4')).toMatchObject({ status: 'pending' });
  });
});

test('the sandbox settles mobile money 1 s after success and cards after 24 h (D45)', async () => {
  const byPhone = await client.visit('settled-phone');
  await client.attempt(byPhone, pay.phone('0971111111', 'airtel'));
  const byCard = await client.visit('settled-card');
  await client.attempt(byCard, pay.card('4242424242424242'));
  const { completedAt: cardAt } = await client.collection('settled-card');

  await sandbox.control.advance(4);
  const phone = await client.collection('settled-phone');
  expect(phone).toMatchObject({ settlementStatus: 'settled', settlement: { status: 'settled' } });
  expect(Date.parse(phone.settlement.settledAt) - Date.parse(phone.completedAt)).toBe(1_000);
  expect(await client.collection('settled-card')).toMatchObject({
    settlementStatus: 'pending',
    settlement: { settledAt: null },
  });

  await sandbox.control.advance(24 * 60 * 60);
  const card = await client.collection('settled-card');
  expect(card).toMatchObject({
    settlementStatus: 'settled',
    status: 'successful',
    completedAt: cardAt,
  });
  expect(Date.parse(card.settlement.settledAt) - Date.parse(cardAt)).toBe(24 * 60 * 60_000);
});

test('the table contains each number once', () => {
  expect(new Set(TEST_CARDS.map(({ number }) => number)).size).toBe(TEST_CARDS.length);
  expect(new Set(TEST_PHONES.map(({ number }) => number)).size).toBe(TEST_PHONES.length);
});
