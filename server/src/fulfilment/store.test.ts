import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payOrder } from '../../test/parts.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { PaymentStore } from '../payments/store.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { FulfilmentStore } from './store.ts';

const NOW = 1_767_225_600_000;

let home: TestDatabase;
let database: Database;
let fulfilments: FulfilmentStore;

describe.each(DATABASES)('the store of fulfilments on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    database = await openDatabase(home.url, PATIENT_DATABASE);
    fulfilments = new FulfilmentStore(database);
    const store = new PaymentStore(database);
    for (const reference of ['a', 'b', 'c']) await payOrder(store, reference, NOW);
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  const readAll = () =>
    readRows(home.url, 'select * from service_pay_fulfilments order by order_id');

  test('the store of fulfilments renews a lease for its holder alone, whatever the others try at the same time (T111)', async () => {
    const [a, b, c] = (
      await fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 60_000, limit: 3 })
    ).sort((one, other) => (one.orderId < other.orderId ? -1 : 1));
    await fulfilments.release(c!, 'me', { state: 'done', done_at: 1 });
    const before = (await readAll()) as { order_id: string; lease_until: number }[];

    const renewed = await Promise.all([
      fulfilments.renew([a!, { ...b!, leaseVersion: 2 }, c!], {
        owner: 'me',
        now: NOW,
        leaseMs: 120_000,
      }),
      fulfilments.renew([b!], { owner: 'another', now: NOW, leaseMs: 120_000 }),
    ]);

    expect(renewed).toEqual([new Set(['a']), new Set()]);
    const after = (await readAll()) as typeof before;
    expect(after[0]!.lease_until).toBeGreaterThan(before[0]!.lease_until);
    expect(after.slice(1)).toEqual(before.slice(1));
  });

  test.skipIf(kind === 'sqlite')(
    'the store of fulfilments renews the other leases while somebody holds the row of one, which counts as held (T112)',
    async () => {
      const claimed = await fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 60_000, limit: 3 });
      const holder = new pg.Client({ connectionString: home.url });
      await holder.connect();
      await holder.query(
        "begin; select 1 from service_pay_fulfilments where order_id = 'b' for update",
      );
      const leasesEnd = async () =>
        ((await readAll()) as { lease_until: number }[]).map((row) => row.lease_until);
      const before = await leasesEnd();

      const renewed = await fulfilments.renew(claimed, { owner: 'me', now: NOW, leaseMs: 120_000 });
      await holder.end();

      expect(renewed).toEqual(new Set(['a', 'b', 'c']));
      const after = await leasesEnd();
      expect(after.map((until, at) => until > before[at]!)).toEqual([true, false, true]);
    },
  );

  test('the store of fulfilments counts one attempt for claims that one owner makes again and again, and one for each other owner', async () => {
    const claimA = async (owner: string) =>
      (await fulfilments.claim({ owner, now: NOW, leaseMs: 0, limit: 9 })).find(
        ({ orderId }) => orderId === 'a',
      )?.attempts;
    const attempts = [];
    for (const owner of ['one', 'one', 'one', 'other', 'other', 'one'])
      attempts.push(await claimA(owner));

    expect(attempts).toEqual([1, 1, 1, 2, 2, 3]);
    expect(await claimA('one')).toBeUndefined();
    expect(await fulfilments.claimSuspect({ owner: 'one', now: NOW, leaseMs: 0 })).toMatchObject({
      attempts: 3,
    });
    expect(
      await fulfilments.claimSuspect({ owner: 'other', now: NOW, leaseMs: 60_000 }),
    ).toMatchObject({ attempts: 4 });
  });

  test('the store of fulfilments notes that a holder has ended when another takes over from it, and keeps other errors', async () => {
    const readError = async () => ((await readAll())[0] as { last_error: string }).last_error;
    const [held] = await fulfilments.claim({ owner: 'one', now: NOW, leaseMs: 0, limit: 1 });
    await fulfilments.claim({ owner: 'one', now: NOW, leaseMs: 0, limit: 1 });
    expect(await readError()).toBeNull();

    const [taken] = await fulfilments.claim({ owner: 'other', now: NOW, leaseMs: 0, limit: 1 });
    expect(await readError()).toBe('The shop stopped, froze or lost its database during the call.');
    expect(taken!.orderId).toBe(held!.orderId);
    await fulfilments.release(taken!, 'other', { due_at: NOW, last_error: 'Error: no stock' });
    await fulfilments.claim({ owner: 'one', now: NOW, leaseMs: 0, limit: 1 });
    expect(await readError()).toBe('Error: no stock');
  });

  test('the store of fulfilments does not give its owner what it has in hand already, though the lease ran out (T112)', async () => {
    await fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 0, limit: 9 });

    const claimed = await fulfilments.claim({
      owner: 'me',
      now: NOW,
      leaseMs: 0,
      limit: 9,
      running: ['a', 'c'],
    });

    expect(claimed.map(({ orderId }) => orderId)).toEqual(['b']);
    for (const owner of ['x', 'y', 'z'])
      await fulfilments.claim({ owner, now: NOW, leaseMs: 0, limit: 9 });
    expect(
      await fulfilments.claimSuspect({ owner: 'me', now: NOW, leaseMs: 0, running: ['a', 'c'] }),
    ).toMatchObject({
      orderId: 'b',
    });
  });

  test('the store of fulfilments closes an order or lets a worker claim it, and never both at the same time', async () => {
    const close = (reference: string) =>
      fulfilments.close({ reference, who: 'ann', reason: 'refunded', now: NOW });
    const closeAll = async () => {
      const closed = [];
      for (const one of ['b', 'a', 'c']) if (await close(one)) closed.push(one);
      return closed;
    };

    const [claimed, closed] = await Promise.all([
      fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 60_000, limit: 2 }),
      closeAll(),
    ]);
    const ids = claimed.map(({ orderId }) => orderId);

    expect([...ids, ...closed].toSorted()).toEqual(['a', 'b', 'c']);
    expect(await fulfilments.renew(claimed, { owner: 'me', now: NOW, leaseMs: 60_000 })).toEqual(
      new Set(ids),
    );
    for (const one of closed)
      expect(await fulfilments.redrive({ reference: one, who: 'ann', now: NOW })).toBe(false);
    for (const one of ids) expect(await close(one)).toBe(false);
    expect(
      await fulfilments.claim({ owner: 'other', now: NOW, leaseMs: 60_000, limit: 9 }),
    ).toEqual([]);
  });

  test('the store of fulfilments keeps an order closed if a worker that lost its lease reports the result later (T111)', async () => {
    const [lost] = await fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 0, limit: 1 });

    const { reference } = lost!;
    const isClosed = await fulfilments.close({ reference, who: 'ann', reason: 'x', now: NOW });

    expect(isClosed).toBe(true);
    expect(await fulfilments.release(lost!, 'me', { due_at: NOW })).toBe(false);
    expect(await fulfilments.findNextDue(NOW)).toBe(NOW); // of the other two
    const taken = await fulfilments.claim({ owner: 'me', now: NOW, leaseMs: 60_000, limit: 9 });
    expect(taken.map(({ orderId }) => orderId)).not.toContain(lost!.orderId);
  });

  test.each(['finish', 'postpone', 'park'] as const)(
    'the store of fulfilments rejects a late %s under a lease that its owner has lost and claimed anew (T111)',
    async (write) => {
      const [lost] = await fulfilments.claim({ owner: 'one', now: NOW, leaseMs: 0, limit: 1 });
      const [held] = await fulfilments.claim({ owner: 'one', now: NOW, leaseMs: 60_000, limit: 1 });
      const before = await readAll();
      const writeAs = (claim: typeof lost) =>
        write === 'postpone'
          ? fulfilments.release(claim!, 'one', { due_at: NOW + 5_000 })
          : write === 'finish'
            ? fulfilments.release(claim!, 'one', { state: 'done', done_at: NOW })
            : fulfilments.release(claim!, 'one', { state: 'parked' });

      expect(await writeAs(lost)).toBe(false);
      expect(await readAll()).toEqual(before);
      expect(held!.orderId).toBe(lost!.orderId);
      expect(await writeAs(held)).toBe(true);
    },
  );
});
