import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { rejected, TestClient } from '../test/client.ts';
import { TestReceiver } from '../test/receiver.ts';
import { TEST_CARDS, TEST_PHONES } from '../test-numbers/outcomes.ts';

let sandbox: Sandbox;
const client = new TestClient(() => sandbox);
const receiver = new TestReceiver();

beforeAll(async () => {
  await receiver.listen();
  sandbox = await startSandbox({ webhookUrl: receiver.url() });
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  receiver.reset();
  await sandbox.control.reset();
});

let payments = 0;
const payWith = (more: object = {}) => {
  payments += 1;
  return client.control('POST', '/pay', {
    reference: `paid-${payments}`,
    amount: '10.00',
    ...more,
  });
};

describe('POST /_sandbox/pay', () => {
  test('POST /_sandbox/pay pays with the successful card by default and sends the webhook', async () => {
    const { status, json } = await payWith({ reference: 'order-1' });

    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      merchant: 'pub_sandbox_demo',
      reference: 'order-1',
      status: 'successful',
      reasonForFailure: null,
      collection: { status: 'successful', amount: '10.00', cardDetails: { last4: '4242' } },
    });
    expect(await client.collection('order-1')).toEqual(json.data.collection);
    await sandbox.control.advance(0);
    expect(receiver.received).toHaveLength(1);
  });

  test.each(TEST_CARDS.filter(({ answeredAfterMs }) => answeredAfterMs === 0))(
    'POST /_sandbox/pay returns the ending of the card $name',
    async ({ number, end }) => {
      const { status, json } = await payWith({ card: number });

      expect(status).toBe(200);
      expect(json.data).toMatchObject({
        status: end.status,
        reasonForFailure: end.status === 'declined' ? end.reason : null,
      });
    },
  );

  test('POST /_sandbox/pay waits for the end of a prompt that answers itself', async () => {
    const { status, json } = await payWith({ phone: '+260 96 222 2222' });

    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      status: 'declined',
      reasonForFailure: 'Not enough funds',
      collection: { status: 'pending', mobileMoneyDetails: { operator: 'mtn' } },
    });
  });

  test.each([
    ['a challenge', { card: '4000000000003220' }, '3ds-auth-required'],
    ['a one-time code', { phone: '0969999999' }, 'otp-required'],
    ['a prompt', { phone: '0960000000' }, 'pay-offline'],
  ])(
    'POST /_sandbox/pay returns 202 if %s waits for a person, or the end if approve is given',
    async (_, with_, waiting) => {
      const left = await payWith(with_);
      const approved = await payWith({ ...with_, approve: true });
      const declined = await payWith({ ...with_, approve: false });

      expect(left).toMatchObject({ status: 202, json: { data: { status: waiting } } });
      expect(approved).toMatchObject({ status: 200, json: { data: { status: 'successful' } } });
      expect(declined).toMatchObject({ status: 200, json: { data: { status: 'declined' } } });
    },
  );

  test('POST /_sandbox/pay returns 202 at once on a virtual clock; advancing it finishes the payment', async () => {
    await sandbox.control.setClock({ mode: 'virtual' });

    const { status } = await payWith({ reference: 'still', phone: '0971111111' });
    await sandbox.control.advance(3);

    expect(status).toBe(202);
    expect(await client.collection('still')).toMatchObject({ status: 'successful' });
  });

  test('POST /_sandbox/pay retries under the same reference after a decline, and never pays twice', async () => {
    const again = { reference: 'again' };
    await payWith({ ...again, card: '4000000000000002' });

    expect((await payWith(again)).json.data.status).toBe('successful');
    expect(await payWith(again)).toMatchObject(rejected(400, '04'));
    expect((await sandbox.control.collection('pub_sandbox_demo', 'again')).attempts).toHaveLength(
      2,
    );
  });

  test('POST /_sandbox/pay pays another merchant in its currency', async () => {
    await sandbox.control.putMerchant('pub_mw', { apiToken: 'sec_mw', defaultCurrency: 'MWK' });

    const result = await sandbox.control.pay({
      merchant: 'pub_mw',
      reference: 'kwacha',
      amount: '5.00',
      phone: '0883333333',
    });

    expect(result).toMatchObject({ merchant: 'pub_mw', reasonForFailure: 'Not enough funds' });
    expect(result.collection.currency).toBe('MWK');
  });

  test.each([
    ['a card and a phone', { card: '4242424242424242', phone: '0961111111' }, 400, '01'],
    ['a card that is none of the test cards', { card: '4111111111111111' }, 400, '01'],
    ['a phone of no network', { phone: '0123456789' }, 400, '12'],
    ['a phone of another country', { phone: '0881111111' }, 400, '01'],
    ['a text that is no e-mail address', { email: 'nobody' }, 400, '01'],
    ['an amount of nothing', { amount: '0.00' }, 400, '01'],
    ['a member it does not know', { securityCode: '123' }, 400, '01'],
    ['a merchant nobody knows', { merchant: 'pub_nobody' }, 404, '11'],
  ])('POST /_sandbox/pay rejects %s', async (_, wrong, status, errorCode) => {
    expect(await payWith(wrong)).toMatchObject(rejected(status, errorCode));
  });

  test('POST /_sandbox/pay plays the armed scenario', async () => {
    await sandbox.control.setClock({ mode: 'virtual' });
    await sandbox.control.armScenario('webhook-lost');

    const { json } = await payWith({ phone: TEST_PHONES[0]!.number });

    const { story } = await sandbox.control.collection('pub_sandbox_demo', json.data.reference);
    expect(story.map(({ detail }) => detail?.['scenario'])).toContain('webhook-lost');
  });
});
