import { once } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { watchCalls } from '../../test/calls-under-way.ts';
import { buildTestLog, passTimeUntil, payOrder } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { PaymentFeed } from '../payments/payment-feed.ts';
import { PaymentStore } from '../payments/store.ts';
import { NoResponseError } from '../support/database-failure.ts';
import { makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { TOKEN } from '../testing/upstream.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './store.ts';
import { FulfilmentWorker, LEASE_MS } from './worker.ts';

const PROCESS_LIVES_MS = 9_800;

const NO_RESPONSE = new NoResponseError('The database did not write in time.');

let home: TestDatabase;
let database: Database;
let store: PaymentStore;
let fulfilments: FulfilmentStore;
let clock: ManualClock;

beforeEach(async () => {
  home = await makeDatabaseUrl('sqlite');
  database = await openDatabase(home.url, PATIENT_DATABASE);
  store = new PaymentStore(database);
  fulfilments = new FulfilmentStore(database);
  clock = new ManualClock();
});

afterEach(async () => {
  await database.close();
  await home.drop();
});

function startWorker(fulfil: Fulfil): { stop(): Promise<void> } {
  const worker = new FulfilmentWorker({
    mostAtOnce: 100,
    fulfilments,
    feed: new PaymentFeed(),
    fulfil,
    metrics: new Metrics(),
    clock,
    log: buildTestLog(),
  });
  worker.start();
  return worker;
}

interface Row {
  state: string;
  attempts: number;
  lease_owner: string | null;
  lease_until: number;
  due_at: number;
  last_error: string | null;
}

async function rowOf(reference: string): Promise<Row> {
  const [row] = await readRows<Row>(
    home.url,
    'select * from service_pay_fulfilments where reference = ?',
    [reference],
  );
  return row!;
}

async function stallLeases(): Promise<() => void> {
  const renew = vi.spyOn(fulfilments, 'renew').mockRejectedValue(NO_RESPONSE);
  for (let seconds = 0; seconds < 10; seconds++) await clock.advance(1_000);
  return () => renew.mockRestore();
}

test('an order whose lease runs out while its success is written down is handed over once (T112)', async () => {
  let calls = 0;
  await payOrder(store, 'r', clock.now());
  const { release } = fulfilments;
  const stalled = Promise.withResolvers<void>();
  const finishes = vi.spyOn(fulfilments, 'release').mockImplementationOnce(async (...given) => {
    await stalled.promise;
    return release.apply(fulfilments, given);
  });
  const worker = startWorker(async () => {
    calls += 1;
  });
  await passTimeUntil(clock, () => expect(finishes).toHaveBeenCalled());

  const end = await stallLeases();
  expect((await rowOf('r')).lease_until).toBeLessThan(clock.now());
  stalled.resolve();
  end();

  await passTimeUntil(clock, async () => expect(await rowOf('r')).toMatchObject({ state: 'done' }));
  expect(calls).toBe(1);
  await worker.stop();
});

test('a call goes on where its lease ran out and nobody else has taken the order (T112)', async () => {
  const ended = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  await payOrder(store, 'r', clock.now());
  const worker = startWorker((_order, { signal }) => {
    signals.push(signal);
    return ended.promise;
  });
  await passTimeUntil(clock, () => expect(signals).toHaveLength(1));

  const end = await stallLeases();
  end();
  await passTimeUntil(clock, async () =>
    expect((await rowOf('r')).lease_until).toBeGreaterThan(clock.now()),
  );
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  ended.resolve();

  await passTimeUntil(clock, async () => expect(await rowOf('r')).toMatchObject({ state: 'done' }));
  expect(signals).toHaveLength(1);
  await worker.stop();
});

test.each([500, 2_500, 4_900])(
  'an order whose holder died is handed over within five seconds by a worker that was idle for %i ms (T111)',
  async (idleMs) => {
    let calledAt = 0;
    const { settle } = watchCalls();
    const worker = startWorker(async () => {
      calledAt = clock.now();
    });
    await settle();
    await clock.advance(idleMs);

    const diedAt = clock.now();
    await payOrder(store, 'r', diedAt);
    await fulfilments.claim({ owner: 'dead', now: diedAt, leaseMs: LEASE_MS, limit: 1 });
    for (; calledAt === 0; await settle()) await clock.advance(100);

    expect(calledAt - diedAt).toBeLessThanOrEqual(5_000);
    await worker.stop();
  },
);

test('a call is given up once another worker has taken its order over (T111)', async () => {
  const signals: AbortSignal[] = [];
  await payOrder(store, 'r', clock.now());
  const worker = startWorker((_order, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  await passTimeUntil(clock, () => expect(signals).toHaveLength(1));

  await fulfilments.claim({
    owner: 'other',
    now: clock.now() + LEASE_MS,
    leaseMs: 60_000,
    limit: 1,
  });

  await passTimeUntil(clock, () => expect(`${signals[0]!.reason}`).toMatch(/taken over the order/));
  await worker.stop();
  expect(await rowOf('r')).toMatchObject({ state: 'waiting', lease_owner: 'other' });
});

test.each([
  { name: 'claim' as const, deaths: 0, attempts: 1 },
  { name: 'claimSuspect' as const, deaths: 3, attempts: 4 },
])(
  'an order whose $name was made but got no response is fulfilled once, when that lease has ended (T112)',
  async ({ name, deaths, attempts }) => {
    let calls = 0;
    await payOrder(store, 'r', clock.now());
    for (let life = 0; life < deaths; life++)
      await fulfilments.claim({ owner: `life ${life}`, now: clock.now(), leaseMs: 0, limit: 1 });
    const claim = fulfilments[name].bind(fulfilments) as (...given: unknown[]) => Promise<unknown>;
    const claims = vi
      .spyOn(fulfilments, name)
      .mockImplementationOnce(async (...given: unknown[]) => {
        await claim(...given);
        throw NO_RESPONSE;
      });
    const worker = startWorker(async () => {
      calls += 1;
    });
    await passTimeUntil(clock, async () => {
      expect(claims).toHaveBeenCalled();
      expect(await rowOf('r')).toMatchObject({ attempts });
    });
    expect(calls).toBe(0);

    await passTimeUntil(clock, async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts }),
    );
    expect(calls).toBe(1);
    await worker.stop();
  },
);

test('an order whose tenth process died during the call is parked, and not called again (T112)', async () => {
  const called = vi.fn(async () => {});
  await payOrder(store, 'r', clock.now());
  for (let life = 1; life <= 10; life++) {
    await fulfilments.claim({ owner: `life ${life}`, now: clock.now(), leaseMs: 0, limit: 1 });
    if (life > 3)
      await fulfilments.claimSuspect({ owner: `life ${life}`, now: clock.now(), leaseMs: 0 });
    await clock.jump(3_600_000);
  }
  const worker = startWorker(called);

  await passTimeUntil(clock, async () =>
    expect(await rowOf('r')).toMatchObject({
      state: 'parked',
      last_error: 'The shop stopped, froze or lost its database during the call.',
    }),
  );
  expect(called).not.toHaveBeenCalled();
  await worker.stop();
});

test('a failed call that cannot be written down is followed by none until it is, and counts as every other (T112)', async () => {
  const attempts: number[] = [];
  let calledAt = 0;
  await payOrder(store, 'r', clock.now());
  const postpone = vi.spyOn(fulfilments, 'release').mockRejectedValue(NO_RESPONSE);
  const worker = startWorker(async () => {
    calledAt = clock.now();
    attempts.push((await rowOf('r')).attempts);
    throw new Error('The warehouse is closed.');
  });
  await passTimeUntil(clock, () => expect(postpone).toHaveBeenCalled());

  for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);
  // no other worker gets the order meanwhile
  await passTimeUntil(clock, async () =>
    expect((await rowOf('r')).lease_until).toBeGreaterThan(clock.now()),
  );
  expect(attempts).toEqual([1]);
  postpone.mockRestore();

  await passTimeUntil(clock, async () =>
    expect(await rowOf('r')).toMatchObject({ attempts: 2, lease_owner: null }),
  );
  expect((await rowOf('r')).due_at - calledAt).toBeGreaterThanOrEqual(4_000);
  expect(attempts).toEqual([1, 2]);
  await worker.stop();
});

test('a failed call that was stored without a response counts once, and is followed by none until that is known (T112)', async () => {
  const attempts: number[] = [];
  await payOrder(store, 'r', clock.now());
  const { release } = fulfilments;
  const postpones = vi.spyOn(fulfilments, 'release').mockImplementation(async (...given) => {
    await release.apply(fulfilments, given);
    throw NO_RESPONSE;
  });
  const worker = startWorker(async () => {
    attempts.push((await rowOf('r')).attempts);
    throw new Error('The warehouse is closed.');
  });
  await passTimeUntil(clock, () => expect(postpones).toHaveBeenCalled());

  for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);
  expect(attempts).toEqual([1]);
  postpones.mockRestore();

  await passTimeUntil(clock, async () =>
    expect(await rowOf('r')).toMatchObject({ attempts: 2, lease_owner: null }),
  );
  expect(attempts).toEqual([1, 2]);
  await worker.stop();
});

test('a shop stops in time also while a failure cannot be written down', async () => {
  await payOrder(store, 'r', clock.now());
  const postpone = vi.spyOn(fulfilments, 'release').mockRejectedValue(NO_RESPONSE);
  const worker = startWorker(async () => {
    throw new Error('The warehouse is closed.');
  });
  await passTimeUntil(clock, () => expect(postpone).toHaveBeenCalled());

  const signalledAt = clock.now();
  const stopped = vi.fn();
  void worker.stop().then(stopped);
  await passTimeUntil(clock, () => expect(stopped).toHaveBeenCalled());

  expect(clock.now() - signalledAt).toBeLessThan(PROCESS_LIVES_MS);
});

test('a shop that stops while a success cannot be written down goes on trying for as long as calls get to end in, and ends', async () => {
  await payOrder(store, 'r', clock.now());
  const finish = vi.spyOn(fulfilments, 'release').mockRejectedValue(NO_RESPONSE);
  const worker = startWorker(async () => {});
  await passTimeUntil(clock, () => expect(finish).toHaveBeenCalled());

  const tries = finish.mock.calls.length;
  const stopped = vi.fn();
  const stopping = worker.stop().then(stopped);
  await passTimeUntil(clock, () => expect(stopped).toHaveBeenCalled());
  await stopping;

  expect(finish.mock.calls.length).toBeGreaterThanOrEqual(tries + 3);
});

test('a function that throws at once leaves nothing behind, and one that hangs is given back once the stopped process has ended (T112)', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  for (const reference of ['throws', 'hangs']) await payOrder(store, reference, clock.now());
  const called = new Set<string>();
  const worker = startWorker(({ reference }) => {
    called.add(reference);
    if (reference === 'throws') throw new Error('The warehouse is closed.');
    return new Promise(() => {});
  });
  await passTimeUntil(clock, async () => {
    expect(called.size).toBe(2);
    expect(await rowOf('throws')).toMatchObject({ lease_owner: null });
  });

  const stopped = vi.fn();
  const stopping = worker.stop().then(stopped);
  await passTimeUntil(clock, () => expect(stopped).toHaveBeenCalled());
  await stopping;

  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
  expect(await rowOf('throws')).toMatchObject({ state: 'waiting', lease_owner: null });
  expect(await rowOf('hangs')).toMatchObject({
    state: 'waiting',
    attempts: 1,
    lease_owner: null,
    last_error: 'Error: The shop shut down before the call ended.',
  });
});

test.each(['fails', 'returns'])(
  'an order whose call ignores its signal is called again once that call %s, and not before (T112)',
  async (end) => {
    const ending = Promise.withResolvers<void>();
    const called = vi.fn(() => (called.mock.calls.length > 1 ? Promise.resolve() : ending.promise));
    await payOrder(store, 'r', clock.now());
    const worker = startWorker(called);

    await passTimeUntil(
      clock,
      async () =>
        expect(await rowOf('r')).toMatchObject({
          lease_owner: null,
          attempts: 1,
          last_error: 'Error: The call took longer than a minute.',
        }),
      1_000,
    );
    for (let minute = 0; minute < 5; minute++) await clock.advance(60_000);
    expect(called).toHaveBeenCalledOnce();
    if (end === 'fails') ending.reject(new Error('The warehouse is closed.'));
    else ending.resolve();

    await passTimeUntil(clock, async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 2 }),
    );
    expect(called).toHaveBeenCalledTimes(2);
    await worker.stop();
  },
);

test('an order whose tenth call is stopped is parked with that cause', async () => {
  await payOrder(store, 'r', clock.now());
  for (let attempt = 1; attempt < 10; attempt++) {
    const [held] = await fulfilments.claim({
      owner: 'me',
      now: clock.now(),
      leaseMs: LEASE_MS,
      limit: 1,
    });
    await fulfilments.release(held!, 'me', { last_error: 'Error: The warehouse is closed.' });
  }
  const called = vi.fn((_order: unknown, { signal }: { signal: AbortSignal }) =>
    once(signal, 'abort').then(() => Promise.reject(new Error('aborted'))),
  );
  const worker = startWorker(called);
  await passTimeUntil(clock, () => expect(called).toHaveBeenCalled());

  const stopped = vi.fn();
  void worker.stop().then(stopped);
  await passTimeUntil(clock, () => expect(stopped).toHaveBeenCalled());

  expect(await rowOf('r')).toMatchObject({
    state: 'parked',
    last_error: 'Error: The shop shut down before the call ended.',
  });
});

test('a call that outlasts the stop of its shop is not made by another while the stopped process may still live (T112)', async () => {
  await payOrder(store, 'r', clock.now());
  const called = vi.fn();
  const old = startWorker(() => {
    called();
    return new Promise(() => {});
  });
  await passTimeUntil(clock, () => expect(called).toHaveBeenCalled());
  const signalledAt = clock.now();
  const calledAgainAt: number[] = [];
  const other = startWorker(async () => void calledAgainAt.push(clock.now()));

  const stopped = vi.fn();
  const stopping = old.stop().then(stopped);
  await passTimeUntil(clock, () => expect(stopped).toHaveBeenCalled());
  await stopping;
  await passTimeUntil(clock, async () =>
    expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 2 }),
  );

  expect(calledAgainAt).toHaveLength(1);
  expect(calledAgainAt[0]! - signalledAt).toBeGreaterThanOrEqual(PROCESS_LIVES_MS);
  await other.stop();
});

test('a worker that stops while a suspect is looked for has made its call when it has stopped', async () => {
  const events: string[] = [];
  await payOrder(store, 'suspect', clock.now());
  for (let life = 0; life < 3; life++) {
    await fulfilments.claim({ owner: `life ${life}`, now: clock.now(), leaseMs: 1_000, limit: 1 });
    await clock.advance(1_000);
  }
  const finished = Promise.withResolvers<void>();
  const { claimSuspect } = fulfilments;
  const looks = vi.spyOn(fulfilments, 'claimSuspect').mockImplementationOnce(async (...given) => {
    const claimed = await claimSuspect.apply(fulfilments, given);
    await finished.promise;
    return claimed;
  });
  const worker = startWorker(async () => void events.push('called'));
  await passTimeUntil(clock, () => expect(looks).toHaveBeenCalled());

  const stopping = worker.stop().then(() => events.push('stopped'));
  await new Promise(setImmediate);
  finished.resolve();
  await stopping;

  await vi.waitFor(
    async () => expect(await rowOf('suspect')).toMatchObject({ state: 'done' }),
    PATIENT,
  );
  expect(events).toEqual(['called', 'stopped']);
});

test('a worker that stops while orders are looked for looks for no suspect any more', async () => {
  const claimed = Promise.withResolvers<[]>();
  vi.spyOn(fulfilments, 'claim').mockReturnValueOnce(claimed.promise);
  const looks = vi.spyOn(fulfilments, 'claimSuspect');
  const stopping = startWorker(async () => {}).stop();
  claimed.resolve([]);
  await stopping;

  expect(looks).not.toHaveBeenCalled();
});

test('stores why a call failed on one line without its stack, masked, and cut to 500 characters', async () => {
  const words = `Order for 4242 4242\u200b 4242 4242,\u0000 token ${TOKEN}:\n${'y'.repeat(600)}`;
  await payOrder(store, 'r', clock.now());
  const worker = startWorker(async () => {
    throw new TypeError(words);
  });

  await passTimeUntil(clock, async () => expect(await rowOf('r')).toMatchObject({ attempts: 2 }));
  const { last_error } = await rowOf('r');

  expect(last_error).toMatch(/^TypeError: Order for \[digits\], token \[secret\]: y+$/);
  expect(last_error).toHaveLength(500);
  await worker.stop();
});
