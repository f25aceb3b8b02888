import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';

import { pay, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const WAITS = '0960000000';
const CANNOT_BE_WITHDRAWN = '0968888888';
const WITHDRAWN = { status: 'declined', reasonForFailure: 'Withdrawn by customer' };

const sandbox = shareSandbox({ clock: 'virtual' });
const client = new TestClient(() => sandbox);

async function prompt(reference: string, phone = WAITS) {
  const visitor = await client.visit(reference);
  const { id } = (await client.attempt(visitor, pay.phone(phone, 'mtn'))).json.data.attempt;
  return { visitor, id };
}

test('a withdrawn prompt is declined, leaves the phone and counts toward the five attempts (D47)', async () => {
  const { visitor, id } = await prompt('withdrawn');
  expect((await client.look(visitor)).json.data.attempt.withdrawable).toBe(true);

  const response = await client.withdraw(visitor, id);

  expect(response).toMatchObject({
    status: 200,
    json: { data: { status: 'open', attemptsLeft: 4, attempt: { id, ...WITHDRAWN } } },
  });
  expect((await client.control('GET', `/phones/${WAITS}`)).json.data.out).toEqual([]);
  expect(await client.control('POST', `/phones/${WAITS}/approve`)).toMatchObject(
    rejected(404, '11'),
  );
  expect(await client.collection('withdrawn')).toMatchObject({ status: 'pending' });
  const { story } = (await client.control('GET', '/collections/pub_sandbox_demo/withdrawn')).json
    .data;
  const summaries = story.map(({ summary }: { summary: string }) => summary);
  expect(summaries).toContain('Attempt 1 was declined: Withdrawn by customer.');
  expect(summaries).toContain('Cancel a prompt on the phone → 200.');
});

test('a repeated withdrawal gets the same response and changes nothing (D47)', async () => {
  const { visitor, id } = await prompt('again');
  const first = await client.withdraw(visitor, id);

  const repeated = await client.withdraw(visitor, id);
  expect(repeated.json).toEqual(first.json);

  const next = await client.attempt(visitor, pay.phone(WAITS, 'mtn'));
  const late = await client.withdraw(visitor, id);
  expect(late.json.data.attempt).toEqual(next.json.data.attempt);
  expect(late.json.data.attempt.status).toBe('pay-offline');
});

test('another attempt can begin only once the prompt is void (D47)', async () => {
  const { visitor, id } = await prompt('one-at-a-time');

  const early = await client.attempt(visitor, pay.card('4242424242424242'));
  expect(early.json.data.attempt).toMatchObject({ id, status: 'pay-offline' });
  await client.withdraw(visitor, id);
  const paid = await client.attempt(visitor, pay.card('4242424242424242'));

  expect(paid.json.data).toMatchObject({ status: 'successful', attemptsLeft: 0 });
  expect((await client.merchant('/collections')).json.meta.total).toBe(1);
});

test('the fifth withdrawn attempt ends the session', async () => {
  const { visitor, id } = await prompt('five');
  await client.withdraw(visitor, id);
  for (let attempt = 2; attempt <= 5; attempt++) {
    const begun = await client.attempt(visitor, pay.phone(WAITS, 'mtn'));
    await client.withdraw(visitor, begun.json.data.attempt.id);
  }

  expect((await client.look(visitor)).json.data).toMatchObject({
    status: 'failed',
    attemptsLeft: 0,
    reasonForFailure: 'Withdrawn by customer',
  });
  expect(await client.attempt(visitor, pay.phone(WAITS, 'mtn'))).toMatchObject(rejected(400, '04'));
});

test('a network that cannot withdraw keeps the prompt and says so (D47)', async () => {
  const { visitor, id } = await prompt('stuck', CANNOT_BE_WITHDRAWN);
  expect((await client.look(visitor)).json.data.attempt.withdrawable).toBe(true);

  const response = await client.withdraw(visitor, id);

  expect(response).toMatchObject({
    status: 200,
    json: { data: { attempt: { status: 'pay-offline', withdrawable: false } } },
  });
  expect((await client.withdraw(visitor, id)).json).toEqual(response.json);
  await client.control('POST', `/phones/${CANNOT_BE_WITHDRAWN}/approve`);
  expect((await client.withdraw(visitor, id)).json.data).toMatchObject({
    status: 'successful',
    attempt: { status: 'successful' },
  });
});

test('of a simultaneous approval and withdrawal exactly one wins, and everyone sees the same one (T124)', async () => {
  for (let round = 0; round < 20; round++) {
    const reference = `race-${round}`;
    const { visitor, id } = await prompt(reference);
    const approve = () => client.control('POST', `/phones/${WAITS}/approve`, { reference });
    const withdraw = () => client.withdraw(visitor, id);

    const [one, other] = await Promise.all(
      round % 2 ? [approve(), withdraw()] : [withdraw(), approve()],
    );
    const [approved, withdrawn] = round % 2 ? [one, other] : [other, one];

    const { status } = withdrawn!.json.data.attempt;
    expect(approved!.status).toBe(status === 'successful' ? 200 : 404);
    expect((await client.look(visitor)).json.data.attempt.status).toBe(status);
    expect((await client.collection(reference)).status).toBe(
      status === 'successful' ? 'successful' : 'pending',
    );
  }
});

test('only the visitor who began the attempt can withdraw it; an unknown one is not found', async () => {
  const { visitor, id } = await prompt('mine');
  const stranger = await client.visit('mine');

  expect(await client.withdraw(stranger, id)).toMatchObject(rejected(401, '13'));
  expect(await client.withdraw(visitor, randomUUID())).toMatchObject(rejected(404, '11'));
  expect((await client.look(visitor)).json.data.attempt.status).toBe('pay-offline');
});

test('an attempt that waits for a code or the bank is left alone', async () => {
  for (const attempt of [pay.phone('0969999999', 'mtn'), pay.card('4000000000003220')]) {
    const visitor = await client.visit(`waits-${attempt.channel}`);
    const before = (await client.attempt(visitor, attempt)).json.data;

    expect((await client.withdraw(visitor, attempt.id)).json.data.attempt).toEqual(before.attempt);
  }
});
