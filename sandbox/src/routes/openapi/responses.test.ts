import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../app/start.ts';
import { CALLS, type Call, type CallName } from '../../control/calls.ts';
import { type CallOptions, type CallResponse, pay, TestClient } from '../../test/client.ts';
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

describe('the merchant API', () => {
  test('the merchant API matches its description for a payment by reference, by id and in a list', async () => {
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

  test('the merchant API matches its description for rejections', async () => {
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
    'a fault may return code %s, which is documented for transfers only',
    async (errorCode) => {
      await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', errorCode } });

      const response = await client.merchant('/collections');

      expect(response).toMatchObject({ status: 400, json: { errorCode } });
      expect(
        description.strictProblemsOf({ $ref: '#/components/schemas/ErrorAnswer' }, response.json),
      ).toBe('');
      expect(description.responseOf('get', '/access/v2/collections', 400)['x-error-codes']).toEqual(
        ['01'],
      );
    },
  );
});

describe('the checkout API', () => {
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

  test('the checkout API matches its description for opening, reading, extending and resuming a session', async () => {
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
  ])('the checkout API matches its description for an attempt with %s', async (_what, attempt) => {
    await check(
      'post',
      attempts,
      {},
      { ...as((await client.visit('order')).token), body: attempt },
      200,
    );
  });

  test('the checkout API matches its description for withdrawing a prompt', async () => {
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

  test('the checkout API matches its description for entering a one-time code', async () => {
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

  test('the checkout API matches its description for answering a challenge', async () => {
    const { challengeUrl } = (
      await client.attempt(await client.visit('order'), pay.card('4000000000003220'))
    ).json.data.attempt;
    const secret = challengeUrl.split('/').at(-1);
    const state = '/checkout/v1/challenges/{secret}/state';
    const challenge = '/checkout/v1/challenges/{secret}';

    await check('get', state, { secret }, {}, 200);
    await check('get', state, { secret: 'none' }, {}, 404, '11');
    await check('post', challenge, { secret }, { body: { answer: 'perhaps' } }, 400, '01');
    await check('post', challenge, { secret }, { body: { answer: 'approve' } }, 200);
    await check('post', challenge, { secret }, { body: { answer: 'decline' } }, 400, '04');
    await check('post', challenge, { secret: 'none' }, { body: { answer: 'approve' } }, 404, '11');
  });

  test('the checkout API matches its description for rejected sessions and attempts', async () => {
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

describe('the control API', () => {
  const at = (path: string) => `/_sandbox${path}`;
  const params = {
    number: '0960000000',
    merchant: 'pub_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    reference: 'order',
  };

  test('the control API matches its description for each call, which is recorded as its example', async () => {
    const receiver = new TestReceiver();
    await receiver.listen();
    const merchant = 'pub_sandbox_demo';
    const prompted = (reference: string) => ({ reference, amount: '10.00', phone: '0960000000' });
    const record = new Recorder(receiver.url());

    await record.call('setClock', { body: { mode: 'virtual', now: '2030-01-01T00:00:00.000Z' } });
    const webhookUrl = { webhookUrl: receiver.url() };
    await record.call('putMerchant', { given: { publicKey: merchant }, body: webhookUrl });
    const placed = { reference: 'order-1001', notify: true };
    await record.call('putCollection', { body: placed }, 201);
    await record.call('pay', { body: { reference: 'order-1002', amount: '10.00' } });
    await record.call('pay', { body: prompted('order-1003') }, 202);
    await record.call('phone', { given: { number: '0960000000' } });
    await record.call('collections', {
      given: { search: 'order', status: 'pay-offline', type: 'mobile-money', merchant, page: '1' },
    });
    const prompt = { given: { number: '0960000000' }, body: { reference: 'order-1003' } };
    await record.call('approve', prompt);
    await sandbox.control.pay({ ...prompted('order-1003'), reference: 'order-1004' });
    await record.call('decline', { ...prompt, body: { reference: 'order-1004' } });
    await record.call('advance', { body: { seconds: 30 } });
    await record.call('collection', { given: { merchant, reference: 'order-1003' } });
    await record.stream('events', { last: '50' });
    const { data } = await record.call('webhooks', {});
    await record.call('replayWebhook', { given: { id: data[0].id }, body: { times: 1 } });
    await record.call('replayWebhooks', { body: { reference: 'order-1001', shuffle: true } });
    await record.call('clock', {});
    await record.call('merchants', {});
    await record.call('setFaults', { body: { webhooks: { drop: 0.5 }, seed: 7 } });
    await record.call('faults', {});
    await record.call('clearFaults', {});
    await record.call('armScenario', { given: { name: 'webhook-lost' }, body: { merchant } });
    await record.call('scenarios', {});
    await record.call('disarmScenario', {});
    await record.call('reset', {});
    receiver.close();

    await expect(record.text()).toMatchFileSnapshot('control-examples.json');
  });

  test('the control API matches its description for rejections', async () => {
    await sandbox.control.putCollection({ reference: 'taken' });
    const waiting = { reference: 'waiting', amount: '10.00', phone: '0960000000' };
    await sandbox.control.pay(waiting);

    await check('post', at('/pay'), {}, { body: waiting }, 400, '04');
    await check('post', at('/pay'), {}, { body: { ...waiting, reference: '$' } }, 400, '01');
    await check('post', at('/pay'), {}, { body: { ...waiting, phone: '123' } }, 400, '12');
    await check(
      'post',
      at('/pay'),
      {},
      { body: { ...waiting, merchant: 'pub_nobody' } },
      404,
      '11',
    );
    await check('get', at('/phones/{number}'), { number: '123' }, {}, 400, '12');
    for (const answer of ['approve', 'decline']) {
      const path = at(`/phones/{number}/${answer}`);
      await check('post', path, { number: '0970000000' }, {}, 404, '11');
      await check('post', path, { number: '123' }, {}, 400, '12');
      await check('post', path, params, { body: { reference: 5 } }, 400, '01');
    }
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
      params,
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

  test('the control API matches its description for the event stream, and for too many streams', async () => {
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

  test('every call can be rejected for its host, and for the size and type of its body', async () => {
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

  test('every call fails in each way that a fault can cause', async () => {
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
  test('every call was tested with each documented response', () => {
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

/** Makes the control calls of a test, and notes each as an example that is the same every time. */
class Recorder {
  readonly #examples: Partial<Record<CallName, any>> = {};
  readonly #ids: string[] = [];
  readonly #receiver: string;

  constructor(receiver: string) {
    this.#receiver = receiver;
  }

  async call(
    name: CallName,
    { given = {}, body }: { given?: Record<string, string>; body?: object },
    status = 200,
  ): Promise<any> {
    const { route, query = [] }: Call = CALLS[name];
    const [method = '', path = ''] = route.split(' ');
    const search = Object.entries(given).filter(([key]) => query.includes(key));
    const { json } = await check(
      method.toLowerCase() as Method,
      `/_sandbox${path.replace(/:(\w+)/g, '{$1}')}`,
      given,
      { query: search.length ? `?${new URLSearchParams(search)}` : '', body },
      status,
    );
    const sent = { ...(Object.keys(given).length && { given }), body };
    this.#note(name, sent, status, withOneOfEach(json));
    return json;
  }

  async stream(name: CallName, given: Record<string, string>): Promise<void> {
    const leave = new AbortController();
    const url = `${sandbox.url}/_sandbox/events?${new URLSearchParams(given)}`;
    const { body } = await fetch(url, { signal: leave.signal });
    const { value } = await body!.pipeThrough(new TextDecoderStream()).getReader().read();
    leave.abort();
    const [event = ''] = /^event: happening\n[\s\S]*?\n\n/m.exec(value!) ?? [];
    const [, id = ''] = /^id: (.+)$/m.exec(event)!;
    this.#note(name, { given: { ...given, 'Last-Event-ID': id } }, 200, event);
  }

  text(): string {
    const inOrder = Object.keys(CALLS).map((name) => [name, this.#examples[name as CallName]]);
    // one call a line
    return `{\n${inOrder.map(([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`).join(',\n')}\n}\n`;
  }

  #note(name: CallName, sent: object, status: number, response: unknown): void {
    const example = JSON.parse(
      this.#steady(JSON.stringify({ ...sent, responses: { [status]: response } })),
    );
    const known = this.#examples[name];
    this.#examples[name] = { ...example, responses: { ...known?.responses, ...example.responses } };
  }

  /** Replaces what differs from run to run. */
  #steady(text: string): string {
    return text
      .replaceAll(this.#receiver, 'http://localhost:3000/webhooks/service-pay')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, (id) => {
        if (!this.#ids.includes(id)) this.#ids.push(id);
        return `5f0c3b0e-6f0a-4c53-9a55-${String(this.#ids.indexOf(id)).padStart(12, '0')}`;
      })
      .replaceAll(/[0-9a-f]{128}/g, 'a'.repeat(128))
      .replaceAll(/"tookMs":\d+/g, '"tookMs":3')
      .replaceAll(/(?<=seq\\?":)\d+/g, '7')
      .replaceAll(/\b[0-9a-f]{12}-\d+\b/g, '3f9c2a1b7d05-7');
  }
}

/** Shortens the lists of a response, scenarios and webhooks for example, to their first. */
function withOneOfEach(value: any): any {
  if (Array.isArray(value))
    return (typeof value[0] === 'object' ? value.slice(0, 1) : value).map(withOneOfEach);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withOneOfEach(member)]),
  );
}

async function check(
  method: Method,
  path: string,
  values: Record<string, string>,
  { query = '', ...options }: CallOptions & { query?: string },
  status: number,
  errorCode?: string,
): Promise<CallResponse> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  const response = await client.call(filled + query, { ...options, method: method.toUpperCase() });
  const documented = description.responseOf(method, path, response.status);

  expect({ status: response.status, errorCode: response.json?.errorCode }).toEqual({
    status,
    errorCode,
  });
  expect(documented, `${method} ${path} may not return ${response.status}`).toBeDefined();
  if (errorCode) expect(documented['x-error-codes']).toContain(errorCode);
  expect(
    description.strictProblemsOf(documented.content['application/json'].schema, response.json),
  ).toBe('');
  for (const name of Object.keys(documented.headers ?? {})) {
    if (errorCode === '13' && name === 'WWW-Authenticate') continue; // a token is not what it lacks
    expect(response.headers).toHaveProperty(name.toLowerCase());
  }
  met.add(meeting(method, path, status, errorCode));
  return response;
}
