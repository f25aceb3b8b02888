import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPayments } from '../../test/payments.ts';
import type { Payments } from '../index.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { startUpstream } from '../testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'guest', data: 'honey' };
const DAY = 24 * 60 * 60_000;

describe.each(DATABASES)('payments on %s', (kind) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let clock: ManualClock;
  let payments: Payments<string>;

  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    clock = new ManualClock();
    service = await startUpstream((_req, res) => {
      res.statusCode = 404;
      res.end('{"status":false,"message":"not found","errorCode":"11"}');
    });
    payments = await openPayments<string>({
      apiUrl: service.url,
      database: database.url,
      clock,
      background: false,
    });
  });

  afterEach(async () => {
    await payments.close();
    await service.close();
    await database.drop();
  });

  const openOf = async (owner: string) => (await payments.findOpen({ owner }))?.reference;

  test("payments move a guest's orders to the account that signs in, with the keys that find them again (D64, T150)", async () => {
    const { reference } = await payments.create({ ...ORDER, idempotencyKey: 'one' });
    const owners = { from: 'guest', to: 'ann' };

    expect(await payments.changeOwner(owners)).toBe(1);
    expect(await openOf('ann')).toBe(reference);
    expect(await openOf('guest')).toBeUndefined();
    await expect(payments.find(reference, { owner: 'guest' })).rejects.toThrow('no order');
    const again = await payments.create({ ...ORDER, owner: 'ann', idempotencyKey: 'one' });
    expect(again.reference).toBe(reference);

    expect(await payments.changeOwner(owners)).toBe(0);
    const late = await payments.create({ ...ORDER, idempotencyKey: 'two' }); // of a tab that did not know
    expect(await payments.changeOwner(owners)).toBe(1);
    expect(await payments.list({ owner: 'ann' })).toHaveLength(2);
    expect((await payments.retry(late.reference, { owner: 'ann' })).isNew).toBe(false);
  });

  test("payments keep the account's order under a key that guest and account both used", async () => {
    await payments.create({ ...ORDER, idempotencyKey: 'one' });
    const own = await payments.create({ ...ORDER, owner: 'ann', idempotencyKey: 'one' });
    await payments.changeOwner({ from: 'guest', to: 'ann' });

    const found = await payments.create({ ...ORDER, owner: 'ann', idempotencyKey: 'one' });
    expect(found.reference).toBe(own.reference);
    expect(await payments.list({ owner: 'ann' })).toHaveLength(2);
    const fresh = await payments.create({ ...ORDER, idempotencyKey: 'one' });
    expect(fresh.owner).toBe('guest');
  });

  test('payments leave everything as it is if both owners are the same, and name an owner that is none', async () => {
    const { reference } = await payments.create({ ...ORDER, idempotencyKey: 'one' });
    expect(await payments.changeOwner({ from: 'guest', to: 'guest' })).toBe(0);
    expect(await openOf('guest')).toBe(reference);

    await expect(payments.changeOwner({ from: '', to: 'ann' })).rejects.toThrow('from must be');
    await expect(payments.changeOwner({ from: 'guest', to: '' })).rejects.toThrow('to must be');
  });

  test('payments that nobody tried to pay for a day are still found as open, and for 30 days at most (D61)', async () => {
    const { reference } = await payments.create(ORDER);
    await clock.jump(2 * DAY);
    const { shown } = await payments.confirm(reference, { owner: 'guest' });
    expect(shown.status).toBe('failed'); // expired
    expect(await openOf('guest')).toBe(reference);

    await clock.jump(31 * DAY);
    expect(await openOf('guest')).toBeUndefined();
  });
});
