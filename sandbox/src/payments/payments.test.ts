import { expect, test } from 'vitest';

import { type CallResponse, pay, problemsOf, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox({ clock: 'virtual' });
const client = new TestClient(() => sandbox);

test('a session can be extended ten times, each after half its time and before its end (D37)', async () => {
  const visitor = await client.visit('extended');
  const leftOf = ({ json }: CallResponse) => json.data.extensionsLeft;

  expect(leftOf(await client.extend(visitor))).toBe(10);
  for (let given = 1; given <= 10; given++) {
    await sandbox.control.advance(29 * 60);
    expect(leftOf(await client.extend(visitor))).toBe(10 - given);
  }
  expect(await client.extend(visitor)).toMatchObject(rejected(400, '04'));
  await sandbox.control.advance(29 * 60);
  expect((await client.look(visitor)).json.data.status).toBe('open');
  await sandbox.control.advance(61);
  expect((await client.look(visitor)).json.data.status).toBe('failed');
  expect(await client.extend(visitor)).toMatchObject(rejected(400, '04'));
});

test('a session that ran out during a prompt cannot be extended (D37, T43)', async () => {
  const visitor = await client.visit('overdue');
  await sandbox.control.advance(29 * 60);
  await client.attempt(visitor, pay.phone('0960000000', 'mtn'));
  await sandbox.control.advance(61);

  const response = await client.extend(visitor);

  expect(response).toMatchObject(rejected(400, '04'));
  await sandbox.control.advance(3 * 60);
  expect((await client.look(visitor)).json.data).toMatchObject({
    status: 'failed',
    extensionsLeft: 10,
  });
});

test('one attempt runs per session; repeating it or sending another starts nothing (T42)', async () => {
  const visitor = await client.visit('t42');
  const submit = pay.phone('0971111111', 'airtel');
  const beside = pay.card('4242424242424242');

  const responses = await Promise.all([
    ...Array.from({ length: 5 }, () => client.attempt(visitor, submit)),
    client.attempt(visitor, beside),
    client.attempt(visitor, pay.card('4242424242424242')),
  ]);
  const other = await client.visit('t42');
  responses.push(await client.attempt(other, beside));
  await sandbox.control.advance(3);
  const late = await client.attempt(visitor, submit);

  for (const { status, json } of responses) {
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      attemptsLeft: 4,
      attempt: { id: submit.id, status: 'pay-offline' },
    });
  }
  expect(late.json.data).toMatchObject({ status: 'successful', attempt: { id: submit.id } });
  expect((await client.merchant('/collections')).json.meta.total).toBe(1);
});

test('an attempt that was rejected while another ran never starts (T42)', async () => {
  const visitor = await client.visit('t42-late');
  await client.attempt(visitor, pay.phone('0962222222', 'mtn'));
  const beside = pay.card('4242424242424242');
  await client.attempt(visitor, beside);
  await sandbox.control.advance(3);

  expect((await client.attempt(visitor, beside)).json.data).toMatchObject({
    status: 'open',
    attempt: { status: 'declined' },
  });
});

test('an attempt that arrives after its session was opened again is rejected (T35, T42)', async () => {
  const before = await client.visit('withdrawn');
  const known = pay.phone('0960000000', 'mtn');
  const late = pay.card('4242424242424242');
  await client.attempt(before, known);
  const again = (await client.openSession('withdrawn', {}, before.token)).json.data;

  expect((await client.attempt(before, known)).json.data).toMatchObject({
    attempt: { id: known.id, isYours: true },
  });
  await sandbox.control.decline('0960000000');
  expect(await client.attempt(before, late)).toMatchObject(rejected(401, '09'));
  expect((await client.look(before)).json.data).toMatchObject({
    status: 'open',
    attemptsLeft: 4,
    attempt: { id: known.id },
  });
  expect((await client.attempt(again, late)).json.data).toMatchObject({
    status: 'successful',
    attempt: { id: late.id, isYours: true },
  });
});

test('a session rejects the sixth attempt and any after the end with 04; reopening only once it is over (T43, T35, D19)', async () => {
  const visitor = await client.visit('t43');
  for (let left = 4; left >= 0; left--) {
    const opened = await client.openSession('t43');
    expect(opened.status).toBe(201);
    const { data } = (await client.attempt(opened.json.data, pay.card('4000000000000002'))).json;
    expect(data.attemptsLeft).toBe(left);
  }

  expect((await client.look(visitor)).json.data).toMatchObject({
    status: 'failed',
    reasonForFailure: 'Card declined',
  });
  expect(await client.attempt(visitor, pay.card('4242424242424242'))).toMatchObject(
    rejected(400, '04'),
  );
  expect(await client.openSession('t43')).toMatchObject(rejected(400, '04'));
  expect(await client.collection('t43')).toMatchObject({
    status: 'failed',
    reasonForFailure: 'Card declined',
    completedAt: expect.any(String),
    settlement: null,
  });
});

test('a session rejects another attempt after a success with 04; reopening shows the success (D18)', async () => {
  const visitor = await client.visit('d18');
  await client.attempt(visitor, pay.card('4242424242424242'));

  expect(await client.attempt(visitor, pay.card('4242424242424242'))).toMatchObject(
    rejected(400, '04'),
  );
  expect((await client.visit('d18')).session).toMatchObject({ status: 'successful' });
});

test('a session ends after 30 minutes; without an attempt there is no collection (D35, D37)', async () => {
  const visitor = await client.visit('d37');
  await sandbox.control.advance(30 * 60 - 1);
  expect((await client.look(visitor)).json.data.status).toBe('open');
  await sandbox.control.advance(1);

  expect((await client.look(visitor)).json.data).toMatchObject({
    status: 'failed',
    attemptsLeft: 0,
  });
  expect(await client.attempt(visitor, pay.card('4242424242424242'))).toMatchObject(
    rejected(400, '04'),
  );
  expect(await client.merchant('/collections/status/d37')).toMatchObject(rejected(404, '11'));
});

test.each([0, 45, 60 * 24 * 40])(
  'a session that nobody tried opens again with its full time, %i minutes after it ended (D19, D37, D61)',
  async (minutesLater) => {
    const older = await client.visit('untried');
    await sandbox.control.advance(16 * 60);
    await client.extend(older);
    await sandbox.control.advance(30 * 60 + minutesLater * 60);

    const newer = await client.visit('untried');

    expect(newer.session).toMatchObject({
      status: 'open',
      attemptsLeft: 5,
      extensionsLeft: 10,
      reasonForFailure: null,
    });
    expect(Date.parse(newer.session.expiresAt) - Date.parse(newer.session.now)).toBe(30 * 60_000);
    expect(await client.merchant('/collections/status/untried')).toMatchObject(rejected(404, '11'));
    const charge = pay.card('4242424242424242');
    expect(await client.attempt(older, charge)).toMatchObject(rejected(401, '09'));
    await client.attempt(newer, charge);
    expect(await client.collection('untried')).toMatchObject({ status: 'successful' });
    await sandbox.control.advance(31 * 60);
    expect(await client.collection('untried')).toMatchObject({ status: 'successful' });
  },
);

test('a session that ended after an attempt, or is opened with another amount, stays over (D19)', async () => {
  await client.attempt(await client.visit('tried'), pay.card('4000000000000002'));
  await client.visit('untried');
  await sandbox.control.advance(30 * 60);

  expect(await client.openSession('tried')).toMatchObject(rejected(400, '04'));
  expect(await client.openSession('untried', { amount: '11.00' })).toMatchObject(
    rejected(400, '04'),
  );
});

test.each([
  ['approve', { status: 'successful' }],
  ['decline', { status: 'failed', reasonForFailure: 'Transaction unauthorized' }],
] as const)('a session that ends during a prompt waits for it: %s (T43)', async (answer, end) => {
  const visitor = await client.visit('late');
  await sandbox.control.advance(29 * 60);
  await client.attempt(visitor, pay.phone('0960000000', 'mtn'));
  await sandbox.control.advance(90);
  expect(await client.collection('late')).toMatchObject({ status: 'pay-offline' });

  await sandbox.control[answer]('0960000000');

  expect(await client.collection('late')).toMatchObject(end);
  await sandbox.control.advance(24 * 60 * 60);
  expect(await client.collection('late')).toMatchObject(end);
});

test.each([
  ['card.number card-not-a-test-card', { number: '4111111111111111' }],
  ['card.number card-number-invalid', { number: '4242424242424241' }],
  ['card.number card-number-invalid', { number: '424242424242' }],
  ['card.number card-number-invalid', { number: '42424242424242424242' }],
  ['card.number card-number-invalid', { number: '424242424242424²' }],
  ['card.number card-number-invalid', { number: '' }],
  ['card.expiry expiry-invalid', { expiry: '13/30' }],
  ['card.expiry expiry-invalid', { expiry: '' }],
  ['card.expiry expiry-past', { expiry: '01/20' }],
  ['card.securityCode security-code-invalid', { securityCode: '12' }],
  ['card.securityCode security-code-invalid', { securityCode: '12345' }],
  ['card.name name-missing', { name: '  ' }],
  ['card.name name-missing', { name: '4111 1111 1111 1111' }],
  ['card.name name-missing', { name: 'Ada ４２４２-４２４２-４２４２-４２４２' }],
])('a card is rejected with "%s", and no attempt is counted (T44)', async (problem, fields) => {
  const visitor = await client.visit('t44');
  const good = pay.card('4242424242424242');

  const response = await client.attempt(visitor, { ...good, card: { ...good.card, ...fields } });

  expect(response).toMatchObject(rejected(400, '01'));
  expect(problemsOf(response)).toEqual([problem]);
  expect((await client.look(visitor)).json.data).toMatchObject({ attemptsLeft: 5, attempt: null });
  expect(await client.merchant('/collections/status/t44')).toMatchObject(rejected(404, '11'));
});

test('every problem of a card is returned at once; the current month is valid (T44)', async () => {
  const visitor = await client.visit('t44-all');
  const card = { number: '1', expiry: '1', securityCode: '1', name: '' };
  const response = await client.attempt(visitor, { ...pay.card(''), card });
  expect(problemsOf(response)).toHaveLength(4);

  const [year, month] = visitor.session.now.split('-');
  const thisMonth = {
    ...pay.card('').card,
    number: '4242424242424242',
    expiry: `${month}/${year!.slice(2)}`,
  };
  expect(
    (await client.attempt(visitor, { ...pay.card(''), card: thisMonth })).json.data.status,
  ).toBe('successful');
});

test.each([
  ['phone-other-network', '0971111111', 'mtn'],
  ['phone-invalid', '096111111', 'mtn'],
  ['phone-invalid', '09611111111', 'mtn'],
  ['phone-invalid', '09611x1111', 'mtn'],
  ['phone-invalid', '+265881111111', 'mtn'],
  ['phone-invalid', '', 'mtn'],
])(
  'a phone is rejected with %s: %j for %s; no prompt is sent and no attempt counted (T46)',
  async (code, phone, operator) => {
    const visitor = await client.visit('t46');

    const response = await client.attempt(visitor, pay.phone(phone, operator));

    expect(response).toMatchObject(rejected(400, '12'));
    expect(problemsOf(response)).toEqual([`mobileMoney.phone ${code}`]);
    expect((await client.look(visitor)).json.data).toMatchObject({
      attemptsLeft: 5,
      attempt: null,
    });
  },
);

test('an unavailable channel or network, or an invalid id, is rejected with 400·01', async () => {
  const visitor = await client.visit('offered', { channels: ['card'] });

  expect(await client.attempt(visitor, pay.phone('0961111111', 'mtn'))).toMatchObject(
    rejected(400, '01'),
  );
  expect(
    await client.attempt(visitor, { ...pay.card('4242424242424242'), id: 'one' }),
  ).toMatchObject(rejected(400, '01'));
  expect(
    await client.attempt(visitor, { ...pay.card('4242424242424242'), channel: 'bank' }),
  ).toMatchObject(rejected(400, '01'));
  const anyChannel = await client.visit('offered-2');
  expect(await client.attempt(anyChannel, pay.phone('0961111111', 'tnm'))).toMatchObject(
    rejected(400, '01'),
  );
});

test('the last attempt is kept while it waits for its code, because replacing it would end the session (D25)', async () => {
  const visitor = await client.visit('last');
  for (let attempt = 0; attempt < 4; attempt++)
    await client.attempt(visitor, pay.card('4000000000000002'));
  const coded = pay.phone('0969999999', 'mtn');
  await client.attempt(visitor, coded);

  const response = await client.attempt(visitor, pay.card('4242424242424242'));

  expect(response.json.data).toMatchObject({
    status: 'open',
    attempt: { id: coded.id, status: 'otp-required' },
  });
  await client.enterCode(visitor, coded.id, '000000');
  expect((await client.control('GET', '/phones/0969999999')).json.data.out).toMatchObject([
    { kind: 'prompt', reference: 'last' },
  ]);
  await sandbox.control.advance(3);
  expect(await client.collection('last')).toMatchObject({ status: 'successful' });
});

test('a challenge accepts one answer; later answers and strangers change nothing (T48)', async () => {
  const visitor = await client.visit('t48');
  const { challengeUrl } = (await client.attempt(visitor, pay.card('4000000000003220'))).json.data
    .attempt;
  const answer = (choice: unknown, path = challengeUrl) =>
    client.call(path, { method: 'POST', body: { answer: choice } });

  expect(await answer('approve', `/checkout/v1/challenges/${'A'.repeat(32)}`)).toMatchObject(
    rejected(404, '11'),
  );
  expect(await answer('maybe')).toMatchObject(rejected(400, '01'));
  expect(await client.call(challengeUrl)).toMatchObject({ status: 200 });
  expect((await client.call(`${challengeUrl}/state`)).json.data).toEqual({
    merchantName: 'Kabwata Market',
    total: '10.00',
    currency: 'ZMW',
    isOpen: true,
  });
  const all = await Promise.all([answer('decline'), answer('approve'), answer('approve')]);

  expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect((await client.call(`${challengeUrl}/state`)).json.data.isOpen).toBe(false);
  expect(['Card verification declined', null]).toContain(
    (await client.look(visitor)).json.data.attempt.reasonForFailure,
  );
  expect(challengeUrl.split('/').at(-1)).toMatch(/^[\w-]{32}$/);
});
