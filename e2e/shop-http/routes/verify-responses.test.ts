import { collectionResponse, ManualClock, startUpstream } from '@service-pay/server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop, type TestShop } from '../shop.ts';

const HOUR_MS = 60 * 60_000;

interface Says {
  httpStatus?: number;
  headers?: Record<string, string>;
  body: string;
}

const says = new Map<string, Says>();
const UNKNOWN: Says = { httpStatus: 404, body: '{"status":false,"message":"","errorCode":"11"}' };

const clock = new ManualClock();
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((req, res) => {
    const {
      httpStatus = 200,
      headers = {},
      body,
    } = says.get(req.url?.split('/').at(-1) ?? '') ?? UNKNOWN;
    res.writeHead(httpStatus, headers).end(body);
  });
  shop = await startTestShop(upstream.url, { clock });
});

afterEach(() => says.clear());

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

async function verifyWhere(say: (reference: string) => Says) {
  const browser = shop.browser();
  const reference = await browser.order();
  says.set(reference, say(reference));
  const { status, json, headers } = await browser.verify(reference);
  return { browser, reference, status, json, headers, state: await shop.stateOf(reference) };
}

async function whileTimeGoesOn<Result>(result: Promise<Result>): Promise<Result> {
  let isThere = false;
  void result.finally(() => {
    isThere = true;
  });
  await vi.waitFor(async () => {
    await clock.advance(100);
    expect(isThere).toBe(true);
  }, PATIENT);
  return result;
}

const found = (members: Record<string, unknown>) => (reference: string) => ({
  body: collectionResponse(reference, members),
});

describe('what a response of the service means in the shop', () => {
  test.each([
    ['a page', { body: '<!doctype html><title>canary-body</title>' }],
    ['a redirect', { httpStatus: 302, headers: { location: '/canary-body' }, body: '' }],
    ['nothing', { body: '' }],
    ['a 404 that is not of the service', { httpStatus: 404, body: '<h1>canary-body</h1>' }],
  ] as [string, Says][])(
    '%s instead of a response of the service means not known yet, and its text goes nowhere (T96, T97)',
    async (_name, say) => {
      const { status, state, json } = await verifyWhere(() => say);

      expect({ status, state }).toEqual({ status: 503, state: 'awaiting-payment' });
      expect(JSON.stringify([json, shop.lines])).not.toContain('canary-body');
    },
  );

  test('a payment unknown to the service for 23 hours, then successful: pending all the while, then paid (T102)', async () => {
    const { browser, reference, json } = await verifyWhere(() => UNKNOWN);
    expect(json.data.status).toBe('pending');
    await clock.jump(23 * HOUR_MS);
    // the reconciler may be verifying already
    const { json: later } = await whileTimeGoesOn(browser.verify(reference));
    expect([later.data.status, await shop.stateOf(reference)]).toEqual([
      'pending',
      'awaiting-payment',
    ]);

    says.set(reference, found({})(reference));
    await clock.advance(2_000);

    expect((await whileTimeGoesOn(browser.verify(reference))).json.data.status).toBe('successful');
  });

  test('a response 403 in the words of an unknown payment: not known yet, even after a day, when a payment without an attempt is over', async () => {
    const { browser, reference, status, state } = await verifyWhere(() => ({
      ...UNKNOWN,
      httpStatus: 403,
    }));
    expect({ status, state }).toEqual({ status: 503, state: 'awaiting-payment' });
    await clock.jump(25 * HOUR_MS);

    const later = await whileTimeGoesOn(browser.verify(reference));

    expect({ status: later.status, state: await shop.stateOf(reference) }).toEqual({
      status: 503,
      state: 'awaiting-payment',
    });
  });

  test('a service busy for an hour: the page gets the time of its next call, and nobody waits for it (T103)', async () => {
    const { status, headers, state } = await verifyWhere(() => ({
      httpStatus: 429,
      headers: { 'retry-after': '3600' },
      body: '',
    }));

    expect({ status, after: headers.get('retry-after'), state }).toEqual({
      status: 503,
      after: '3600',
      state: 'awaiting-payment',
    });
  });
});
