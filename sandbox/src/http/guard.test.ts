import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';
import { rejected, rejectedAt, TestClient } from '../test/client.ts';
import { type TestRoute, withRoutes } from '../test/routes.ts';

let sandbox: Sandbox;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const json = { 'content-type': 'application/json' };

test.each([
  ['a foreign origin', { origin: 'https://evil.example' }, '13', 401],
  ['another local port', { origin: 'http://localhost:1' }, '13', 401],
  ['an opaque origin', { origin: 'null' }, '13', 401],
  ['a cross-site page', { 'sec-fetch-site': 'cross-site' }, '13', 401],
  ['a same-site page', { 'sec-fetch-site': 'same-site' }, '13', 401],
  ['a rebound name', { host: 'evil.example' }, '13', 401],
  ['a name that ends as its own', { host: 'evil-localhost' }, '13', 401],
  ['a name that ends as its own, with a port', { host: 'notlocalhost:4010' }, '13', 401],
  ['a name below its own', { host: 'evil.localhost' }, '13', 401],
  ['a name that begins as its own', { host: 'localhost.evil.example' }, '13', 401],
  ['an address that ends as its own', { host: '1127.0.0.1.evil.example' }, '13', 401],
  ['a name behind a user', { host: 'evil.example@localhost' }, '13', 401],
  ['a name before a path', { host: 'localhost/evil.example' }, '13', 401],
  ['a proxy', { 'x-forwarded-for': '10.0.0.1' }, '13', 401],
  ['a proxy', { forwarded: 'for=10.0.0.1' }, '13', 401],
  ['a proxy', { via: '1.1 proxy' }, '13', 401],
  ['a form', { 'content-type': 'text/plain' }, '01', 415],
  ['JSON in UTF-7', { 'content-type': 'application/json; charset=utf-7' }, '01', 415],
  [
    'JSON in a second encoding',
    { 'content-type': 'application/json; charset=utf-8; charset="UTF-7"' },
    '01',
    415,
  ],
])(
  'the control API rejects %s and changes nothing (T54, T55)',
  async (_, headers, errorCode, status) => {
    await sandbox.control.putCollection({ reference: 'stays' });

    const response = await client.call('/_sandbox/reset', {
      method: 'POST',
      body: '{}',
      headers: { ...json, ...headers } as Record<string, string>,
    });

    expect(response).toMatchObject(rejected(status, errorCode));
    expect(await client.collection('stays')).toMatchObject({ status: 'successful' });
  },
);

test('the control API grants no preflight and lets no other origin read a response (T55)', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };
  const response = await client.call('/_sandbox/reset', { method: 'OPTIONS', headers });

  expect(response).toMatchObject(rejected(404, '11'));
  expect(
    Object.keys(response.headers).filter((name) => name.startsWith('access-control-')),
  ).toEqual([]);
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
])('the control API reads a JSON body sent as %s', async (type) => {
  expect(
    (
      await client.call('/_sandbox/reset', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': type },
      })
    ).status,
  ).toBe(200);
});

test('the control API accepts its own pages and programs', async () => {
  const own = { origin: sandbox.url, 'sec-fetch-site': 'same-origin' };

  expect((await client.call('/_sandbox/reset', { method: 'POST', headers: own })).status).toBe(200);
  expect((await client.call('/_sandbox/reset', { method: 'POST' })).status).toBe(200);
});

test('the control API rejects unknown calls and wrong methods with 404·11', async () => {
  expect(await client.control('GET', '/reset')).toMatchObject(rejected(404, '11'));
  expect(await client.control('POST', '/nothing', {})).toMatchObject(rejected(404, '11'));
});

test('the sandbox says that it is alive to everyone, under any name and without a token', async () => {
  const open = await startSandbox({ host: 'pay.example.test' });
  const { port } = new URL(open.url);
  const monitor = new TestClient(() => ({ url: `http://127.0.0.1:${port}` }));

  for (const [name, value] of [
    ['accept', '*/*'],
    ['host', '10.0.0.7:4010'],
    ['via', '1.1 proxy'],
  ] as const)
    expect(await monitor.call('/healthz', { headers: { [name]: value } })).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      json: { status: true },
    });
  expect((await monitor.call('/healthz', { method: 'HEAD' })).status).toBe(200);
  await open.close();
});

describe('every route of the app', () => {
  let routes: TestRoute[];
  let open: Sandbox;

  beforeAll(async () => {
    ({ started: open, routes } = await withRoutes(() =>
      startSandbox({ host: 'pay.example.test' }),
    ));
  });
  afterAll(() => open.close());

  const call = (
    sandboxUnderTest: Sandbox,
    { method, path }: TestRoute,
    headers: Record<string, string>,
  ) => {
    const { port } = new URL(sandboxUnderTest.url);
    const target = path.replace(/:\w+/g, 'x');
    return new TestClient(() => ({ ...sandboxUnderTest, url: `http://127.0.0.1:${port}` })).call(
      target,
      { method, headers },
    );
  };
  const isControl = ({ path }: TestRoute) => /^\/(?:_sandbox|dashboard|phone)(?:\/|$)/.test(path);

  test('every route rejects any other host name, open to other machines or not (T54)', async () => {
    for (const one of [sandbox, open]) {
      for (const route of routes) {
        expect(await call(one, route, { host: 'evil.example' }), route.path).toMatchObject(
          rejectedAt(route.path, 401, '13'),
        );
      }
    }
  });

  test.each([
    'evil-pay.example.test',
    'evil.pay.example.test',
    'notpay.example.test:4010',
    'pay.example.test.evil.example',
    'example.test',
  ])('the sandbox does not treat %s as part of its host name (T54)', async (host) => {
    const [route] = routes.filter(isControl);
    expect(await call(open, route!, { host, 'x-sandbox-token': open.token! })).toMatchObject(
      rejected(401, '13'),
    );
    expect(
      (await call(open, route!, { host: 'pay.example.test', 'x-sandbox-token': open.token! }))
        .status,
    ).not.toBe(401);
  });

  test('every route that controls or shows the sandbox rejects proxies, or requires the token (T54)', async () => {
    expect(routes.filter(isControl).length).toBeGreaterThan(20);

    for (const route of routes.filter(isControl)) {
      for (const header of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host']) {
        expect(
          await call(sandbox, route, { [header]: 'x' }),
          `${route.path} ${header}`,
        ).toMatchObject(rejected(401, '13'));
      }
      for (const headers of [
        {},
        { 'x-sandbox-token': 'wrong' },
        { authorization: `Bearer ${open.token}` },
      ]) {
        expect(
          await call(open, route, headers as Record<string, string>),
          route.path,
        ).toMatchObject(rejected(401, '13'));
      }
    }
  });

  test('the sandbox lets pages of other origins change nothing and read only public files (T55, T62)', async () => {
    for (const route of routes.filter(({ path }) => path !== '/_sandbox/events')) {
      const response = await call(sandbox, route, {
        origin: 'http://localhost:1',
        'sec-fetch-site': 'same-site',
        connection: 'close',
      });
      const preflight = await call(
        sandbox,
        { ...route, method: 'OPTIONS' },
        { origin: 'http://localhost:1' },
      );

      if (route.method !== 'GET') expect(response, route.path).toMatchObject(rejected(401, '13'));
      for (const { headers } of [response, preflight]) {
        const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
        if (!route.path.startsWith('/js/')) expect(allowed, route.path).toEqual([]);
      }
      expect(preflight, route.path).toMatchObject(rejectedAt(route.path, 404, '11'));
    }
  });
});
