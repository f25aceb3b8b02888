import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildTestLog } from '../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../test/patience.ts';
import { openPayments } from '../test/payments.ts';
import { type Database, openDatabase } from './database/open.ts';
import type { Tables } from './database/schema.ts';
import { buildFetchHandler, toNodeListener } from './fetch/index.ts';
import { createPayments, type PaidOrder, type Payments } from './index.ts';
import { newReference } from './payments/create.ts';
import { pauseForCaller, realClock } from './support/clock.ts';
import { testHooks } from './support/test-hooks.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from './testing/databases.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream, TOKEN } from './testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const HOUR = 60 * 60_000;

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let respond: RequestListener;
let clock: ManualClock;
let payments: Payments;
let fulfilled: string[];
let lines: string[];
let fulfil: (order: PaidOrder, context: { signal: AbortSignal }) => Promise<void>;

function useDatabase(kind: Database['kind']): void {
  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    respond = (req, res) => void res.end(collectionResponse(req.url!));
    service = await startUpstream((req, res) => respond(req, res));
    clock = new ManualClock();
    [fulfilled, lines] = [[], []];
    fulfil = async ({ reference }) => void fulfilled.push(reference);
    payments = await openPayments({
      apiUrl: service.url,
      database: database.url,
      background: false,
      maxConnections: 2,
      fulfil: (order, context) => fulfil(order, context),
      log: buildTestLog(lines),
      clock,
    });
  });

  afterEach(async () => {
    await payments.close();
    await service.close();
    await database.drop();
  });
}

const rows = (columns: string) =>
  readRows<Record<string, unknown>>(database.url, `select ${columns} from service_pay_fulfilments`);

const deliver = (reference: string) => {
  const { body, headers } = signedWebhook('collection.successful', { reference });
  const url = 'https://shop.example/webhooks/service-pay';
  return new Request(url, { method: 'POST', headers, body });
};

describe.each(DATABASES)('payments without background work on %s', (kind) => {
  useDatabase(kind);

  test('payments without background work do nothing by themselves, and in one pass whatever is due, until nothing is left', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, () => payments.create(ORDER)));
    await clock.advance(HOUR);
    expect([service.calls, fulfilled]).toEqual([[], []]);

    await payments.work();

    expect(fulfilled.sort()).toEqual(made.map(({ reference }) => reference).sort());
    const held = await rows("count(*) as n, max(coalesce(lease_owner, '')) as holder");
    expect(held).toEqual([{ n: 30, holder: '' }]);
    await payments.work();
    expect([service.calls.length, fulfilled.length]).toEqual([30, 30]);
  });

  test('payments without background work end a call of fulfil when the time of a pass is over, hold no lease, and call it again later (T139)', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);
    const begun = Promise.withResolvers<AbortSignal>();
    fulfil = async (_order, { signal }) => {
      begun.resolve(signal);
      await once(signal, 'abort');
    };

    const pass = payments.work({ forMs: 20_000 });
    const signal = await begun.promise;
    await clock.advance(20_000);
    await pass;

    expect(signal.aborted).toBe(true);
    expect(await rows('state, lease_owner, lease_until')).toEqual([
      { state: 'waiting', lease_owner: null, lease_until: 0 },
    ]);
    fulfil = async (order) => void fulfilled.push(order.reference);
    await clock.jump(10_000);
    await payments.work();
    expect(fulfilled).toEqual([reference]);
  });

  test('payments without background work call fulfil in no pass that they have closed on', async () => {
    const [claimed, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const failpoint = async (name: string) => {
      if (name !== 'after-commit') return;
      const [order] = await rows('lease_owner');
      if (!order?.lease_owner) return;
      claimed.resolve();
      await closing.promise;
    };
    let isClosed = false;
    const called: boolean[] = [];
    const other = await createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_test',
      database: database.url,
      background: false,
      fulfil: async () => void called.push(isClosed),
      log: buildTestLog(lines),
      ...testHooks({ ...PATIENT_DATABASE, failpoint }),
    });
    const { reference } = await other.create(ORDER);
    await other.confirm(reference, ORDER);
    const pass = other.work();
    await claimed.promise;

    const closed = other.close().then(() => {
      isClosed = true;
    });
    await setImmediate();
    closing.resolve();
    await Promise.all([pass.catch(() => {}), closed]);

    expect(called).not.toContain(true);
    expect(await rows('lease_owner')).toEqual([{ lease_owner: null }]);
  });

  test('payments without background work end when the time of a pass is over though the service is silent, and poll no further payment', async () => {
    const held: (() => void)[] = [];
    const respondAtOnce = respond;
    respond = (req, res) => void held.push(() => respondAtOnce(req, res));
    const many = 60;
    await Promise.all(Array.from({ length: many }, () => payments.create(ORDER)));
    await clock.jump(HOUR);
    const ending = new AbortController();

    const pass = payments.work({ signal: ending.signal });
    await vi.waitFor(() => expect(held).not.toEqual([]), PATIENT);
    ending.abort();
    await pass; // no response has come

    respond = respondAtOnce;
    const atOnce = held.length;
    for (const release of held) release();
    const countPaid = async () => (await rows('reference')).length;
    await vi.waitFor(async () => expect(await countPaid()).toBeGreaterThanOrEqual(atOnce), PATIENT);
    await payments.close();
    expect(service.calls.length).toBeLessThanOrEqual(40);
  });

  test.skipIf(kind === 'sqlite')(
    'payments without background work compare the clocks before a pass, so that a machine whose clock moved ahead polls nothing too early (T111)',
    async () => {
      const machine = Object.assign(new ManualClock(), { isOfMachine: true });
      const called = await openPayments({
        apiUrl: service.url,
        database: database.url,
        background: false,
        log: buildTestLog(lines),
        clock: machine,
      });
      await called.create(ORDER);

      await machine.jump(HOUR);
      await called.work();
      await called.close();

      expect(service.calls).toEqual([]);
    },
  );

  test('payments without background work tidy up in a pass, at most every ten minutes', async () => {
    await payments.create({ ...ORDER, idempotencyKey: 'old' });
    const keys = () => readRows(database.url, 'select key from service_pay_idempotency_keys');

    await payments.work();
    expect(await keys()).toEqual([{ key: 'old' }]);
    await clock.jump(31 * 24 * HOUR);
    await payments.work();
    expect(await keys()).toEqual([]);
  });

  test('payments without background work stop tidying up when the time of a pass is over, and go on in the next', async () => {
    const many = 50_000;
    const other = await openDatabase(database.url, PATIENT_DATABASE);
    await sql`insert into service_pay_idempotency_keys
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${many})
      select 'ann', 'old ' || n, 'h', 'r', 0 from numbers`.execute(other.db);
    if (kind === 'postgres') await slowDeletes(other.db);
    const count = async () => {
      const statement = 'select count(*) as n from service_pay_idempotency_keys';
      return (await readRows<{ n: number }>(database.url, statement))[0]!.n;
    };
    const ending = new AbortController();

    const pass = payments.work({ signal: ending.signal });
    await vi.waitFor(async () => expect(await count()).toBeLessThan(many), PATIENT);
    ending.abort();
    await pass;
    if (kind === 'postgres')
      await sql`drop trigger slow on service_pay_idempotency_keys`.execute(other.db);
    await other.close();

    expect(await count()).toBeGreaterThan(0);
    await payments.work();
    expect(await count()).toBe(0);
  });

  test('payments without background work raise the alert for money without a payment once, also in a pass a day or a month later (T143)', async () => {
    const reference = newReference(clock.now());
    const { body, headers } = signedWebhook('collection.successful', { reference });
    await payments.receiveWebhook({ headers, rawBody: body });
    const alerts = () => lines.filter((line) => /money received for an unknown/.test(line));

    await clock.jump(25 * HOUR);
    await payments.work();
    expect(alerts()).toEqual([expect.stringContaining(reference)]);

    for (const days of [1, 31]) {
      await clock.jump(days * 24 * HOUR);
      await payments.work();
    }
    expect(alerts()).toHaveLength(1);
  });
});

describe('payments without background work', () => {
  useDatabase('sqlite');

  test('payments without background work call fulfil once at a time if it ignores its signal, and say so', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);
    const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    fulfil = async (order) => {
      fulfilled.push(order.reference);
      begun.resolve();
      await ending.promise;
    };

    const pass = payments.work({ forMs: 20_000 });
    await begun.promise;
    await clock.advance(20_000);
    await pass;
    for (let later = 0; later < 12; later++) {
      await clock.jump(HOUR);
      await payments.work({ forMs: 20_000 });
    }

    expect(fulfilled).toEqual([reference]);
    expect(await rows('state, attempts, last_error')).toEqual([
      {
        state: 'waiting',
        attempts: 1,
        last_error: 'Error: The time of this pass was over before the call ended.',
      },
    ]);
    ending.resolve();
    await clock.jump(HOUR);
    await payments.work();
    expect(await rows('state, attempts')).toEqual([{ state: 'done', attempts: 2 }]);
  });

  test('payments without background work begin nothing for a caller who has already given up', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);
    await payments.create(ORDER);
    await clock.jump(HOUR);

    await payments.work({ signal: AbortSignal.abort() });

    expect([service.calls.length, fulfilled]).toEqual([1, []]);
  });

  test('payments without background work confirm and fulfil after the response to a webhook, for as long as the host waits', async () => {
    const { reference } = await payments.create(ORDER);
    const waited: Promise<unknown>[] = [];
    const handle = buildFetchHandler(payments, {
      findOwner: () => 'ann',
      checkoutOptions: () => ({}),
      waitUntil: (work) => void waited.push(work),
    });

    expect((await handle(deliver(reference))).status).toBe(200);
    await Promise.all(waited);

    expect(fulfilled).toEqual([reference]);
  });

  test('payments without background work work after a verify over HTTP only if that call moved the payment, and one pass at a time, whatever the number of handlers', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => payments.create(ORDER)));
    const waited: Promise<unknown>[] = [];
    const buildHandler = () =>
      buildFetchHandler(payments, {
        findOwner: () => 'ann',
        checkoutOptions: () => ({}),
        waitUntil: (work) => void waited.push(work),
      });
    // a framework may build its handlers for each request
    const server = createServer(toNodeListener((request) => buildHandler()(request)));
    onTestFinished(() => void server.close().closeAllConnections());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const verifyAll = () =>
      Promise.all(
        made.map(async ({ reference }) => {
          const url = `http://127.0.0.1:${port}/api/payments/${reference}/verify`;
          expect((await fetch(url, { method: 'POST' })).status).toBe(200);
        }),
      );
    const { work } = payments;
    let [passes, most, running] = [0, 0, 0];
    vi.spyOn(payments, 'work').mockImplementation(async () => {
      passes += 1;
      most = Math.max(most, ++running);
      await work.call(payments).finally(() => (running -= 1));
    });

    await verifyAll();
    await Promise.all(waited);

    expect(most).toBe(1);
    expect(passes).toBeLessThan(made.length);
    expect(fulfilled.toSorted()).toEqual(made.map(({ reference }) => reference).toSorted());
    const before = passes;
    await verifyAll();
    await Promise.all(waited);
    expect(passes).toBe(before);
  });

  test('payments without background work leave a webhook that nobody waited for to the next pass', async () => {
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    await payments.receiveWebhook({ headers, rawBody: body });
    await vi.waitFor(async () => expect(await rows('reference')).toEqual([{ reference }]), PATIENT);
    expect(fulfilled).toEqual([]);

    await payments.work();

    expect(fulfilled).toEqual([reference]);
  });

  test.each([Number.POSITIVE_INFINITY, 25 * 24 * HOUR])(
    'payments without background work let a call of fulfil run to its end if a pass has %d ms',
    async (forMs) => {
      const real = await openPayments({
        apiUrl: service.url,
        database: database.url,
        background: false,
        fulfil: async (order, { signal }) => {
          await pauseForCaller(realClock, 20); // longer than a timer that has overflowed
          if (!signal.aborted) fulfilled.push(order.reference);
        },
        log: buildTestLog(lines),
      });
      const { reference } = await real.create(ORDER);
      await real.confirm(reference, ORDER);

      await real.work({ forMs });
      await real.close();

      expect(fulfilled).toEqual([reference]);
    },
  );

  test('payments without background work reject a pass without time', async () => {
    for (const forMs of [0, -1, Number.NaN, '20'])
      await expect(payments.work({ forMs: forMs as number })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });
});

test.each([0, 1.5, -1])('payments reject %j connections', async (maxConnections) => {
  const options = { apiUrl: 'http://localhost:1', apiToken: TOKEN, publicKey: 'pub_test' };
  const opening = createPayments({
    ...{ ...options, database: 'file:none.db', fulfil: async () => {}, log: console },
    maxConnections,
  });

  await expect(opening).rejects.toMatchObject({ problems: [{ path: 'maxConnections' }] });
});

/** Makes each batch take a while, so that a pass can be ended in its middle on a busy machine, too. */
async function slowDeletes(db: Kysely<Tables>): Promise<void> {
  await sql`create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(0.1); return null; end'`.execute(db);
  await sql`create trigger slow after delete on service_pay_idempotency_keys
    execute function slow()`.execute(db);
}
