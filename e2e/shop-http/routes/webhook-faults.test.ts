import { rename } from 'node:fs/promises';
import {
  collectionResponse,
  DATABASES,
  type Failpoint,
  ManualClock,
  signatureOf,
  startUpstream,
} from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop, type TestShop } from '../shop.ts';

const PATH = '/webhooks/service-pay';
const A_DAY_MS = 24 * 60 * 60_000;

function deliver(shop: TestShop, body: string, signature: string | undefined = signatureOf(body)) {
  const headers = {
    'content-type': 'application/json',
    ...(signature && { 'x-servicepay-signature': signature }),
  };
  return shop.browser().send('POST', PATH, body, headers);
}

const event = (reference: string, name = 'collection.successful', members: object = {}) =>
  JSON.stringify({ event: name, data: { reference, ...members } });

const alertsOf = (shop: TestShop) =>
  shop.lines.filter((line) => line.includes('"level":40') && line.includes('webhook rejected'));

describe.each(DATABASES)('webhooks on %s', (kind) => {
  const paid = new Set<string>();
  const atFailpoint: Failpoint[] = [];
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let clock: ManualClock;
  let shop: TestShop;

  beforeAll(async () => {
    upstream = await startUpstream((req, res) => {
      if (paid.has(req.url!.split('/').at(-1)!)) res.end(collectionResponse(req.url!));
      else res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
    });
    clock = new ManualClock();
    const failpoint: Failpoint = (name) => atFailpoint.at(-1)?.(name);
    shop = await startTestShop(upstream.url, { clock, hooks: { failpoint } }, {}, kind);
  });

  afterAll(async () => {
    await shop.close();
    await upstream.close();
  });

  const isPaid = (reference: string) =>
    vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await shop.stateOf(reference)).toBe('paid');
    }, PATIENT);
  const fulfilmentsOf = (reference: string) =>
    shop.rows('select reference from service_pay_fulfilments where reference = ?', reference);

  test('the same webhook again after a second, a day, a year, and again and again is one row, no call, one fulfilment (T84)', async () => {
    const reference = await shop.browser().order();
    paid.add(reference);
    const body = event(reference);
    expect((await deliver(shop, body)).status).toBe(200);
    await isPaid(reference);
    const calls = upstream.calls.length;

    for (const later of [1_000, A_DAY_MS, 365 * A_DAY_MS]) {
      await clock.jump(later);
      expect((await deliver(shop, body)).status).toBe(200);
    }
    for (let at = 0; at < (process.env.DRAW_ANEW ? 20 : 4); at++) {
      const responses = await Promise.all(Array.from({ length: 50 }, () => deliver(shop, body)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    }

    expect(
      await shop.rows(
        'select id from service_pay_webhook_deliveries where reference = ?',
        reference,
      ),
    ).toHaveLength(1);
    expect(await fulfilmentsOf(reference)).toHaveLength(1);
    expect(upstream.calls.filter((path, at) => at >= calls && path.endsWith(reference))).toEqual(
      [],
    );
  });

  test('twenty webhooks and a hundred visits of the return page at once are one fulfilment (T72)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    paid.add(reference);

    const pages = Array.from({ length: 100 }, () =>
      browser.get(`/payments/return?reference=${reference}&status=successful&amount=0`),
    );
    const webhooks = Array.from({ length: 20 }, (_, at) =>
      deliver(shop, event(reference, 'collection.successful', { at })),
    );
    const verifies = Array.from({ length: 5 }, () => browser.verify(reference));
    const shown = await Promise.all(pages);
    await isPaid(reference);

    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { text } of shown) expect(text).toContain('<h1>We are checking your payment</h1>');
    expect(new Set((await Promise.all(webhooks)).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
    await Promise.all(verifies);
    expect(await fulfilmentsOf(reference)).toHaveLength(1);
  });

  test('webhooks of three events end the same in every order, and a later one never makes money unpaid (T87, D43)', async () => {
    const names = ['collection.successful', 'collection.failed', 'collection.settled'];
    const orders = names.flatMap((one) =>
      names
        .filter((two) => two !== one)
        .map((two) => [one, two, names.find((name) => name !== one && name !== two)!]),
    );
    for (const order of orders) {
      const reference = await shop.browser().order();
      paid.add(reference);

      for (const name of order)
        expect((await deliver(shop, event(reference, name, { status: 'failed' }))).status).toBe(
          200,
        );
      await isPaid(reference);
      for (const name of order)
        expect((await deliver(shop, event(reference, name, { again: true }))).status).toBe(200);

      expect(await shop.stateOf(reference)).toBe('paid');
      expect(await fulfilmentsOf(reference)).toHaveLength(1);
    }
  });

  test('a webhook of no order here makes none, is kept, and calls nobody (T86, T85)', async () => {
    const before = [
      await shop.rows('select distinct order_id from service_pay_payments'),
      upstream.calls.length,
    ];
    paid.add('of-another-system');

    expect(
      (
        await deliver(
          shop,
          event('of-another-system', 'collection.successful', { amount: '92.50' }),
        )
      ).status,
    ).toBe(200);
    await clock.advance(60_000);

    expect(
      await shop.rows(
        "select reference from service_pay_webhook_deliveries where reference = 'of-another-system'",
      ),
    ).toHaveLength(1);
    expect(await shop.rows('select distinct order_id from service_pay_payments')).toEqual(
      before[0],
    );
    expect(upstream.calls.some((path) => path.endsWith('of-another-system'))).toBe(false);
  });

  test.each([
    [
      'as deep as 64 kB can be',
      `{"event":"a","data":{"reference":"x","more":${'['.repeat(32_000)}${']'.repeat(32_000)}}}`,
      200,
    ],
    ['100 000 deep', '['.repeat(100_000), 413],
    ['deep and never closed', `{"event":"a","data":${'['.repeat(60_000)}`, 400],
    [
      'with the character no text column keeps',
      '{"event":"a\\u0000b","data":{"reference":"x\\u0000"}}',
      200,
    ],
    ['with half a character', '{"event":"a\\ud800","data":{"reference":"\\udfff"}}', 200],
    ['with a mark of byte order', `\ufeff${event('marked')}`, 200],
    ['with members of the prototype', '{"__proto__":{"event":"a"},"constructor":1}', 400],
    [
      'with the prototype as its data',
      '{"event":"a","data":{"__proto__":{"reference":"planted"}}}',
      200,
    ],
    ['with an event of 201 characters', JSON.stringify({ event: 'e'.repeat(201) }), 400],
  ])('a webhook %s gets no 500 (T88)', async (_name, body, status) => {
    expect((await deliver(shop, body)).status).toBe(status);
    expect(
      await shop.rows("select id from service_pay_webhook_deliveries where reference = 'planted'"),
    ).toEqual([]);
  });

  test('a webhook is on the disk before it is acknowledged, and not acknowledged if that cannot be finished (T92)', async () => {
    const body = event(await shop.browser().order());
    const stored: unknown[] = [];
    atFailpoint.push(async (name) => {
      if (name !== 'before-acknowledge') return;
      stored.push(
        ...(await shop.rows('select id from service_pay_webhook_deliveries where body = ?', body)),
      );
      throw new Error('The process ends here.');
    });

    const response = await deliver(shop, body);
    atFailpoint.pop();

    expect(stored).toHaveLength(1);
    expect(response.status).toBe(500);
    expect((await deliver(shop, body)).status).toBe(200);
  });

  test('unsigned webhooks cost no query of the database, and one line a minute (T91)', async () => {
    const before = shop.lines.length;
    const foreign = 'a'.repeat(128);

    for (let second = 0; second < 3; second++) {
      await clock.jump(second ? 1_000 : 60_000);
      const unsigned = await Promise.all(
        Array.from({ length: 100 }, (_, at) => deliver(shop, event(`x-${at}`), '')),
      );
      const forged = await Promise.all(
        Array.from({ length: 100 }, (_, at) => deliver(shop, event(`x-${at}`), foreign)),
      );
      expect(new Set([...unsigned, ...forged].map(({ status }) => status))).toEqual(new Set([401]));
    }

    const lines = shop.lines.slice(before).filter((line) => JSON.parse(line).level > 20);
    expect(lines.filter((line) => line.includes('rejected; not signed'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('rejected; signature'))).toHaveLength(1);
    expect(
      await shop.rows("select id from service_pay_webhook_deliveries where reference like 'x-%'"),
    ).toEqual([]);
  });

  test('webhooks signed with a renewed token are 401 with one alert a minute, and the order is still paid (T94)', async () => {
    const renewed = await startTestShop(
      upstream.url,
      { clock },
      { SERVICE_PAY_API_TOKEN: 'sec_renewed_token' },
      kind,
    );
    const reference = await renewed.browser().order();
    paid.add(reference);

    for (let at = 0; at < 5; at++)
      expect((await deliver(renewed, event(reference))).status).toBe(401);
    expect(alertsOf(renewed)).toHaveLength(1);
    expect(alertsOf(renewed)[0]).toContain('signature is not from our API token');
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await renewed.stateOf(reference)).toBe('paid');
    }, PATIENT);
    await clock.jump(60_000);
    await deliver(renewed, event(reference));

    expect(alertsOf(renewed)).toHaveLength(2);
    expect(await renewed.rows('select id from service_pay_webhook_deliveries')).toEqual([]);
    await renewed.close();
  });

  test('webhooks are stored and acknowledged while the service is away, and confirmed when it is back (T92)', async () => {
    let isAway = true;
    const service = await startUpstream((req, res) => {
      if (isAway) req.socket.destroy();
      else res.end(collectionResponse(req.url!));
    });
    const away = await startTestShop(service.url, { clock }, {}, kind);
    const reference = await away.browser().order();

    expect((await deliver(away, event(reference))).status).toBe(200);
    await vi.waitFor(() => expect(service.calls.length).toBeGreaterThan(0), PATIENT);
    expect(await away.stateOf(reference)).toBe('awaiting-payment');
    isAway = false;

    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await away.stateOf(reference)).toBe('paid');
    }, PATIENT);
    await away.close();
    await service.close();
  });
});

test('strangers who sign nothing are rejected while the database is gone, since it is not queried (T91)', async () => {
  const shop = await startTestShop('http://127.0.0.1:1');
  const file = shop.config.databaseUrl.slice('file:'.length);
  await rename(file, `${file}.moved`);

  const [unsigned, forged, well, alive] = [
    await deliver(shop, event('x'), ''),
    await deliver(shop, event('x'), 'a'.repeat(128)),
    await deliver(shop, event('x')),
    await shop.browser().get('/healthz'),
  ];
  await shop.close();

  expect([unsigned, forged, well, alive].map(({ status }) => status)).toEqual([401, 401, 503, 200]);
});
