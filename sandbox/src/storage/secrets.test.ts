import { inspect } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { Scenarios } from '../faults/scenarios.ts';
import { Merchants } from '../payments/merchants.ts';
import { Payments } from '../payments/payments.ts';
import { CollectionStore } from '../payments/store.ts';
import { pay, TestClient } from '../test/client.ts';
import { Clock } from '../time/clock.ts';
import { History } from './history.ts';

const CANARY = {
  card: '4000000000009995',
  badCard: '4111111111111111',
  code: '739',
  oneTimeCode: '918273',
  bad: 'canary-in-broken-json',
};

let sandbox: Sandbox;
const logLines: string[] = [];
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  sandbox = await startSandbox({ log });
});
afterAll(() => sandbox.close());

test('the sandbox stores, logs and returns no card number, security code or one-time code (T45); logs no token (T41)', async () => {
  const responses: string[] = [];
  const keep = async (response: Promise<{ text: string }>) =>
    void responses.push((await response).text);
  const visitor = await client.visit('canary');
  const card = (number: string) => {
    const attempt = pay.card(number);
    return { ...attempt, card: { ...attempt.card, securityCode: CANARY.code } };
  };

  await keep(client.attempt(visitor, card(CANARY.card)));
  await keep(client.attempt(visitor, card(CANARY.badCard)));
  await keep(client.attempt(visitor, card('4242424242424242')));
  const coded = await client.visit('coded');
  const { id } = (await client.attempt(coded, pay.phone('0969999999', 'mtn'))).json.data.attempt;
  await keep(client.enterCode(coded, id, CANARY.oneTimeCode));
  await keep(
    client.call('/checkout/v1/sessions/current/attempts', {
      method: 'POST',
      body: `{"${CANARY.bad} ${CANARY.card}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${visitor.token}` },
    }),
  );
  await keep(
    client.call(`/checkout/v1/sessions/current?token=${visitor.token}&card=${CANARY.card}`),
  );
  await keep(client.look(visitor));
  await keep(client.merchant('/collections'));
  await keep(client.control('GET', '/webhooks'));

  const logged = logLines.join('');
  expect(logged).toContain('request completed');
  for (const canary of [
    CANARY.card,
    CANARY.badCard,
    CANARY.oneTimeCode,
    CANARY.bad,
    '4242424242424242',
  ]) {
    expect(logged, 'log').not.toContain(canary);
    expect(responses.join('\n'), 'responses').not.toContain(canary);
  }
  expect(logged).not.toContain(`"${CANARY.code}"`);
  expect(logged).not.toContain(visitor.token);
  expect(logged).not.toContain('sec_sandbox_demo');
});

test('the sandbox stores no number and no code of an attempt (T45, D34)', () => {
  const store = new CollectionStore();
  const merchants = new Merchants(null);
  const clock = new Clock();
  const history = new History({ clock });
  const payments = new Payments({
    clock,
    history,
    store,
    merchants,
    scenarios: new Scenarios({ clock, history }),
    notify: () => undefined,
  });
  const request = {
    key: 'pub_sandbox_demo',
    email: 'ada@shop.example',
    reference: 'held',
    amount: '10.00',
    customer: { phone: '0961234567' },
  };
  const { visit, token } = payments.sessions.open(request, undefined);
  const submitted = pay.card(CANARY.card);
  const card = { ...submitted.card, securityCode: CANARY.code };

  payments.attempt(visit, { id: submitted.id, channel: 'card', card });

  const held = inspect(
    [store.findSession({ merchant: 'pub_sandbox_demo', reference: 'held' }), history.snapshot()],
    {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
    },
  );
  expect(held).toContain("last4: '9995'");
  for (const canary of [CANARY.card, `'${CANARY.code}'`, token, '0961234567'])
    expect(held).not.toContain(canary);
});
