import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { DATABASES } from './test-database.ts';
import { type Answer, collectionAnswer, ManualClock, startTestShop, startUpstream, type TestBrowser, type TestShop } from './test-shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;
let clock: ManualClock;
/** What the service answers about a reference; each test says. */
let answer: (reference: string, res: ServerResponse) => void;

const say = (status: string) => (reference: string, res: ServerResponse) => void res.end(collectionAnswer(reference, { status }));
const isAway = (_reference: string, res: ServerResponse) => void res.writeHead(503, { 'retry-after': '7' }).end();

describe.each(DATABASES)('a further payment of an order, on %s', (kind) => {
  beforeEach(async () => {
    answer = say('pending');
    upstream = await startUpstream((req, res) => answer(req.url!.split('/').at(-1)!, res));
    clock = new ManualClock();
    shop = await startTestShop(upstream.url, { clock }, {}, kind);
  });

  afterEach(async () => {
    await shop.close();
    await upstream.close();
  });

  test('is not given where the one before was paid since the service was last asked: it is asked anew', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    expect((await verify(browser, reference)).json.data.status).toBe('pending');
    answer = say('successful');

    const retrying = retry(browser, reference);
    await clock.advance(2_000);

    expect(await retrying).toMatchObject({ status: 400, json: { errorCode: '04', message: expect.stringContaining('is paid already') } });
    expect(await shop.stateOf(reference)).toBe('paid');
    expect(await countPayments(reference)).toBe(1);
  });

  test('is not given while nobody knows whether the one before is paid, and is as soon as it is known not to be (D52)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    answer = isAway;

    const retried = await retry(browser, reference);

    expect(retried).toMatchObject({ status: 503, json: { status: false, errorCode: '10' } });
    expect(retried.json.message).toBe(
      'The shop cannot learn right now whether you have paid this order already. No new payment was begun: try again in a moment.',
    );
    expect(retried.headers.get('retry-after')).toBe('7');
    expect(await countPayments(reference)).toBe(1);
    answer = say('pending');
    await clock.jump(2_000);
    expect((await retry(browser, reference)).status).toBe(201);
  });

  test('is answered within ten seconds where the service hangs (F6)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    const asked = Promise.withResolvers<() => void>();
    answer = (_reference, res) => asked.resolve(() => say('pending')(reference, res));

    const retrying = retry(browser, reference);
    const letAnswer = await asked.promise;
    await clock.advance(10_000);

    expect(await retrying).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(await countPayments(reference)).toBe(1);
    letAnswer();
  });

  test('is not given where any other of the order has just been paid: all that are open are asked about at the same time', async () => {
    const browser = shop.browser();
    const first = await browser.order();
    const second = (await retry(browser, first)).json.data.reference;
    const third = await nextOf(browser, second);
    const open = await countPayments(first);
    const held = new Map<string, ServerResponse>();
    answer = (reference, res) => {
      held.set(reference, res);
      if (held.size < open) return; // a shop that asked one after another would wait for ever
      for (const [each, waiting] of held) say(each === first ? 'successful' : 'pending')(each, waiting);
      held.clear();
    };

    await clock.jump(2_000);
    const retried = await retry(browser, third);

    expect(retried).toMatchObject({ status: 400, json: { errorCode: '04' } });
    expect(await Promise.all([first, second, third].map(shop.stateOf))).toEqual(['paid', 'awaiting-payment', 'awaiting-payment']);
  });

  test('is given though the service cannot be asked about one that failed: what it says late is set aside, and holds up nobody', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    answer = say('failed');
    expect((await verify(browser, reference)).json.data.status).toBe('failed');
    await clock.jump(2_000);
    answer = isAway;

    const retried = await retry(browser, reference);

    expect(retried.status).toBe(201);
    expect(retried.json.data.reference).not.toBe(reference);
  });

  test('is refused at once where the order is paid, whether or not the service can be asked about the others', async () => {
    const browser = shop.browser();
    const first = await browser.order();
    const second = (await retry(browser, first)).json.data.reference;
    answer = say('successful');
    expect((await verify(browser, second)).json.data.status).toBe('successful');
    answer = isAway;
    const calls = upstream.calls.length;

    expect(await retry(browser, first)).toMatchObject({ status: 400, json: { errorCode: '04' } });
    expect(upstream.calls).toHaveLength(calls);
  });
});

/** A further payment, two seconds after the service was asked about those before. */
async function nextOf(browser: TestBrowser, reference: string): Promise<string> {
  await clock.jump(2_000);
  const { json } = await retry(browser, reference);
  return json.data.reference;
}

const retry = (browser: TestBrowser, reference: string) => ask(() => browser.post(`/api/payments/${reference}/retry`));

const verify = (browser: TestBrowser, reference: string) => ask(() => browser.verify(reference));

/** Where it is the database that did not answer in time, asks again as soon as the service may be asked again. */
async function ask(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (!answer.json.message?.includes('cannot reach its records')) return answer;
    await clock.jump(2_000);
  }
}

/** How many payments the order of this one has. */
async function countPayments(reference: string): Promise<number> {
  const ofItsOrder = 'select 1 from payments where order_id = (select order_id from payments where reference = ?)';
  return (await shop.rows(ofItsOrder, reference)).length;
}
