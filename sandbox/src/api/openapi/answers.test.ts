import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../start.ts';
import { type Answer, type CallOptions, pay, TestClient } from '../../test/client.ts';
import { TestDescription } from '../../test/openapi-check.ts';
import { TestReceiver } from '../../test/receiver.ts';

type Method = 'get' | 'post' | 'put' | 'delete';

let sandbox: Sandbox;
let description: TestDescription;
const client = new TestClient(() => sandbox);

const met = new Set<string>();

beforeAll(async () => {
  sandbox = await startSandbox();
  description = new TestDescription((await client.call('/openapi.json')).json);
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

describe('the merchant API matches its description', () => {
  test('for a payment by reference, by id and in a list', async () => {
    await sandbox.control.putCollection({ reference: 'paid' });
    await sandbox.control.putCollection({
      reference: 'card',
      type: 'card',
      status: 'failed',
      reasonForFailure: 'Card declined',
    });
    await client.attempt(await client.visit('prompted'), pay.phone('0960000000', 'mtn'));
    const { id } = await client.collection('paid');

    for (const reference of ['paid', 'card', 'prompted']) {
      await check(
        'get',
        '/access/v2/collections/status/{reference}',
        { reference },
        asMerchant,
        200,
      );
    }
    await check('get', '/access/v2/collections/{id}', { id }, asMerchant, 200);
    for (const query of [
      '',
      '?page=9',
      '?status=successful&type=mobile-money&from=2026-01-01&to=2999-01-01T00:00:00Z',
    ]) {
      await check('get', '/access/v2/collections', {}, { ...asMerchant, query }, 200);
    }
  });

  test('for refusals', async () => {
    await check(
      'get',
      '/access/v2/collections/status/{reference}',
      { reference: 'none' },
      asMerchant,
      404,
      '11',
    );
    await check(
      'get',
      '/access/v2/collections/status/{reference}',
      { reference: '$' },
      asMerchant,
      400,
      '01',
    );
    await check('get', '/access/v2/collections/{id}', { id: 'none' }, asMerchant, 404, '11');
    for (const query of [
      '?page=0',
      '?status=new',
      '?type=bank',
      '?from=yesterday',
      '?from=2026-02-01&to=2026-01-01',
    ]) {
      await check('get', '/access/v2/collections', {}, { ...asMerchant, query }, 400, '01');
    }
    for (const path of [
      '/access/v2/collections/status/{reference}',
      '/access/v2/collections/{id}',
      '/access/v2/collections',
    ]) {
      await check('get', path, { reference: 'paid', id: 'paid' }, {}, 401, '09');
    }
  });

  test.each(['02', '03', '05', '06', '07', '08'] as const)(
    'for a fault with the code %s of transfers, which no call documents',
    async (errorCode) => {
      await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', errorCode } });

      const answer = await client.merchant('/collections');

      expect(answer).toMatchObject({ status: 400, json: { errorCode } });
      expect(
        description.strictProblemsOf({ $ref: '#/components/schemas/ErrorAnswer' }, answer.json),
      ).toBe('');
      expect(description.responseOf('get', '/access/v2/collections', 400)['x-error-codes']).toEqual(
        ['01'],
      );
    },
  );
});

describe('the checkout API matches its description', () => {
  const sessions = '/checkout/v1/sessions';
  const current = `${sessions}/current`;
  const attempts = `${current}/attempts`;
  const code = `${attempts}/{id}/one-time-code`;
  const request = (reference: string) => ({
    key: 'pub_sandbox_demo',
    email: 'ada@shop.example',
    reference,
    amount: '10.00',
  });

  test('for opening, reading, extending and resuming a session', async () => {
    const { token } = (await check('post', sessions, {}, { body: request('order') }, 201)).json
      .data;

    await check('get', current, {}, as(token), 200);
    await check('post', `${current}/extension`, {}, as(token), 200);
    await check('post', sessions, {}, { ...as(token), body: request('order') }, 200);
  });

  test.each([
    ['a card that is charged', pay.card('4242424242424242')],
    ['a card that is declined', pay.card('4000000000000002')],
    ['a card with a challenge', pay.card('4000000000003220')],
    ['a phone', pay.phone('0971111111', 'airtel')],
    ['a phone with a one-time code', pay.phone('0969999999', 'mtn')],
  ])('for an attempt with %s', async (_what, attempt) => {
    await check(
      'post',
      attempts,
      {},
      { ...as((await client.visit('order')).token), body: attempt },
      200,
    );
  });

  test('for withdrawing a prompt', async () => {
    const { token } = await client.visit('order');
    const { id } = (await client.attempt({ token }, pay.phone('0960000000', 'mtn'))).json.data
      .attempt;
    const withdrawal = `${attempts}/{id}/withdrawal`;

    await check('post', withdrawal, { id }, as(token), 200);
    await check('post', withdrawal, { id: 'none' }, as(token), 404, '11');
    await check('post', withdrawal, { id }, {}, 401, '09');
    const stranger = await client.visit('order');
    await check('post', withdrawal, { id }, as(stranger.token), 401, '13');
  });

  test('for entering a one-time code', async () => {
    const { token } = await client.visit('order');
    const { id } = (await client.attempt({ token }, pay.phone('0969999999', 'mtn'))).json.data
      .attempt;

    await check('post', code, { id }, { ...as(token), body: { code: '111111' } }, 200);
    await check('post', code, { id }, { ...as(token), body: { code: '000000' } }, 200);
    await check('post', code, { id }, { ...as(token), body: { code: 'x' } }, 400, '01');
    await check('post', code, { id }, { body: { code: '000000' } }, 401, '09');
    await check(
      'post',
      code,
      { id },
      { ...as((await client.visit('order')).token), body: { code: '000000' } },
      401,
      '13',
    );
    await check(
      'post',
      code,
      { id: 'none' },
      { ...as(token), body: { code: '000000' } },
      404,
      '11',
    );
  });

  test('for answering a challenge', async () => {
    const { challengeUrl } = (
      await client.attempt(await client.visit('order'), pay.card('4000000000003220'))
    ).json.data.attempt;
    const secret = challengeUrl.split('/').at(-1);
    const state = '/checkout/v1/challenges/{secret}/state';
    const answer = '/checkout/v1/challenges/{secret}';

    await check('get', state, { secret }, {}, 200);
    await check('get', state, { secret: 'none' }, {}, 404, '11');
    await check('post', answer, { secret }, { body: { answer: 'perhaps' } }, 400, '01');
    await check('post', answer, { secret }, { body: { answer: 'approve' } }, 200);
    await check('post', answer, { secret }, { body: { answer: 'decline' } }, 400, '04');
    await check('post', answer, { secret: 'none' }, { body: { answer: 'approve' } }, 404, '11');
  });

  test('for refused sessions and attempts', async () => {
    const { token } = await client.visit('order');

    await check('post', sessions, {}, { body: {} }, 400, '01');
    await check(
      'post',
      sessions,
      {},
      { body: { ...request('order'), amount: '11.00' } },
      400,
      '04',
    );
    await check(
      'post',
      sessions,
      {},
      { body: { ...request('order'), key: 'pub_nobody' } },
      401,
      '09',
    );
    await check(
      'post',
      sessions,
      {},
      { body: request('order'), headers: { origin: 'https://shop.example' } },
      401,
      '13',
    );
    await check(
      'post',
      attempts,
      {},
      { ...as(token), body: pay.card('4242424242424241') },
      400,
      '01',
    );
    await check(
      'post',
      attempts,
      {},
      { ...as(token), body: pay.phone('0971111111', 'mtn') },
      400,
      '12',
    );
    await check('post', attempts, {}, { body: pay.card('4242424242424242') }, 401, '09');
    await check('get', current, {}, {}, 401, '09');
    await check('post', `${current}/extension`, {}, {}, 401, '09');
    await client.attempt({ token }, pay.card('4242424242424242'));
    await check(
      'post',
      attempts,
      {},
      { ...as(token), body: pay.card('4242424242424242') },
      400,
      '04',
    );
    await check('post', `${current}/extension`, {}, as(token), 400, '04');
  });
});

describe('the control API matches its description', () => {
  const at = (path: string) => `/_sandbox${path}`;
  const answered = {
    number: '0960000000',
    merchant: 'pub_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    reference: 'order',
  };

  test('for calls that prepare a test', async () => {
    await check('post', at('/collections'), {}, { body: { reference: 'paid', notify: true } }, 201);
    await check('put', at('/clock'), {}, { body: { mode: 'virtual' } }, 200);
    await check('post', at('/clock/advance'), {}, { body: { seconds: 1 } }, 200);
    await check('get', at('/clock'), {}, {}, 200);
    await check('get', at('/merchants'), {}, {}, 200);
    await check(
      'put',
      at('/merchants/{publicKey}'),
      answered,
      { body: { bearer: 'customer' } },
      200,
    );
    await check(
      'put',
      at('/faults'),
      {},
      { body: { webhooks: { drop: 1, delaySeconds: { min: 1, max: 2 } }, seed: 3 } },
      200,
    );
    await check('get', at('/faults'), {}, {}, 200);
    await check('delete', at('/faults'), {}, {}, 200);
    await check('get', at('/scenarios'), {}, {}, 200);
    await check('post', at('/scenarios/{name}'), { name: 'webhook-lost' }, {}, 200);
    await check('delete', at('/scenarios'), {}, {}, 200);
    await check('post', at('/reset'), {}, {}, 200);
  });

  test('for playing a customer', async () => {
    const paid = { reference: 'played', amount: '10.00' };
    const waiting = { reference: 'waiting', amount: '10.00', phone: '0960000000' };

    await check('post', at('/pay'), {}, { body: paid }, 200);
    await check('post', at('/pay'), {}, { body: waiting }, 202);
    await check('post', at('/pay'), {}, { body: waiting }, 400, '04');
    await check('post', at('/pay'), {}, { body: { ...paid, reference: '$' } }, 400, '01');
    await check('post', at('/pay'), {}, { body: { ...waiting, phone: '123' } }, 400, '12');
    await check('post', at('/pay'), {}, { body: { ...paid, merchant: 'pub_nobody' } }, 404, '11');
  });

  test('for reading a phone and answering its prompt', async () => {
    for (const answer of ['approve', 'decline']) {
      await client.attempt(await client.visit(`to-${answer}`), pay.phone('0960000000', 'mtn'));
      await check('get', at('/phones/{number}'), answered, {}, 200);
      await check('post', at(`/phones/{number}/${answer}`), answered, {}, 200);
      await check('post', at(`/phones/{number}/${answer}`), answered, {}, 404, '11');
      await check('post', at(`/phones/{number}/${answer}`), { number: '123' }, {}, 400, '12');
      await check(
        'post',
        at(`/phones/{number}/${answer}`),
        answered,
        { body: { reference: 5 } },
        400,
        '01',
      );
    }
    await check('get', at('/phones/{number}'), { number: '123' }, {}, 400, '12');
  });

  test('for reading payments and webhooks and replaying webhooks', async () => {
    const receiver = new TestReceiver();
    await receiver.listen();
    await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url() });
    await client.attempt(await client.visit('order'), pay.card('4242424242424242'));
    await sandbox.control.advance(0);

    await check('get', at('/collections'), {}, { query: '?search=ord&page=1' }, 200);
    await check('get', at('/collections/{merchant}/{reference}'), answered, {}, 200);
    const [{ id }] = (await check('get', at('/webhooks'), {}, {}, 200)).json.data;
    await check('post', at('/webhooks/{id}/replay'), { id }, { body: { times: 2 } }, 200);
    await check('post', at('/webhooks/replay'), {}, { body: { reference: 'order' } }, 200);
    receiver.close();
  });

  test('for refusals', async () => {
    await sandbox.control.putCollection({ reference: 'taken' });

    await check('post', at('/collections'), {}, { body: {} }, 400, '01');
    await check('post', at('/collections'), {}, { body: { reference: 'taken' } }, 400, '04');
    await check(
      'post',
      at('/collections'),
      {},
      { body: { reference: 'new', merchant: 'pub_nobody' } },
      404,
      '11',
    );
    await check('get', at('/collections'), {}, { query: '?page=0' }, 400, '01');
    await check(
      'get',
      at('/collections/{merchant}/{reference}'),
      { merchant: 'pub_nobody', reference: 'x' },
      {},
      404,
      '11',
    );
    await check('put', at('/clock'), {}, { body: { mode: 'slow' } }, 400, '01');
    await check('post', at('/clock/advance'), {}, { body: { seconds: -1 } }, 400, '01');
    await check(
      'put',
      at('/merchants/{publicKey}'),
      answered,
      { body: { bearer: 'nobody' } },
      400,
      '01',
    );
    await check(
      'put',
      at('/faults'),
      {},
      { body: { merchantApi: { rate: 2, kind: 'hang' } } },
      400,
      '01',
    );
    await check('post', at('/scenarios/{name}'), { name: 'none' }, {}, 404, '11');
    await check(
      'post',
      at('/scenarios/{name}'),
      { name: 'webhook-lost' },
      { body: { merchant: 5 } },
      400,
      '01',
    );
    await check('post', at('/webhooks/{id}/replay'), { id: 'none' }, {}, 404, '11');
    await check(
      'post',
      at('/webhooks/{id}/replay'),
      { id: 'none' },
      { body: { times: 0 } },
      400,
      '01',
    );
    await check('post', at('/webhooks/replay'), {}, {}, 404, '11');
    await check('post', at('/webhooks/replay'), {}, { body: { times: 0 } }, 400, '01');
  });

  test('for the event stream, and for too many streams', async () => {
    const path = '/_sandbox/events';
    const leave = new AbortController();
    const open = () => fetch(`${sandbox.url}${path}`, { signal: leave.signal });

    const streams = await Promise.all(Array.from({ length: 100 }, open));
    expect(streams[0]!.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(Object.keys(description.responseOf('get', path, 200).content)).toEqual([
      'text/event-stream',
    ]);
    met.add(meeting('get', path, 200));
    await check('get', path, {}, {}, 503, '10');
    await check('get', path, {}, { query: '?last=-1' }, 400, '01');
    leave.abort();
  });
});

describe('every call', () => {
  const any = {
    reference: 'x',
    id: 'x',
    secret: 'x',
    number: 'x',
    merchant: 'x',
    publicKey: 'x',
    name: 'x',
  };

  test('can be refused for its host, and for the size and type of its body', async () => {
    for (const { method, path, operation } of description.calls()) {
      await check(method, path, any, { headers: { host: 'evil.example' } }, 401, '13');
      if (!operation.requestBody) continue;
      const headers = { authorization: `Bearer ${(await client.visit('order')).token}` };
      const json = { ...headers, 'content-type': 'application/json' };
      await check(
        method,
        path,
        any,
        { headers: json, body: JSON.stringify({ text: 'x'.repeat(70_000) }) },
        413,
        '01',
      );
      await check(
        method,
        path,
        any,
        { headers: { ...headers, 'content-type': 'text/plain' }, body: '{}' },
        415,
        '01',
      );
    }
  });

  test('fails in each way that a fault can cause', async () => {
    for (const { method, path } of description.calls().filter((call) => isFaulted(call.path))) {
      await sandbox.control.clearFaults();
      for (const status of [429, 500, 503]) {
        const fault = { rate: 1, kind: 'status', status } as const;
        await sandbox.control.setFaults({ merchantApi: fault, checkoutApi: fault });
        await check(method, path, any, {}, status, '10');
      }
    }
  });

  // The last test: it reads what the tests above covered.
  test('was tested with each documented answer', () => {
    const promised = description.calls().flatMap(({ method, path, operation }) =>
      Object.entries<any>(operation.responses)
        .filter(([status]) => isFaulted(path) || status !== '500')
        .flatMap(([status, response]) =>
          (response['x-error-codes'] ?? [undefined]).map((code?: string) =>
            meeting(method, path, status, code),
          ),
        ),
    );

    expect(promised.filter((one) => !met.has(one))).toEqual([]);
  });
});

const asMerchant = { headers: { authorization: 'Bearer sec_sandbox_demo' } };

function as(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

function isFaulted(path: string): boolean {
  return path.startsWith('/access/') || path.startsWith('/checkout/');
}

function meeting(method: Method, path: string, status: number | string, errorCode = ''): string {
  return `${method} ${path} ${status} ${errorCode}`;
}

async function check(
  method: Method,
  path: string,
  values: Record<string, string>,
  { query = '', ...options }: CallOptions & { query?: string },
  status: number,
  errorCode?: string,
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  const answer = await client.call(filled + query, { ...options, method: method.toUpperCase() });
  const response = description.responseOf(method, path, answer.status);

  expect({ status: answer.status, errorCode: answer.json?.errorCode }).toEqual({
    status,
    errorCode,
  });
  expect(response, `${method} ${path} may not answer ${answer.status}`).toBeDefined();
  if (errorCode) expect(response['x-error-codes']).toContain(errorCode);
  expect(
    description.strictProblemsOf(response.content['application/json'].schema, answer.json),
  ).toBe('');
  for (const name of Object.keys(response.headers ?? {})) {
    if (errorCode === '13' && name === 'WWW-Authenticate') continue; // a token is not what it lacks
    expect(answer.headers).toHaveProperty(name.toLowerCase());
  }
  met.add(meeting(method, path, status, errorCode));
  return answer;
}
