import { parseConfig } from '@service-pay/bff-example/config';
import { startUpstream } from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

const APP = 'http://localhost:5173';
const PICTURES = 'https://pictures.example';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
  shop = await startTestShop(
    upstream.url,
    {},
    { ALLOWED_ORIGINS: ` ${APP}, http://localhost:5174`, IMAGE_ORIGINS: PICTURES },
  );
});

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

const accessHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')));

describe('a page of an allowed origin', () => {
  const fromApp = { origin: APP, 'sec-fetch-site': 'same-site' };

  test('the preflight of an allowed origin gets the calls it may make with the cookie', async () => {
    const response = await shop.browser().send('OPTIONS', '/api/orders', undefined, {
      ...fromApp,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key',
    });

    expect(response.status).toBe(204);
    expect(accessHeaders(response.headers)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,idempotency-key',
    });
  });

  test('a page of an allowed origin orders, verifies its payment, follows it, and reads rejections, too', async () => {
    const browser = shop.browser();
    const ordered = await browser.post('/api/orders', ONE_HONEY, fromApp);
    const { reference } = ordered.json.data;
    const verified = await browser.post(`/api/payments/${reference}/verify`, undefined, fromApp);
    const rejected = await browser.post('/api/orders', {}, fromApp);
    const events = await browser.open(
      'GET',
      `/api/payments/${reference}/events`,
      undefined,
      fromApp,
    );
    await events.body!.cancel();

    expect([ordered.status, verified.status, rejected.status, events.status]).toEqual([
      201, 200, 400, 200,
    ]);
    for (const { headers } of [ordered, verified, rejected, events]) {
      expect(accessHeaders(headers)).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-credentials': 'true',
      });
      expect(headers.get('vary')).toContain('Origin');
    }
  });
});

describe('a page of another origin', () => {
  test('a page of another origin may change nothing and read nothing (T73)', async () => {
    const browser = shop.browser();
    const headers = { origin: `${APP}.evil.example`, 'sec-fetch-site': 'same-site' };
    const preflight = await browser.send('OPTIONS', '/api/orders', undefined, headers);
    const change = await browser.post('/api/orders', ONE_HONEY, headers);
    const read = await browser.get('/api/catalogue', headers);

    expect(preflight.status).toBe(404);
    expect(change).toMatchObject({ status: 401, json: { errorCode: '13' } });
    for (const response of [preflight, change, read])
      expect(accessHeaders(response.headers)).toEqual({});
  });

  test('an allowed origin gets nothing outside of the API', async () => {
    const response = await shop.browser().get('/', { origin: APP });

    expect(accessHeaders(response.headers)).toEqual({});
  });
});

test('pictures may come from the shop and the origins that are named', async () => {
  const { headers } = await shop.browser().get('/');

  expect(headers.get('content-security-policy')).toContain(`img-src 'self' ${PICTURES};`);
});

describe('settings', () => {
  const GOOD = { SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo', SESSION_SECRET: 'x'.repeat(32) };

  test.each([
    ['https://api.shop.example', 'https://app.shop.example'],
    ['https://shop.co.zm', 'https://www.shop.co.zm,https://app.shop.co.zm:8443'],
    ['', 'http://localhost:5173'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:5173'],
  ])('settings of a shop at %j may allow %s', (PUBLIC_URL, ALLOWED_ORIGINS) => {
    const { allowedOrigins } = parseConfig({ ...GOOD, PUBLIC_URL, ALLOWED_ORIGINS });

    expect(allowedOrigins).toEqual(ALLOWED_ORIGINS.split(','));
  });

  test.each([
    ['https://api.shop.example', 'https://other.example'],
    ['https://shop.co.zm', 'https://other.co.zm'],
    ['https://shop.github.io', 'https://other.github.io'],
    ['https://shop.example', 'http://localhost:5173'],
    ['', 'http://127.0.0.1:3000'],
    ['https://192.0.2.1', 'https://192.0.2.2'],
  ])(
    'settings of a shop at %j cannot allow %s, which is another site',
    (PUBLIC_URL, ALLOWED_ORIGINS) => {
      expect(() => parseConfig({ ...GOOD, PUBLIC_URL, ALLOWED_ORIGINS })).toThrow(
        /\n- ALLOWED_ORIGINS must be of the same site as PUBLIC_URL.+ never send the cookie\.$/,
      );
    },
  );

  test.each([
    '*',
    'shop.example',
    'https://shop.example/',
    'https://shop.example/app',
    'http://shop.example',
    'https://*.shop.example',
    'https://shop.example; script-src *',
    "'self'",
    'null',
  ])('settings reject %j as an origin', (value) => {
    for (const name of ['ALLOWED_ORIGINS', 'IMAGE_ORIGINS'])
      expect(() => parseConfig({ ...GOOD, [name]: value })).toThrow(
        new RegExp(`\\n- ${name} must be comma-separated https origins`),
      );
  });

  test('settings that are wrong are reported all at once, those of the package and those of the shop', () => {
    expect(() =>
      parseConfig({ PORT: 'x', IMAGE_ORIGINS: 'x', ALLOWED_ORIGINS: 'x', PUBLIC_URL: 'x' }),
    ).toThrow(/^Correct these settings.*\n(- .+\n){5}- .+$/);
  });
});
