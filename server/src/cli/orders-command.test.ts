import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runShopCommand } from '../../test/command.ts';
import { passTimeDuring, passTimeUntil } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { postWebhook, startTestShop, type TestShop } from '../../test/shop.ts';
import { openDatabase } from '../database/open.ts';
import { NEVER } from '../database/schema.ts';
import { DATABASES } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';
import { parseConfig } from './settings.ts';

const HOUR_MS = 60 * 60_000;

const SECRETS = {
  SERVICE_PAY_API_TOKEN: TOKEN,
  SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
};

describe.each(DATABASES)('service-pay orders, on %s', (kind) => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let shop: TestShop;
  let clock: ManualClock;
  let said: Record<string, unknown> = { amount: '1.00' };
  const failed = new Set<string | undefined>();
  let isHandedOver = true;

  const orders = (...words: string[]) =>
    runShopCommand('orders', shop.config, words, {}, { clock });
  const replay = (reference: string) =>
    passTimeDuring(
      clock,
      runShopCommand('replay', shop.config, ['--reference', reference], {}, { clock }),
    );

  beforeAll(async () => {
    upstream = await startUpstream(({ url = '' }, res) => {
      const failure = { status: 'failed', reasonForFailure: 'Not enough funds' };
      res.end(collectionResponse(url, failed.has(url.split('/').at(-1)) ? failure : said));
    });
    const fulfil = async () => {
      if (!isHandedOver)
        throw new TypeError('fetch failed', { cause: new Error('the shelf is empty.') });
    };
    clock = new ManualClock(Date.now());
    shop = await startTestShop(upstream.url, { fulfil, clock }, {}, kind);
  });

  afterAll(async () => {
    await passTimeDuring(clock, shop.close());
    await upstream.close();
  });

  /** Places an order whose first payment fails, and begins a second one. */
  async function payAgain(): Promise<[first: string, second: string]> {
    const browser = shop.browser();
    const first = await browser.order();
    failed.add(first);
    await replay(first);
    return [first, (await browser.post(`/api/payments/${first}/retry`)).json.data.reference];
  }

  function isDone(reference: string): Promise<void> {
    const statement = 'select state from service_pay_fulfilments where reference = ?';
    return passTimeUntil(
      clock,
      async () => expect(await shop.rows(statement, reference)).toEqual([{ state: 'done' }]),
      1_000,
    );
  }

  test('service-pay orders lists what needs review, and a person accepts or rejects it while the shop runs (D51)', async () => {
    const browser = shop.browser();
    const [accepted, rejected] = [await browser.order(), await browser.order()];
    for (const reference of [accepted, rejected]) await browser.verify(reference);

    const listed = await orders('needs-review');
    const counted = await orders();
    const doctor = await runShopCommand('doctor', shop.config, [], { PUBLIC_URL: shop.url });
    const decided = [await orders('accept', accepted), await orders('refuse', rejected)];

    expect(listed.stdout).toMatch(
      new RegExp(
        `^${accepted} +needs-review +92\\.50 +ZMW +.* UTC +amount differs: ZMW 1\\.00 arrived$`,
        'm',
      ),
    );
    expect(counted.stdout).toMatch(/2 needs-review: npx --no -- service-pay orders needs-review/);
    expect(doctor.stdout).toMatch(
      /^problem +Review +A payment .* not as ordered: shop-.*\n.*→ Decide/m,
    );
    expect(decided.map(({ code }) => code)).toEqual([0, 0]);
    expect(decided[0]?.stdout).toMatch(
      /^The payment is accepted\. If another payment .*\n\nWritten to the (?:file|PostgreSQL) .*\.\n$/s,
    );
    expect(JSON.parse(decided[0]!.stderr)).toMatchObject({
      msg: 'manual decision',
      reference: accepted,
      decision: 'accept',
      who: userInfo().username,
      database: expect.stringMatching(/^the (?:file|PostgreSQL) /),
    });
    expect([await shop.stateOf(accepted), await shop.stateOf(rejected)]).toEqual([
      'paid',
      'refused',
    ]);
    expect((await browser.verify(rejected)).json.data.status).toBe('failed');
    expect((await browser.verify(accepted)).json.data.status).toBe('successful');
  });

  test('service-pay orders finds an order by e-mail address in any case, by other text of it, by reference and by owner', async () => {
    const before = said;
    said = { status: 'pending' }; // so that the shop may poll it meanwhile
    onTestFinished(() => {
      said = before;
    });
    const browser = shop.browser();
    const customer = { email: 'Grace_O"Neil@Shop.example' };
    const items = [{ sku: 'honey-500', quantity: 1 }];
    const { json } = await browser.post('/api/orders', { items, customer });
    const { reference } = json.data;
    const find = async (text: string) => {
      const { stdout } = await orders('find', text, '--json');
      return JSON.parse(stdout).map((found: { reference: string }) => found.reference);
    };
    const [{ owner }] = (await shop.rows<{ owner: string }>(
      'select owner from service_pay_payments where reference = ?',
      reference,
    )) as [{ owner: string }];

    for (const text of ['grace_o"neil@shop.EXAMPLE', 'Grace', reference, owner])
      expect(await find(text), text).toEqual([reference]);
    for (const text of ['graceXo"neil', 'grace%', 'nobody@shop.example'])
      expect(await find(text), text).toEqual([]);
    expect((await orders('find', 'Grace')).stdout).toMatch(
      new RegExp(
        `^${reference} +awaiting-payment +- +92\\.50 .*\\n\\nNext step: .*orders show`,
        'm',
      ),
    );
    expect((await orders('find', 'nobody')).stdout).toMatch(
      /^No payment has this .+ Search for a shorter part/,
    );
    expect((await orders('find')).stderr).toMatch(/needs one text/);
  });

  test('the history of an order says who decided what about it, and when', async () => {
    const browser = shop.browser();
    const [accepted, rejected] = [await browser.order(), await browser.order()];
    for (const reference of [accepted, rejected]) await browser.verify(reference);
    await orders('accept', accepted, '--by', 'Grace of support');
    await orders('refuse', rejected);

    const shown = JSON.parse((await orders('show', accepted, '--json')).stdout);
    const text = (await orders('show', rejected)).stdout;

    expect(shown.decisions).toEqual([
      {
        decidedAt: expect.any(Number),
        decision: 'accept',
        who: 'Grace of support',
        reference: accepted,
        reason: null,
      },
    ]);
    expect(text).toMatch(
      new RegExp(
        `^Decisions\\nDECIDED .*\\n20.* UTC +refuse +${userInfo().username} +${rejected} +-$`,
        'm',
      ),
    );
    expect((await orders('show', rejected, '--by', 'x')).stderr).toMatch(/^--by works with/);
  });

  test('a decision is made once: a second one changes nothing and says so', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    const tooEarly = await orders('accept', reference);
    await browser.verify(reference);
    await orders('refuse', reference);

    const again = [await orders('refuse', reference), await orders('accept', reference)];

    expect(tooEarly).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'Nothing was changed: accept needs a payment in needs-review',
      ),
    });
    for (const { code, stderr } of again) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Nothing was changed: .* orders show \S+\n$/);
    }
    expect(await shop.stateOf(reference)).toBe('refused');
  });

  test('a decision changes no payment that does not need one, in any of its states (D51)', async () => {
    const states = ['awaiting-payment', 'paid', 'failed', 'expired', 'refused'] as const;
    const placed = new Map<string, (typeof states)[number]>();
    for (const state of states) placed.set(await shop.browser().order(), state);
    const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
    for (const [reference, state] of placed)
      await database.db
        .updateTable('service_pay_payments')
        .set({ state, check_at: NEVER }) // so that the shop does not poll it
        .where('reference', '=', reference)
        .execute();
    await database.close();

    for (const [reference, state] of placed) {
      for (const decision of ['accept', 'refuse', 'redrive']) {
        const { code, stderr } = await orders(decision, reference);
        expect(stderr).toMatch(/^Nothing was changed: /);
        expect(code).toBe(1);
      }
      expect(await shop.stateOf(reference)).toBe(state);
    }
  });

  test('a payment that came second is accepted without handing over again', async () => {
    const [first, second] = await payAgain();
    failed.delete(first);
    said = { amount: '92.50' };
    for (const reference of [first, second]) await replay(reference);
    said = { amount: '1.00' };

    const accepted = await orders('accept', second);

    expect(accepted.stdout).toContain(
      'If another payment had already paid the order, the order is not fulfilled again',
    );
    expect(
      await shop.rows(
        'select reference from service_pay_fulfilments where reference in (?, ?)',
        first,
        second,
      ),
    ).toEqual([{ reference: first }]);
  });

  test('service-pay orders says what to do about the second payment of an order that was paid twice', async () => {
    const before = said;
    said = { amount: '92.50' };
    const [first, second] = await payAgain();
    await replay(second);
    failed.delete(first);
    await postWebhook(shop, first);
    await passTimeUntil(clock, async () => expect(await shop.stateOf(first)).toBe('needs-review'));

    const shown = await orders('show', second);
    await orders('refuse', first);
    const decided = await orders('show', second);
    said = before;

    expect(shown.stdout).toMatch(
      new RegExp(
        `^Next step: the order was paid again with ${first}: refund .* refuse ${first}\\.`,
        'm',
      ),
    );
    expect(decided.stdout).toMatch(
      new RegExp(`^Next step: refund ${first} if you have not\\.`, 'm'),
    );
  });

  test('service-pay orders tells the story of an order that fulfil keeps rejecting, and lists it as waiting', async () => {
    isHandedOver = false;
    said = { amount: '92.50' };
    const [first, second] = await payAgain();
    const unpaid = await orders('show', first);
    await postWebhook(shop, second);
    await vi.waitFor(async () => {
      const [row] = await shop.rows<{ last_error: string | null }>(
        'select last_error from service_pay_fulfilments where reference = ?',
        second,
      );
      expect(row?.last_error).toBe('TypeError: fetch failed: the shelf is empty.');
    }, PATIENT);

    const waiting = await orders('waiting');
    const counted = await orders();
    const shown = await orders('show', first);
    const json = JSON.parse((await orders('show', second, '--json')).stdout);
    const doctor = await runShopCommand('doctor', shop.config, [], { PUBLIC_URL: shop.url });
    isHandedOver = true;
    await isDone(second);
    const done = await orders('show', second);
    said = { amount: '1.00' };

    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC';
    expect(unpaid.stdout).toMatch(/^Next step: none\. The shop keeps polling the service/m);
    expect(unpaid.stdout).toMatch(/^Webhooks: none$/m);
    expect(unpaid.stdout).toMatch(/^Fulfilments: none$/m);
    expect(counted.stdout).toMatch(/^\d waiting: npx --no -- service-pay orders waiting$/m);
    expect(counted.stdout).not.toContain('Nothing needs attention.');
    expect(waiting.stdout).toMatch(
      new RegExp(
        `^${second} +waiting +${time} +\\d +${time} +- +TypeError: fetch failed: the shelf is empty\\.$`,
        'm',
      ),
    );
    for (const line of [
      `Next step: fix the cause of the last error\\. The shop calls fulfil again by itself\\. To call it now: npx --no -- service-pay orders redrive ${second}`,
      `${first} +failed +92\\.50 +ZMW +${time} +${time} +Not enough funds`,
      `${second} +paid +92\\.50 +ZMW +${time} +${time} +-`,
      `[0-9a-f]{12} +collection\\.successful +${second} +${time} +${time}`,
      `${second} +waiting +${time} +\\d +${time} +- +TypeError: fetch failed: the shelf is empty\\.`,
    ])
      expect(shown.stdout).toMatch(new RegExp(`^${line}$`, 'm'));
    expect(json).toMatchObject({
      payments: [
        { reference: first, state: 'failed', reason: 'Not enough funds' },
        { reference: second, state: 'paid' },
      ],
      webhooks: [{ reference: second, event: 'collection.successful' }],
      fulfilments: [
        { state: 'waiting', lastError: 'TypeError: fetch failed: the shelf is empty.' },
      ],
    });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(
      /^problem +Fulfilment +Paid orders wait, because fulfil fails\. The last error: TypeError: fetch failed: the shelf is empty\.\n +→ Fix/m,
    );
    expect(done.stdout).toMatch(/^Next step: none\. The order is fulfilled\.$/m);
    expect(done.stdout).toMatch(new RegExp(`^${second} +done +${time} +\\d +- +${time} `, 'm'));
    expect((await orders('waiting')).stdout).not.toContain(second);
  });

  test('service-pay orders shows what was ordered, without characters that act on a terminal', async () => {
    const customer = { email: 'mary@example.com', firstName: 'Mary\u202e\u001b[2J' };
    const { json } = await shop.browser().post('/api/orders', {
      items: [{ sku: 'honey-500', quantity: 2 }],
      customer,
    });
    const { reference } = json.data;

    const shown = await orders('show', reference);
    const shownAsJson = JSON.parse((await orders('show', reference, '--json')).stdout);

    expect(shown.stdout).toMatch(/\nOrdered\n\{\n {2}"customer": \{\n {4}"email": "mary@example/);
    expect(shown.stdout).toMatch(/"sku": "honey-500",\n {6}"name": .*\n {6}"quantity": 2,/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that must not be there
    expect(shown.stdout).not.toMatch(/[\u001b\u202e]/);
    expect(shownAsJson.ordered).toMatchObject({
      customer,
      lines: [{ sku: 'honey-500', quantity: 2 }],
    });
  });

  test('service-pay orders lists what is parked, and redrives it', async () => {
    isHandedOver = false;
    said = { amount: '92.50' };
    const reference = await shop.browser().order();
    await orderIsPaid(reference);
    await park(reference);

    const listed = await orders('parked');
    const unfulfilled = await orders('waiting');
    const shown = await orders('show', reference);
    const counted = await orders();
    isHandedOver = true;
    const redriven = await orders('redrive', reference);

    const row = `^${reference} +parked .* UTC +10 +- +- +TypeError: fetch failed: the shelf is empty\\.$`;
    expect(listed.stdout).toMatch(new RegExp(row, 'm'));
    expect(unfulfilled.stdout).toMatch(new RegExp(row, 'm'));
    expect(unfulfilled.stdout).toMatch(/^Next step: fix .* orders redrive <reference>$/m);
    expect(shown.stdout).toMatch(
      new RegExp(`^Next step: fix .* npx --no -- service-pay orders redrive ${reference}$`, 'm'),
    );
    expect(counted.stdout).toMatch(/^1 parked: npx --no -- service-pay orders parked$/m);
    expect(redriven).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `calls fulfil again, within five seconds if it is running\\.\n\nTo see whether it worked: npx --no -- service-pay orders show ${reference}\n\nWritten`,
        ),
      ),
    });
    await isDone(reference);
    expect((await orders('redrive', reference)).stderr).toMatch(
      /^Nothing was changed: redrive needs an order whose fulfilment failed and is not being tried right now\./,
    );

    // A shop that was killed during the call has not let go of the order.
    await change(reference, {
      state: 'waiting',
      attempts: 2,
      lease_owner: 'killed',
      lease_until: clock.now() - HOUR_MS,
      due_at: clock.now() + HOUR_MS,
    });
    expect((await orders('redrive', reference)).code).toBe(0);
    await isDone(reference);

    isHandedOver = false;
    const later = await shop.browser().order();
    await orderIsPaid(later);
    await park(later);
    const waiting = await shop.browser().order();
    await orderIsPaid(waiting);
    await postpone(waiting);
    isHandedOver = true;
    const all = await orders('redrive', '--all', '--json');

    expect(JSON.parse(all.stdout).redriven).toEqual(expect.arrayContaining([later, waiting]));
    for (const one of [later, waiting]) await isDone(one);
    said = { amount: '1.00' };

    function park(of: string): Promise<void> {
      return change(of, { state: 'parked', attempts: 10 });
    }

    function postpone(of: string): Promise<void> {
      return change(of, { due_at: clock.now() + HOUR_MS });
    }

    async function change(
      of: string,
      values: {
        state?: 'parked' | 'waiting';
        attempts?: number;
        due_at?: number;
        lease_owner?: string;
        lease_until?: number;
      },
    ): Promise<void> {
      const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
      await vi.waitFor(async () => {
        const changed = await database.db
          .updateTable('service_pay_fulfilments')
          .set(values)
          .where('reference', '=', of)
          .where('lease_owner', 'is', null)
          .returning('reference')
          .execute();
        expect(changed).toHaveLength(1);
      }, PATIENT);
      await database.close();
    }

    async function orderIsPaid(of: string): Promise<void> {
      await replay(of);
      expect(await shop.stateOf(of)).toBe('paid');
      await passTimeUntil(clock, async () => {
        const row = await shop.rows<{ attempts: number }>(
          'select attempts from service_pay_fulfilments where reference = ?',
          of,
        );
        expect(row[0]?.attempts).toBeGreaterThan(0);
      });
    }
  });

  test('service-pay orders prints JSON for programs', async () => {
    const reference = await shop.browser().order();

    const listed = await orders('awaiting-payment', '--json');
    const counted = await orders('--json');

    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ reference, amount: '92.50', currency: 'ZMW' }),
    );
    expect(listed.stdout).not.toContain('owner');
    expect(JSON.parse(counted.stdout)).toMatchObject({
      'awaiting-payment': expect.any(Number),
      parked: expect.any(Number),
    });
  });

  test.each([
    [
      ['redrive', 'unknown'],
      /^No payment of this shop has that reference\. To look for it: npx --no -- service-pay orders find <text>\n$/,
    ],
    [
      ['refuse', 'unknown'],
      /^No payment of this shop has that reference\. To look for it: npx --no -- service-pay orders find <text>\n$/,
    ],
    [['show', 'unknown'], /^No payment of this shop has that reference/],
  ])('service-pay orders %j ends with a sentence and exit 1', async (words, sentence) => {
    expect(await orders(...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
  });
});

describe('service-pay orders, given words that mean nothing', () => {
  test.each([
    [['paidd'], /^There is no state or command "paidd"\.\nUsage: npx --no -- service-pay orders/],
    [
      ['show'],
      /^orders show needs one reference: npx --no -- service-pay orders show <reference>\n$/,
    ],
    [['show', 'one', 'other'], /^orders show needs one reference/],
    [['waiting', 'more'], /^orders waiting takes no reference\.\n$/],
    [['accept'], /^orders accept needs one reference/],
    [['paid', 'more'], /^orders paid takes no reference\.\n$/],
    [['accept', '--all'], /^--all works with orders redrive only\.\n$/],
    [['close'], /^orders close needs one reference/],
    [['close', 'one'], /^orders close needs --reason <text>: why\b/],
    [['close', 'one', '--reason', ' '], /^orders close needs --reason <text>: why\b/],
    [['close', 'one', '--reason', 'x'.repeat(501)], /^--reason takes 500 characters at most\.\n$/],
    [['accept', 'one', '--reason', 'x'], /^--reason works with orders close only\.\n$/],
    [['redrive', ''], /^An argument is empty\. Check that every shell variable in it is set\.\n$/],
    [['--database', ''], /^An argument is empty\. /],
    [['--everything'], /^Unknown option '--everything'\.\n$/],
  ])(
    'service-pay orders %j ends with a sentence and exit 1, and opens no database',
    async (words, sentence) => {
      const config = parseConfig({
        ...SECRETS,
        DATABASE_URL: `file:${import.meta.filename}/shop.db`,
      });

      expect(await runShopCommand('orders', config, words)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(sentence),
      });
    },
  );

  test('a database that cannot be opened is one sentence', async () => {
    const config = parseConfig({
      ...SECRETS,
      DATABASE_URL: `file:${import.meta.filename}/shop.db`,
    });

    const { code, stderr } = await runShopCommand('orders', config, []);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^The file .* cannot be used: it is not there\. .*\n$/);
  });
});
