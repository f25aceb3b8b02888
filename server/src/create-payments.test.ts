import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../test/patience.ts';
import { openPayments } from '../test/payments.ts';
import { openDatabase } from './database/open.ts';
import { anyOwner, createPayments, type NewOrder, type PaidOrder, type Payments } from './index.ts';
import { Metrics } from './observe/metrics.ts';
import * as pings from './payments/ping.ts';
import { testHooks } from './support/test-hooks.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from './testing/databases.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream, TOKEN } from './testing/upstream.ts';

interface Cart {
  items: string[];
}

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: { items: ['honey'] } };

describe.each(DATABASES)('payments on %s', (kind) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let payments: Payments<Cart>;
  let handedOver: PaidOrder<Cart>[];
  let status: string;
  let owner: string;
  let placed: NewOrder<Cart>;

  const open = (url: string) =>
    openPayments<Cart>({
      apiUrl: service.url,
      database: url,
      fulfil: async (order) => void handedOver.push(order),
    });

  beforeAll(async () => {
    database = await makeDatabaseUrl(kind);
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!, { status })));
    payments = await open(database.url);
  });

  beforeEach(() => {
    status = 'successful';
    handedOver = [];
    owner = `ann-${randomUUID()}`;
    placed = { ...ORDER, owner };
  });

  afterAll(async () => {
    await payments.close();
    await service.close();
    await database.drop();
  });

  const expectHandedOver = (reference: string) =>
    vi.waitFor(() => {
      const order = handedOver.find((one) => one.reference === reference);
      expect(order).toBeDefined();
      return order;
    }, PATIENT);

  test('payments hand an order with its data over once it is paid', async () => {
    const { reference, orderId } = await payments.create(placed);

    const { shown } = await payments.confirm(reference, { owner });

    expect(shown).toMatchObject({ reference, status: 'successful', amount: '92.50' });
    expect(await expectHandedOver(reference)).toEqual({ ...placed, id: orderId, reference });
  });

  test('payments closed at once wait for the work that they began, and warn of nothing', async () => {
    const { url, drop } = await makeDatabaseUrl(kind);
    const warn = vi.fn();
    let committing: Promise<void> | undefined;
    const closing = Promise.withResolvers<void>();
    const briefly = await createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_test',
      database: url,
      fulfil: async () => {},
      log: { info() {}, warn, error: warn },
      ...testHooks({ ...PATIENT_DATABASE, failpoint: () => committing }),
    });
    committing = closing.promise;

    const closed = briefly.close();
    await setImmediate();
    closing.resolve();
    await closed;

    expect(warn).not.toHaveBeenCalled();
    await drop();
  });

  test('payments give the options that getPaid takes', async () => {
    const payment = await payments.create(placed);
    const details = { email: 'ann@example.com', label: 'Honey', channels: ['card' as const] };

    expect(payments.checkoutOptions(payment, details)).toEqual({
      key: 'pub_test',
      reference: payment.reference,
      amount: '92.50',
      currency: 'ZMW',
      ...details,
    });
  });

  test('payments count orders by result, whatever the route of the shop is called', async () => {
    const { url, drop } = await makeDatabaseUrl(kind);
    const counted = await open(url);
    const first = { ...placed, idempotencyKey: 'k' };
    await counted.create(first);
    await counted.create(first);
    await counted.findByIdempotencyKey(first);
    await counted.findByIdempotencyKey({ ...first, idempotencyKey: 'other' });
    await expect(counted.create({ ...placed, amount: '0' })).rejects.toThrow('amount');
    await drop();
    await expect(counted.create(placed)).rejects.toMatchObject({ code: 'unavailable' });

    const { body } = await counted.metrics();
    await counted.close();

    for (const [result, count] of Object.entries({
      created: 1,
      repeated: 2,
      rejected: 1,
      failed: 1,
    }))
      expect(body).toContain(`service_pay_orders_total{result="${result}"} ${count}\n`);
  });

  test('payments make one order for one key, and reject the key for another request (T67)', async () => {
    const first = await payments.create({ ...placed, idempotencyKey: 'k' });

    expect(await payments.create({ ...placed, idempotencyKey: 'k' })).toEqual({
      ...first,
      movedAt: expect.any(Number),
    });
    await expect(
      payments.create({ ...placed, amount: '1.00', idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'reference_used', httpStatus: 400 });
    const other = await payments.create({ ...placed, owner: 'bob', idempotencyKey: 'k' });
    expect(other.reference).not.toBe(first.reference);
    const ofNobody = { ...placed, owner: 'carol', idempotencyKey: 'k' };
    expect(await payments.findByIdempotencyKey(ofNobody)).toBeUndefined();
    const ofFirst = { ...placed, idempotencyKey: 'k' };
    expect(await payments.findByIdempotencyKey(ofFirst)).toMatchObject({ orderId: first.orderId });
    const alone = { owner, idempotencyKey: 'k' };
    await expect(payments.findByIdempotencyKey(alone)).rejects.toThrow(
      'request must be given, or amount, currency and data of an order without one.',
    );
    // This is what headers.get() returns for a header that was not sent.
    const withoutKey = await payments.create({ ...placed, idempotencyKey: null });
    expect(withoutKey.reference).not.toBe(first.reference);
  });

  test('payments reject an order that nobody could pay, and name every wrong member', async () => {
    const wrong = { amount: '-1.00', currency: 'zmw', owner: '', data: undefined };

    for (const also of [{}, { owner: 'a\0b', data: () => 1 }])
      await expect(payments.create({ ...wrong, ...also } as never)).rejects.toMatchObject({
        code: 'invalid_request',
        problems: ['amount', 'currency', 'owner', 'data'].map((path) =>
          expect.objectContaining({ path }),
        ),
      });
    for (const amount of ['0.00', '92.555', '1e2', 'free', undefined])
      await expect(payments.create({ ...placed, amount } as never)).rejects.toMatchObject({
        problems: [expect.objectContaining({ path: 'amount' })],
      });
    expect(await payments.create({ ...placed, amount: '92.5' })).toMatchObject({ amount: '92.50' });
  });

  test.each([
    [
      'a fraction of a currency without decimals',
      { currency: 'UGX', amount: '1000.50' },
      'amount must be whole: UGX has no decimals.',
    ],
    [
      'an unknown currency',
      { currency: 'ZZZ' },
      'currency must be an active code of ISO 4217, such as "ZMW".',
    ],
    [
      'an amount with three decimals',
      { amount: '92.555' },
      'amount must be a decimal text above 0, such as "92.50".',
    ],
    [
      'a key in an array',
      { idempotencyKey: ['k'] },
      'idempotencyKey must be a text of 1 to 255 visible characters without spaces, and not an array.',
    ],
    [
      'a number for a key',
      { idempotencyKey: 5 },
      /^idempotencyKey must be a text .*, and not a number\.$/,
    ],
    [
      'data of more than 1 MB',
      { data: 'é'.repeat(500_000) },
      'data takes 1,000,000 bytes of JSON at most, and has 1,000,002.',
    ],
    [
      'a request of 20 MB',
      { request: 'x'.repeat(20_000_000), idempotencyKey: 'k' },
      'request takes 1,000,000 bytes of JSON at most, and has 20,000,002.',
    ],
    [
      'a Map in data',
      { data: { items: new Map([['gold', 1]]) } },
      'data must be plain JSON. items: JSON cannot hold this Map. Use plain objects.',
    ],
    [
      'a Promise for data',
      { data: Promise.resolve() },
      /^data must be plain JSON\. data: .* this Promise\. Use/,
    ],
    [
      'NaN in data',
      { data: { weight: Number.NaN } },
      /^data must be plain JSON\. weight: .* this NaN\. Use/,
    ],
    [
      'a Set for a request',
      { request: new Set([1]), idempotencyKey: 'k' },
      /^request must be plain JSON\. request: .* this Set\. Use/,
    ],
  ])(
    'payments reject %s before anything is stored, and say what is right (T156)',
    async (_what, change, says) => {
      const message = typeof says === 'string' ? says : expect.stringMatching(says);

      await expect(payments.create({ ...placed, ...change } as never)).rejects.toMatchObject({
        code: 'invalid_request',
        message,
      });

      expect(await payments.list({ owner })).toEqual([]);
    },
  );

  test('payments take an order of 1 MB and whole amounts of a currency without decimals', async () => {
    const data = { items: ['x'.repeat(999_986)] };
    const large = await payments.create({ ...placed, data });
    const whole = await payments.create({ ...placed, currency: 'UGX', amount: '1000' });

    expect((await payments.find(large.reference, { owner })).data).toEqual(data);
    expect(whole.amount).toBe('1000.00');
  });

  test('payments find the order of a key whatever the order of the fields, and however the amount is written (T156)', async () => {
    const same = { ...placed, amount: '10.50', idempotencyKey: 'k' };
    const create = (data: object, amount = '10.50') =>
      payments.create({ ...same, amount, data } as never);
    const first = await create({ items: ['honey'], note: undefined, to: { city: 'A', zip: 1 } });

    const again = await create({ to: { zip: 1, city: 'A' }, items: ['honey'] }, '10.5');

    expect(again.reference).toBe(first.reference);
    await expect(create({ items: ['gold'], to: { city: 'A', zip: 1 } })).rejects.toMatchObject({
      code: 'reference_used',
    });
  });

  test('payments find the order of a key that an older version stored (T156)', async () => {
    const order = { ...placed, idempotencyKey: 'older' };
    const { reference } = await payments.create(order);
    const { amount, currency, data } = order;
    const hash = createHash('sha256').update(JSON.stringify({ amount, currency, data }));
    const other = await openDatabase(database.url, PATIENT_DATABASE);
    await other.db
      .updateTable('service_pay_idempotency_keys')
      .set({ request_hash: hash.digest('hex') })
      .where('owner', '=', owner)
      .execute();
    await other.close();

    expect((await payments.create(order)).reference).toBe(reference);
    await expect(payments.create({ ...order, amount: '1.00' })).rejects.toMatchObject({
      code: 'reference_used',
    });
  });

  test('payments run one query for all requests of health and metrics within a second (T119)', async () => {
    const ping = vi.spyOn(pings, 'ping');
    const text = vi.spyOn(Metrics.prototype, 'text');

    await Promise.all(
      Array.from({ length: 50 }, () => [payments.health(), payments.metrics()]).flat(),
    );

    expect([ping.mock.calls.length, text.mock.calls.length]).toEqual([1, 1]);
    vi.restoreAllMocks();
  });

  test.each([
    ['a lone surrogate', 'ann\ud800'],
    ['a NUL', 'ann\0'],
    ['more bytes than an index takes', 'é'.repeat(1_001)],
    ['nothing', ''],
    ['no text', 7],
  ])(
    'payments reject an owner with %s, for new orders and for those to find (T114)',
    async (_what, name) => {
      const owner = name as string;
      const calls = [
        () => payments.create({ ...placed, owner }),
        () => payments.findByIdempotencyKey({ ...placed, owner, idempotencyKey: 'k' }),
        () => payments.findOpen({ owner }),
        () => payments.list({ owner }),
      ];

      for (const call of calls)
        await expect(call()).rejects.toMatchObject({
          code: 'invalid_request',
          problems: [{ path: 'owner' }],
        });
    },
  );

  test('payments keep every text in data as it is, and the longest owner (T114)', async () => {
    const owner = randomBytes(1_500).toString('base64url');
    const idempotencyKey = randomBytes(300).toString('base64url').slice(0, 255);
    const data = { items: ['\ud800', '\udc00\0', '🍯'] };

    const { reference } = await payments.create({ ...placed, owner, data, idempotencyKey });

    expect(await payments.find(reference, { owner })).toMatchObject({ owner, data });
    expect(await payments.list({ owner })).toHaveLength(1);
  });

  test('payments find nothing under a reference that cannot be one (T114)', async () => {
    for (const reference of ['\0', '\ud800', '', 'a b', 'x'.repeat(3_000), 7 as never])
      await expect(payments.find(reference, { owner: anyOwner })).rejects.toMatchObject({
        code: 'order_not_found',
      });
  });

  test('payments reject data and a request that are no JSON', async () => {
    const circular: unknown[] = [];
    circular.push(circular);
    for (const data of [1n, circular, undefined, () => 1])
      await expect(payments.create({ ...placed, data } as never)).rejects.toMatchObject({
        problems: [{ path: 'data' }],
      });
    for (const request of [1n, circular])
      await expect(
        payments.create({ ...placed, idempotencyKey: 'k', request }),
      ).rejects.toMatchObject({ problems: [{ path: 'request' }] });
  });

  test('payments tell another owner the same as of a payment that is not there (T69, T123)', async () => {
    const { reference } = await payments.create(placed);

    const codes = await Promise.all(
      [
        payments.find(reference, { owner: 'bob' }),
        payments.find('no-such-payment', { owner: 'bob' }),
        payments.find(reference, { owner: undefined }),
        payments.confirm(reference, { owner: 'bob' }),
        payments.retry(reference, { owner: 'bob' }),
        payments.watch(reference, { owner: 'bob' }).next(),
      ].map((call) => call.catch(({ code, message }: Error & { code: string }) => [code, message])),
    );

    expect(new Set(codes.map(String)).size).toBe(1);
    expect(codes[0]).toContain('order_not_found');
    expect(await payments.find(reference, { owner: anyOwner })).toMatchObject({ reference });
  });

  test("payments list an owner's orders, the newest first, each by the payment that decides it", async () => {
    const afterThat = ({ createdAt }: { createdAt: number }) =>
      vi.waitFor(() => expect(Date.now()).toBeGreaterThan(createdAt), PATIENT);
    const unpaid = await payments.create(placed);
    await afterThat(unpaid);
    const retried = await payments.create(placed);
    status = 'failed';
    await payments.confirm(retried.reference, { owner });
    const { payment: second } = await payments.retry(retried.reference, { owner });
    status = 'successful';
    await afterThat(second);
    const paid = await payments.create(placed);
    await payments.confirm(paid.reference, { owner });
    await payments.create({ ...placed, owner: 'bob' });

    const listed = await payments.list({ owner });

    expect(listed).toEqual([
      { ...paid, state: 'paid', movedAt: expect.any(Number) },
      { ...second, state: 'awaiting-payment' },
      { ...unpaid, state: 'awaiting-payment' },
    ]);
    expect(await payments.list({ owner, limit: 1 })).toEqual(listed.slice(0, 1));
    expect(await payments.list({ owner: 'nobody' })).toEqual([]);
    for (const limit of [0, -1, 1.5, 'x' as never])
      await expect(payments.list({ owner, limit })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });

  test('payments store a signed webhook, acknowledge it, and confirm its payment', async () => {
    const { reference } = await payments.create(placed);
    const { body, headers } = signedWebhook('collection.successful', { reference });

    const taken = await payments.receiveWebhook({ rawBody: Buffer.from(body), headers });
    const rejected = await payments.receiveWebhook({ rawBody: Buffer.from(`${body} `), headers });
    const asText = await payments.receiveWebhook({ rawBody: body, headers: new Headers(headers) });
    const parsed = JSON.parse(body) as never;
    const tooLate = await payments.receiveWebhook({ rawBody: parsed, headers });

    expect([taken.status, rejected.status, asText.status, tooLate.status]).toEqual([
      200, 401, 200, 500,
    ]);
    expect(JSON.parse(rejected.body)).toMatchObject({ status: false, errorCode: '09' });
    await expectHandedOver(reference);
  });

  test('payments read no body of a webhook without a signature (T91)', async () => {
    const { body, headers } = signedWebhook('collection.successful', { reference: 'r' });
    let reads = 0;
    const rawBody = async () => {
      reads++;
      return Buffer.from(body);
    };

    const unsigned = await payments.receiveWebhook({ headers: {}, rawBody });
    const readsBefore = reads;
    const signed = await payments.receiveWebhook({ headers, rawBody });

    expect([unsigned.status, readsBefore, signed.status, reads]).toEqual([401, 0, 200, 1]);
  });

  test('payments yield how an order stands, now and at its change', async () => {
    status = 'pending';
    const { reference } = await payments.create(placed);
    const states: string[] = [];
    const watching = (async () => {
      for await (const shown of payments.watch(reference, { owner })) states.push(shown.status);
    })();
    await vi.waitFor(() => expect(states).toEqual(['pending']), PATIENT);
    status = 'successful';
    await vi.waitFor(async () => {
      await payments.confirm(reference, { owner });
      expect(states).toEqual(['pending', 'successful']);
    }, PATIENT);
    await watching;
  });

  test('payments end a watch whose signal aborts', async () => {
    status = 'pending';
    const { reference } = await payments.create(placed);
    const leaving = new AbortController();
    const watch = payments.watch(reference, { owner, signal: leaving.signal });
    expect((await watch.next()).value).toMatchObject({ status: 'pending' });

    leaving.abort();

    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

test('options that cannot be used are rejected together, by name and without their values', async () => {
  const options = {
    apiUrl: 'pay.example',
    apiToken: 'pub_token_of_pages',
    publicKey: 'sec_token_of_servers',
    database: 'shop.db',
    log: { info() {} },
  };

  const rejected = createPayments(options as never);

  await expect(rejected).rejects.toMatchObject({
    code: 'invalid_request',
    problems: ['apiUrl', 'apiToken', 'publicKey', 'database', 'fulfil', 'log'].map((path) =>
      expect.objectContaining({ path }),
    ),
  });
  await expect(rejected).rejects.toThrow(/^(?!.*(?:_of_pages|_of_servers|shop\.db))/);
});

test('a Client of pg in place of a Pool is rejected with what works', async () => {
  const client = new pg.Client({ connectionString: 'postgres://localhost/shop' });
  const options = { apiUrl: 'http://localhost:1', apiToken: TOKEN, publicKey: 'pub_test' };
  const rest = { fulfil: async () => {}, log: console };

  await expect(
    createPayments({ ...options, ...rest, database: client as never }),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^database must be .* Pool .* A Client is one connection: pass/),
  });
});

describe('payments whose database is away', () => {
  const OPTIONS = {
    apiUrl: 'http://127.0.0.1:9',
    apiToken: TOKEN,
    publicKey: 'pub_test',
    fulfil: async () => {},
    log: buildTestLog(),
  };

  test('payments whose database is away fail with PaymentsError, whose cause is what the database said (T92)', async () => {
    const { url, drop } = await makeDatabaseUrl('sqlite');
    const payments = await createPayments({ ...OPTIONS, database: url });
    const { reference } = await payments.create(ORDER);
    await rm(url.slice('file:'.length));
    const whose = { owner: 'ann' };
    const keyed = { ...ORDER, idempotencyKey: 'k' };

    const calls = [
      payments.create(ORDER),
      payments.findByIdempotencyKey(keyed),
      payments.confirm(reference, whose),
      payments.retry(reference, whose),
      payments.find(reference, whose),
      payments.findOpen(whose),
      payments.list(whose),
      payments.watch(reference, whose).next(),
      payments.health(),
    ];

    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ name: 'PaymentsError', code: 'unavailable', httpStatus: 503 });
      expect(reason.cause).toBeInstanceOf(Error);
    }
    await payments.close();
    await drop();
  });

  test('payments whose database is away log once a minute that webhooks are not stored, as an error once none was stored for a minute (T92)', async () => {
    const { url, drop } = await makeDatabaseUrl('sqlite');
    const lines: string[] = [];
    const clock = new ManualClock();
    const log = buildTestLog(lines);
    const payments = await createPayments({ ...OPTIONS, log, clock, database: url });
    await rm(url.slice('file:'.length));
    const { body, headers } = signedWebhook('collection.successful', { reference: 'r' });
    const receive = () => payments.receiveWebhook({ headers, rawBody: Buffer.from(body) });

    const responses = [await receive(), await receive()];
    await clock.advance(60_000);
    responses.push(await receive());

    expect(responses.map(({ status, code }) => [status, code])).toEqual(
      Array(3).fill([503, 'unavailable']),
    );
    const logged = lines.filter((line) => line.includes('webhook not stored'));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, cause: expect.stringContaining('The file was removed or replaced') },
      { level: 50, cause: expect.stringContaining('The file was removed or replaced') },
    ]);
    expect(logged.join()).not.toContain('stack');
    await payments.close();
    await drop();
  });

  test.each(['file:/dev/null/shop.db', 'postgres://nobody@127.0.0.1:9/shop'])(
    'payments whose database is away cannot be created on %s, and the error says why (T92)',
    async (database) => {
      await expect(createPayments({ ...OPTIONS, database })).rejects.toMatchObject({
        name: 'PaymentsError',
        code: 'unavailable',
        message: expect.stringContaining('cannot be used: '),
      });
    },
  );
});

test.skipIf(!DATABASES.includes('postgres'))(
  "payments use the application's own pool as it is, also one with a single connection, mask its password, and leave it open (T77)",
  async () => {
    const database = await makeDatabaseUrl('postgres');
    const logged: object[] = [];
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const pool = new pg.Pool({
      host: hostname,
      port: Number(port),
      user: username,
      password,
      database: pathname.slice(1),
      max: 1,
    });
    const connections = vi.fn();
    pool.on('connect', connections);
    const payments = await openPayments({
      database: pool,
      log: { info: (fields) => logged.push(fields), warn() {}, error() {} },
    });

    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER).catch(() => {});
    payments.log.info({ text: `the password is ${pool.options.password}` }, 'said');
    await payments.close();
    expect(connections).toHaveBeenCalledOnce();

    const { rows } = await pool.query('select reference from service_pay_payments');
    expect(rows).toEqual([{ reference }]);
    expect(logged.at(-1)).toEqual({ text: 'the password is [secret]' });
    await pool.end();
    await database.drop();
  },
);
