import { randomUUID } from 'node:crypto';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../app/start.ts';
import { checkTinyShop } from '../../test/check-tiny-shop.ts';
import { GOOD_WAYS, type Ways } from '../../test/tiny-shop.ts';
import { SHOP_CHAPTERS } from './run-check-shop.ts';

const TITLES = SHOP_CHAPTERS.flatMap(({ rules }) => rules.map(({ title }) => title));

/** Takes minutes, of which the check says that it does not wait for them. */
const NEEDS_TIME = 'A payment whose webhook is lost is found without a page';

const { read } = GOOD_WAYS;
const TOKENS = ['sec_sandbox_demo', 'sec_previous'];
const received = new Set<string>();
const failed = { status: 'failed' };

/**
 * What a shop does wrong, and the beginnings of the titles of the rules that say so: its own first,
 * then others that it breaks, too.
 */
const BREAKS: [what: string, ways: Partial<Ways>, ...titles: string[]][] = [
  [
    'returns no currency from verify',
    { verified: ({ currency: _, ...shown }) => shown },
    'The routes return',
  ],
  [
    'sends its API token to the page',
    { payable: (payable) => ({ ...payable, config: { secret: TOKENS[0] } }) },
    'No response has the API token',
  ],
  [
    'takes the price of the page',
    { price: ({ amount = '92.50' }) => ({ amount, currency: 'ZMW' }) },
    'The price is',
  ],
  [
    'takes the reference of the page',
    { reference: (body) => body.reference ?? randomUUID() },
    'The price is',
  ],
  ['ignores the key', { isSameOrder: () => false }, 'The same key is'],
  [
    'has one order for each browser',
    { isSameOrder: (order, owner) => order.owner === owner },
    'Another key',
  ],
  [
    'gives an order to whoever knows its key',
    { isSameOrder: (order, _owner, key) => order.key === key },
    'The same key of another',
  ],
  ['says nothing about storing', { headers: {} }, 'open is never stored'],
  [
    'shows an order to every browser',
    { isOwner: () => true },
    'Another browser cannot',
    'open names only',
  ],
  ['fails for an unknown reference', { unfound: { status: 500 } }, 'A reference that does not'],
  ['opens the oldest payment', { findOpen: (open) => open[0] }, 'open names the newest'],
  [
    'opens no payment',
    { findOpen: () => undefined },
    'open names only',
    'The routes return',
    'open names the newest',
  ],
  [
    'opens what is paid',
    { isOpen: ({ shown, isInReview }) => shown !== 'failed' && !isInReview },
    'open does not name',
    'Nothing can be paid',
  ],
  [
    'opens what is in review',
    { isOpen: ({ shown }) => shown === 'pending' },
    'open does not name',
    'Nothing can be paid',
  ],
  [
    'sends events without a name',
    {
      events: (shown) => ({
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        text: `data: ${JSON.stringify(shown)}\n\n`,
      }),
    },
    'events are those',
  ],
  [
    'takes 404 for failed',
    { read: (status, text) => (status === 404 ? failed : read(status, text)) },
    'An order is pending',
    'retry returns the open',
    'After a failure',
    'verify reports on the whole',
    'A webhook is not believed',
    'A rejected webhook',
  ],
  [
    'takes an unknown status for failed',
    { isFailed: (status) => status === 'failed' || status === 'under-review' },
    'A status that is not final',
  ],
  ['never says that it waits', { isWaiting: () => false }, 'A payment that waits'],
  [
    'never says failed',
    { isFailed: () => false },
    'An order is failed',
    'open names the newest',
    'After a failure',
  ],
  [
    'takes any amount',
    { isPaid: ({ currency }, order) => currency === order.currency },
    'Another amount',
    'No other order',
  ],
  [
    'compares amounts without their decimals',
    {
      isPaid: ({ amount, currency }, order) =>
        Math.floor(Number(amount)) === Math.floor(Number(order.amount)) &&
        currency === order.currency,
    },
    'Another amount',
    'No other order',
  ],
  [
    'takes a larger amount',
    {
      isPaid: ({ amount, currency }, order) =>
        Number(amount) >= Number(order.amount) && currency === order.currency,
    },
    'Another amount',
    'No other order',
  ],
  [
    'takes any currency',
    { isPaid: ({ amount }, order) => Number(amount) === Number(order.amount) },
    'Another currency',
    'No other order',
  ],
  [
    'pays every order of a browser',
    {
      onPaid: ({ owner }, all) => {
        for (const one of all) if (one.owner === owner) one.shown = 'successful';
      },
    },
    'Paying one order',
    'Every paid order',
  ],
  [
    'forgets that an order is paid',
    { isKnown: () => false },
    'A paid order stays',
    'Every paid order',
  ],
  [
    'takes failed after paid',
    {
      isKnown: () => false,
      read: (status, text, order) =>
        status === 503 && order?.shown === 'successful'
          ? { status: 'successful', amount: order.amount, currency: order.currency }
          : read(status, text),
    },
    'A paid order stays',
    'Every paid order',
  ],
  [
    'never verifies a failed payment again',
    { isKnown: ({ shown }) => shown !== 'pending' },
    'An order that failed is paid',
  ],
  [
    'makes a payment whenever retry is called',
    { isRetried: () => true },
    'retry returns the open',
    'After a failure',
    'Nothing can be paid',
  ],
  [
    'makes a payment for a paid order',
    { isRetried: ({ shown }) => shown !== 'pending' },
    'Nothing can be paid',
  ],
  [
    'takes an outage for failed',
    { whenAway: () => failed },
    'The service away',
    'A service that never',
    'A garbled',
    'No new payment',
  ],
  [
    'takes an error for failed',
    { read: (status, text) => (status >= 500 ? failed : read(status, text)) },
    'The service with an error',
  ],
  [
    'believes what it cannot read',
    {
      read: (status, text) => {
        const said = read(status, text);
        return said === null && status === 200 ? failed : said;
      },
    },
    'A garbled',
  ],
  [
    'takes what the service says about another payment',
    { isAbout: () => true },
    'A response about another payment',
  ],
  [
    'takes only what is paid for this reference, and any failure',
    {
      isAbout: (said, reference) => said.status === 'failed' || GOOD_WAYS.isAbout(said, reference),
    },
    'A response about another payment',
  ],
  [
    'waits for the service without an end',
    { verifiesWithinMs: 60_000 },
    'A service that never',
    'After the trouble',
  ],
  ['makes a payment while the service is away', { retriesUnknown: true }, 'No new payment'],
  [
    'stops verifying once the service was away',
    { isKnown: ({ shown, wasAway }) => shown === 'successful' || wasAway },
    'After the trouble',
  ],
  [
    'verifies only the newest payment of an order',
    { mayBePaidLate: () => [] },
    'An earlier payment that is paid late',
  ],
  [
    'forgets the first payment of an order',
    { isOf: ({ references }, reference) => references.at(-1) === reference },
    'verify reports on the whole',
    'An earlier payment',
    'After a failure',
  ],
  [
    'takes calls of foreign pages',
    { isForeign: () => false, cookie: 'SameSite=None; Secure' },
    'A foreign page',
  ],
  [
    'lets foreign pages read',
    {
      headers: {
        ...GOOD_WAYS.headers,
        'access-control-allow-origin': 'https://evil.example',
        'access-control-allow-credentials': 'true',
      },
    },
    'A foreign page',
  ],
  [
    'fails for a big body',
    { tooLarge: (headers) => (headers['content-length'] ? 500 : 413) },
    'Big bodies',
  ],
  [
    'fails for a body without a length',
    { tooLarge: (headers) => (headers['content-length'] ? 413 : 500) },
    'Endless bodies',
  ],
  ['fails for a broken order', { brokenOrder: { status: 500 } }, 'Broken bodies'],
  ['rejects webhooks', { onWebhook: () => ({ status: 500 }) }, 'A webhook of the service'],
  [
    'acknowledges a webhook only if the service responds',
    { onWebhook: async (_event, confirm) => ({ status: (await confirm()) === false ? 503 : 200 }) },
    'It is acknowledged while',
  ],
  [
    'believes a webhook',
    {
      onWebhook: (event, _confirm, _order, pay) => {
        if (event.data.status === 'successful') pay();
        return { status: 200 };
      },
    },
    'A webhook is not believed',
    'A webhook alone',
    'Every paid order',
    'No other order',
  ],
  [
    'believes a signed webhook that a payment failed',
    {
      onWebhook: (event, confirm, order, pay) => {
        if (order && event.event === 'collection.failed') order.shown = 'failed';
        return GOOD_WAYS.onWebhook(event, confirm, order, pay);
      },
    },
    'A webhook is not believed',
  ],
  [
    'believes a webhook that it rejects, that a payment failed',
    {
      onUnsigned: (event, order) => {
        if (event.event === 'collection.failed') order.shown = 'failed';
      },
    },
    'A rejected webhook',
  ],
  [
    'believes a webhook that it rejects, that a payment succeeded',
    {
      onUnsigned: (event, order) => {
        if (event.event === 'collection.successful') order.shown = 'successful';
      },
    },
    'A rejected webhook',
    'Every paid order',
  ],
  [
    'rejects a webhook that comes twice',
    {
      onWebhook: (event, ...others) => {
        const { reference } = event.data;
        if (received.has(reference)) return { status: 409 };
        received.add(reference);
        return GOOD_WAYS.onWebhook(event, ...others);
      },
    },
    'Webhooks that come twice',
  ],
  ['ignores webhooks', { onWebhook: () => ({ status: 200 }) }, 'A webhook alone'],
  [
    'signs what it has parsed',
    {
      isSigned: (raw, signature) =>
        isSignatureOf(JSON.stringify(JSON.parse(`${raw}`)), signature, TOKENS),
    },
    'The signature is',
    'A webhook without',
    'Broken bodies',
  ],
  ['checks no signature', { isSigned: () => true }, 'A webhook without', 'Broken bodies'],
  [
    'takes a signature by an empty token',
    { isSigned: (raw, signature) => isSignatureOf(raw, signature, [...TOKENS, '']) },
    'A webhook without',
  ],
  [
    'does not know the previous token',
    { isSigned: (raw, signature) => isSignatureOf(raw, signature, TOKENS.slice(0, 1)) },
    'The previous token',
  ],
  [
    'rejects unknown events',
    {
      onWebhook: (event, ...others) =>
        event.event === 'collection.successful'
          ? GOOD_WAYS.onWebhook(event, ...others)
          : { status: 400 },
    },
    'Events and references',
  ],
  [
    'fulfils what is in review',
    { onReview: (list, reference) => void list.push(reference) },
    'No other order',
  ],
  ['fulfils nothing', { fulfil: () => undefined }, 'Every paid order'],
  [
    'fulfils twice',
    { fulfil: (list, reference) => void list.push(reference, reference) },
    'Every paid order',
  ],
];

/** What a shop does if two calls meet: only the rule that sends such calls is tried. */
const RACES: [what: string, ways: Partial<Ways>, title: string][] = [
  ['places two orders at once for one key', {}, 'The same key is the same order'],
  ['retries one order at once', { isLocked: false }, 'After a failure'],
];

/** Holds what the first browser with a cookie writes, until another call wants to write. */
function waitForAnother(): Ways['beforeWriting'] {
  const second = Promise.withResolvers<void>();
  let count = 0;
  return async (owner) => {
    if (!owner) return;
    count += 1;
    if (count === 1) await second.promise;
    else second.resolve();
  };
}

describe('check-shop names what a shop does wrong, and nothing else', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  test.for(BREAKS)('%s', { timeout: 120_000 }, async ([, ways, ...titles], { expect }) => {
    const results = await checkTinyShop(sandbox, ways);

    const found = results
      .filter(({ result }) => result === 'fails')
      .map(({ rule, reason }) => `${rule}: ${reason}`);
    const expected = TITLES.filter((title) => titles.some((start) => title.startsWith(start)));
    expect(found).toEqual(expected.map((title) => expect.stringContaining(`${title}: `)));
    expect(expected).toHaveLength(titles.length);
  });

  test.each(RACES)('%s', async (_what, ways, title) => {
    const racing = { ...ways, beforeWriting: waitForAnother() };
    const isOwn = (each: string) => each.startsWith(title);
    const results = await checkTinyShop(sandbox, racing, {}, isOwn);

    expect(results.at(-1)).toMatchObject({
      result: 'fails',
      rule: expect.stringContaining(title),
    });
  });

  test('a shop that reads bodies without an end is not judged: a web server may be in front', async () => {
    const results = await checkTinyShop(sandbox, { limit: Number.POSITIVE_INFINITY });

    const found = results.find(({ rule }) => rule.startsWith('Endless bodies'));
    expect(found).toMatchObject({ result: 'not tried', reason: expect.stringContaining('20 MB') });
  });

  test('every rule is in this table, except one that takes minutes', () => {
    const named = new Set(
      [...BREAKS, ...RACES].flatMap(([, , own]) =>
        TITLES.filter((title) => title.startsWith(own!)),
      ),
    );
    expect(TITLES.filter((title) => !named.has(title))).toEqual([NEEDS_TIME]);
  });
});
