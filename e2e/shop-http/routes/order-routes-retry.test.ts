import type { ServerResponse } from 'node:http';
import {
  collectionResponse,
  DATABASES,
  ManualClock,
  startUpstream,
} from '@service-pay/server/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import {
  letMinutesPass,
  ONE_HONEY,
  putState,
  type ReceivedResponse,
  startTestShop,
  type TestBrowser,
  type TestShop,
} from '../shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;
let clock: ManualClock;
let respond: (reference: string, res: ServerResponse) => void;

const say = (status: string) => (reference: string, res: ServerResponse) =>
  void res.end(collectionResponse(reference, { status }));
const knowsNone = (_reference: string, res: ServerResponse) =>
  void res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
const isAway = (_reference: string, res: ServerResponse) =>
  void res.writeHead(503, { 'retry-after': '7' }).end();

describe.each(DATABASES)('a further payment of an order, on %s', (kind) => {
  beforeEach(async () => {
    respond = say('pending');
    upstream = await startUpstream((req, res) => respond(req.url!.split('/').at(-1)!, res));
    clock = new ManualClock();
    shop = await startTestShop(upstream.url, { clock }, {}, kind);
  });

  afterEach(async () => {
    await shop.close();
    await upstream.close();
  });

  test('a further payment is not made if the one before was paid since the service was last called: it is called again', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    expect((await verify(browser, reference)).json.data.status).toBe('pending');
    respond = say('successful');

    const after = vi.spyOn(clock, 'after');
    const retrying = retry(browser, reference);
    // it has begun to verify before the two seconds since the last call are over
    await vi.waitFor(() => expect(after).toHaveBeenCalledWith(10_000, expect.anything()), PATIENT);
    await clock.advance(2_000);

    expect(await retrying).toMatchObject({
      status: 400,
      json: { errorCode: '04', message: expect.stringContaining('is paid already') },
    });
    expect(await shop.stateOf(reference)).toBe('paid');
    expect(await countPayments(reference)).toBe(1);
  });

  test('a further payment is not made for one that nobody tried to pay, however old it is, and is once the service reports that it failed (T117, T141, D61)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    respond = knowsNone;

    for (const minutes of [29, 2, 25 * 60, 40 * 24 * 60]) {
      await passMinutes(minutes);
      expect(await retry(browser, reference)).toMatchObject({
        status: 200,
        json: { data: { reference } },
      });
    }
    expect(await countPayments(reference)).toBe(1);
    respond = say('failed');
    await passMinutes(1);
    const retried = await retry(browser, reference);

    expect(retried.status).toBe(201);
    expect(retried.json.data.reference).not.toBe(reference);
  });

  test('a further payment is not made for one that expired: it awaits its payment again, and a reload finds it (T115, T141)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    respond = knowsNone;
    await passMinutes(25 * 60);
    await verify(browser, reference);
    expect(await shop.stateOf(reference)).toBe('expired');
    await clock.jump(2_000);

    const retried = await retry(browser, reference);

    expect(retried).toMatchObject({ status: 200, json: { data: { reference } } });
    expect(await shop.stateOf(reference)).toBe('awaiting-payment');
    await passMinutes(1); // the shop verifies again soon, and the service still knows of no attempt
    const open = await sendUntilStored(() => browser.get('/api/orders/open'));
    expect(open.json.data).toMatchObject({ reference });
    respond = say('successful');
    await passMinutes(3);
    await vi.waitFor(async () => expect(await shop.stateOf(reference)).toBe('paid'), PATIENT);
  });

  test('an old payment that is opened again is verified as soon as a new one, even if no webhook comes (T141)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    respond = knowsNone;
    for (const hours of [12, 1, 1, 1, 2, 4]) await passMinutes(hours * 60);

    const retried = await retry(browser, reference);
    expect(retried).toMatchObject({ status: 200, json: { data: { reference } } });
    for (const _ of [1, 2, 3]) await passMinutes(2); // the customer takes some time
    respond = say('successful');

    await passMinutes(2);
    await vi.waitFor(async () => expect(await shop.stateOf(reference)).toBe('paid'), PATIENT);
  });

  test('a further payment is not needed for an order that a page finds again by its key a day later: it has not failed (T141)', async () => {
    const browser = shop.browser();
    const order = () =>
      browser.post('/api/orders', ONE_HONEY, { 'idempotency-key': 'of-the-cart' });
    const { reference } = (await order()).json.data;
    respond = knowsNone;
    await passMinutes(23 * 60);

    expect((await order()).json.data.reference).toBe(reference);
    await passMinutes(2 * 60);

    expect((await verify(browser, reference)).json.data.status).toBe('pending');
    await passMinutes(25 * 60);
    expect((await verify(browser, reference)).json.data.status).toBe('failed');
    expect((await order()).json.data.reference).toBe(reference);
    expect(await shop.stateOf(reference)).toBe('awaiting-payment');
  });

  test('retry of an older payment returns the open one of its order (T115)', async () => {
    const browser = shop.browser();
    const first = await browser.order();
    respond = (reference, res) =>
      say(reference === first ? 'failed' : 'pay-offline')(reference, res);
    const second = await nextOf(browser, first);

    await clock.jump(2_000);

    expect(await retry(browser, first)).toMatchObject({
      status: 200,
      json: { data: { reference: second } },
    });
  });

  test('retry gets a response within ten seconds if the service hangs (F6)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    const called = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    respond = async (_reference, res) => {
      called.resolve();
      await released.promise;
      say('pending')(reference, res);
    };

    const retrying = retry(browser, reference);
    await called.promise;
    await clock.advance(10_000);

    expect(await retrying).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(await countPayments(reference)).toBe(1);
    released.resolve();
  });

  test('a further payment is not made if any other of the order has just been paid: all open ones are verified at the same time', async () => {
    const browser = shop.browser();
    respond = say('failed');
    const first = await browser.order();
    const second = await nextOf(browser, first);
    const third = await nextOf(browser, second);
    const open = await countPayments(first);
    expect(open).toBe(3);
    const held = new Map<string, ServerResponse>();
    respond = (reference, res) => {
      held.set(reference, res);
      if (held.size < open) return; // a shop that verified one after another would wait for ever
      for (const [each, waiting] of held)
        say(each === first ? 'successful' : 'pending')(each, waiting);
      held.clear();
    };

    await clock.jump(2_000);
    const retried = await retry(browser, third);

    expect(retried).toMatchObject({ status: 400, json: { errorCode: '04' } });
    expect(await Promise.all([first, second, third].map(shop.stateOf))).toEqual([
      'paid',
      'failed',
      'awaiting-payment',
    ]);
  });

  test('a further payment is made even if the service cannot be reached about one that failed: what it reports later is set aside, and delays nobody', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    respond = say('failed');
    expect((await verify(browser, reference)).json.data.status).toBe('failed');
    await clock.jump(2_000);
    respond = isAway;

    const retried = await retry(browser, reference);

    expect(retried.status).toBe(201);
    expect(retried.json.data.reference).not.toBe(reference);
  });

  test.each(['failed', 'expired'] as const)(
    'a further payment is not made if one that %s has been paid since: it is verified, too (T98)',
    async (state) => {
      const browser = shop.browser();
      const reference = await browser.order();
      await putState(shop, reference, state);
      respond = say('successful');

      const retrying = retry(browser, reference);
      await clock.advance(2_000);

      expect(await retrying).toMatchObject({
        status: 400,
        json: { errorCode: '04', message: expect.stringContaining('is paid already') },
      });
      expect(await shop.stateOf(reference)).toBe('paid');
      expect(await countPayments(reference)).toBe(1);
    },
  );
});

const passMinutes = (minutes: number) =>
  letMinutesPass(minutes, { shop, clock, calls: upstream.calls });

async function nextOf(browser: TestBrowser, reference: string): Promise<string> {
  await clock.jump(2_000);
  const { json } = await retry(browser, reference);
  return json.data.reference;
}

const retry = (browser: TestBrowser, reference: string) =>
  sendUntilStored(() => browser.post(`/api/payments/${reference}/retry`));

const verify = (browser: TestBrowser, reference: string) =>
  sendUntilStored(() => browser.verify(reference));

async function sendUntilStored(send: () => Promise<ReceivedResponse>): Promise<ReceivedResponse> {
  for (;;) {
    const response = await send();
    if (!response.json.message?.includes('cannot reach its database')) return response;
    await clock.jump(2_000);
  }
}

async function countPayments(reference: string): Promise<number> {
  const ofItsOrder =
    'select 1 from service_pay_payments where order_id = (select order_id from service_pay_payments where reference = ?)';
  return (await shop.rows(ofItsOrder, reference)).length;
}
