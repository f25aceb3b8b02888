import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from './sandbox.ts';
import { type Answer, type CallOptions, pay, TestClient } from './test-client.ts';
import { type TestRoute, withRoutes } from './test-routes.ts';

let sandbox: Sandbox;
let routes: TestRoute[];
let described: any;
let fits: Ajv2020;
const client = new TestClient(() => sandbox);

type Method = 'get' | 'post' | 'put' | 'delete';

/** Which operations, statuses and codes of the description have been met by a real answer. */
const met = new Set<string>();

beforeAll(async () => {
  ({ started: sandbox, routes } = await withRoutes(() => startSandbox()));
  described = (await client.call('/openapi.json')).json;
  fits = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(fits);
  for (const keyword of ['components', 'discriminator']) fits.addKeyword(keyword);
  // A reader passes over members it does not know; here each one that has no words is a mistake.
  fits.addSchema({ $id: 'openapi', components: { schemas: closed(described.components.schemas) } }, 'openapi');
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

describe('/openapi.json', () => {
  test('is there for programs: JSON that is asked about again', async () => {
    const { status, headers, json } = await client.call('/openapi.json');

    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    expect(json.info.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(await client.call('/openapi.json', { headers: { 'if-none-match': `${headers['etag']}` } })).toMatchObject({
      status: 304,
      text: '',
    });
  });

  test('describes every route of the APIs, and no other', () => {
    const isPage = (path: string) =>
      /^\/(?:js|assets|favicon\.ico|phone|dashboard|openapi\.json)(?:\/|$)|^\/checkout\/v1\/(?:assets\/.*)?$/.test(path);
    const isChallengePage = ({ method, path }: TestRoute) => method === 'GET' && path === '/checkout/v1/challenges/:secret';
    const served = routes
      .filter((route) => !isPage(route.path) && !isChallengePage(route) && !route.path.startsWith('/_sandbox'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(served.length).toBeGreaterThan(9);
    expect([...new Set(served)].sort()).toEqual(
      documented()
        .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
        .sort(),
    );
  });
});

describe('the merchant API answers as it is described', () => {
  test('where a payment is asked for by reference, by id and in a list', async () => {
    await sandbox.control.putCollection({ reference: 'paid' });
    await sandbox.control.putCollection({ reference: 'card', type: 'card', status: 'failed', reasonForFailure: 'Card declined' });
    await client.attempt(await client.visit('prompted'), pay.phone('0960000000', 'mtn'));
    const { id } = await client.collection('paid');

    for (const reference of ['paid', 'card', 'prompted']) {
      await check('get', '/access/v2/collections/status/{reference}', { reference }, asMerchant, 200);
    }
    await check('get', '/access/v2/collections/{id}', { id }, asMerchant, 200);
    for (const query of ['', '?page=9', '?status=successful&type=mobile-money&from=2026-01-01&to=2999-01-01T00:00:00Z']) {
      await check('get', '/access/v2/collections', {}, { ...asMerchant, query }, 200);
    }
  });

  test('where it refuses', async () => {
    await check('get', '/access/v2/collections/status/{reference}', { reference: 'none' }, asMerchant, 404, '11');
    await check('get', '/access/v2/collections/status/{reference}', { reference: '$' }, asMerchant, 400, '01');
    await check('get', '/access/v2/collections/{id}', { id: 'none' }, asMerchant, 404, '11');
    for (const query of ['?page=0', '?status=new', '?type=bank', '?from=yesterday', '?from=2026-02-01&to=2026-01-01']) {
      await check('get', '/access/v2/collections', {}, { ...asMerchant, query }, 400, '01');
    }
    for (const path of ['/access/v2/collections/status/{reference}', '/access/v2/collections/{id}', '/access/v2/collections']) {
      await check('get', path, { reference: 'paid', id: 'paid' }, {}, 401, '09');
    }
  });

  test.each(['02', '03', '05', '06', '07', '08'] as const)(
    'where a fault gives %s, the code of a transfer, which no call promises',
    async (errorCode) => {
      await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', errorCode } });

      const answer = await client.merchant('/collections');

      expect(answer).toMatchObject({ status: 400, json: { errorCode } });
      expect(validate('#/components/schemas/ErrorAnswer', answer.json)).toBe('No errors');
      expect(described.paths['/access/v2/collections'].get.responses[400]['x-error-codes']).toEqual(['01']);
    },
  );
});

describe('the checkout API answers as it is described', () => {
  const sessions = '/checkout/v1/sessions';
  const current = `${sessions}/current`;
  const attempts = `${current}/attempts`;
  const code = `${attempts}/{id}/one-time-code`;
  const request = (reference: string) => ({ key: 'pub_sandbox_demo', email: 'ada@shop.example', reference, amount: '10.00' });

  test('where a session is opened, looked at, prolonged and come back to', async () => {
    const { token } = (await check('post', sessions, {}, { body: request('order') }, 201)).json.data;

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
  ])('where %s is tried', async (_what, attempt) => {
    await check('post', attempts, {}, { ...as((await client.visit('order')).token), body: attempt }, 200);
  });

  test('where a one-time code is entered', async () => {
    const { token } = await client.visit('order');
    const { id } = (await client.attempt({ token }, pay.phone('0969999999', 'mtn'))).json.data.attempt;

    await check('post', code, { id }, { ...as(token), body: { code: '111111' } }, 200);
    await check('post', code, { id }, { ...as(token), body: { code: '000000' } }, 200);
    await check('post', code, { id }, { ...as(token), body: { code: 'x' } }, 400, '01');
    await check('post', code, { id }, { body: { code: '000000' } }, 401, '09');
    await check('post', code, { id }, { ...as((await client.visit('order')).token), body: { code: '000000' } }, 401, '13');
    await check('post', code, { id: 'none' }, { ...as(token), body: { code: '000000' } }, 404, '11');
  });

  test('where a challenge is answered', async () => {
    const { challengeUrl } = (await client.attempt(await client.visit('order'), pay.card('4000000000003220'))).json.data.attempt;
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

  test('where a session or an attempt is refused', async () => {
    const { token } = await client.visit('order');

    await check('post', sessions, {}, { body: {} }, 400, '01');
    await check('post', sessions, {}, { body: { ...request('order'), amount: '11.00' } }, 400, '04');
    await check('post', sessions, {}, { body: { ...request('order'), key: 'pub_nobody' } }, 401, '09');
    await check('post', sessions, {}, { body: request('order'), headers: { origin: 'https://shop.example' } }, 401, '13');
    await check('post', attempts, {}, { ...as(token), body: pay.card('4242424242424241') }, 400, '01');
    await check('post', attempts, {}, { ...as(token), body: pay.phone('0971111111', 'mtn') }, 400, '12');
    await check('post', attempts, {}, { body: pay.card('4242424242424242') }, 401, '09');
    await check('get', current, {}, {}, 401, '09');
    await check('post', `${current}/extension`, {}, {}, 401, '09');
    await client.attempt({ token }, pay.card('4242424242424242'));
    await check('post', attempts, {}, { ...as(token), body: pay.card('4242424242424242') }, 400, '04');
    await check('post', `${current}/extension`, {}, as(token), 400, '04');
  });

  test.each([
    ['sessions', sessions],
    ['attempts', attempts],
    ['one-time codes', code],
    ['challenges', '/checkout/v1/challenges/{secret}'],
  ])('where a body of %s is too large or no JSON', async (_what, path) => {
    const { token } = await client.visit('order');
    const json = { ...as(token).headers, 'content-type': 'application/json' };

    await check('post', path, { id: 'x', secret: 'x' }, { headers: json, body: JSON.stringify({ text: 'x'.repeat(70_000) }) }, 413, '01');
    await check('post', path, { id: 'x', secret: 'x' }, { headers: { ...json, 'content-type': 'text/plain' }, body: '{}' }, 415, '01');
  });
});

describe('every call', () => {
  test('may be refused for its host, and fail in each way a fault can make it', async () => {
    const any = { reference: 'x', id: 'x', secret: 'x' };
    for (const { method, path } of documented().filter((call) => isFaulted(call.path))) {
      await sandbox.control.clearFaults();
      await check(method, path, any, { headers: { host: 'evil.example' } }, 401, '13');
      for (const status of [429, 500, 503]) {
        const fault = { rate: 1, kind: 'status', status } as const;
        await sandbox.control.setFaults({ merchantApi: fault, checkoutApi: fault });
        await check(method, path, any, {}, status, '10');
      }
    }
  });

  // Stands last: it reads what the tests above have met.
  test('was met in each way that is described', () => {
    const promised = documented().flatMap(({ method, path }) =>
      Object.entries<any>(described.paths[path][method].responses).flatMap(([status, response]) =>
        (response['x-error-codes'] ?? [undefined]).map((code?: string) => meeting(method, path, status, code)),
      ),
    );

    expect(promised.filter((one) => !met.has(one))).toEqual([]);
  });
});

/** A call by the demo merchant's server. */
const asMerchant = { headers: { authorization: 'Bearer sec_sandbox_demo' } };

function as(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Every call of the description. */
function documented(): { method: Method; path: string }[] {
  return Object.entries<object>(described.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method as Method, path })),
  );
}

function isFaulted(path: string): boolean {
  return path.startsWith('/access/') || path.startsWith('/checkout/');
}

function meeting(method: Method, path: string, status: number | string, errorCode = ''): string {
  return `${method} ${path} ${status} ${errorCode}`;
}

/** Makes a call that is described, and holds its answer to what is said of it: status, code, headers and body. */
async function check(
  method: Method,
  path: string,
  values: Record<string, string>,
  { query = '', ...options }: CallOptions & { query?: string },
  status: number,
  errorCode?: string,
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const answer = await client.call(filled + query, { ...options, method: method.toUpperCase() });
  const response = described.paths[path]?.[method]?.responses[answer.status];

  expect({ status: answer.status, errorCode: answer.json?.errorCode }).toEqual({ status, errorCode });
  expect(response, `${method} ${path} may not answer ${answer.status}`).toBeDefined();
  if (errorCode) expect(response['x-error-codes']).toContain(errorCode);
  expect(validate(response.content['application/json'].schema.$ref, answer.json)).toBe('No errors');
  for (const name of Object.keys(response.headers ?? {})) expect(answer.headers).toHaveProperty(name.toLowerCase());
  met.add(meeting(method, path, status, errorCode));
  return answer;
}

function validate(reference: string, value: unknown): string {
  const schema = fits.getSchema(`openapi${reference}`)!;
  schema(value);
  return fits.errorsText(schema.errors);
}

/** The same schemas without room for members they do not name. */
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return members['properties'] && members['type'] && members['additionalProperties'] === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
