import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShopCommand } from '../../test/command.ts';
import { startTestShop, type TestShop } from '../../test/shop.ts';
import { type Clock, realClock } from '../support/clock.ts';
import { POSTGRES_IS_MISSING } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const HOUR_MS = 3_600_000;

const FIVE_HOURS_AHEAD: Clock = { ...realClock, now: () => realClock.now() + 5 * HOUR_MS };

describe.skipIf(POSTGRES_IS_MISSING)(
  'what a person writes from a machine whose clock is hours ahead, on PostgreSQL',
  () => {
    let upstream: Awaited<ReturnType<typeof startUpstream>>;
    let shop: TestShop;
    let amount = '92.50';

    const run = (command: 'orders' | 'replay', ...words: string[]) =>
      runShopCommand(command, shop.config, words, {}, { clock: FIVE_HOURS_AHEAD });

    beforeAll(async () => {
      upstream = await startUpstream((req, res) =>
        res.end(collectionResponse(req.url ?? '', { amount })),
      );
      const standing = new ManualClock(Date.now()); // so that nobody but a command does anything
      shop = await startTestShop(upstream.url, { clock: standing }, {}, 'postgres');
    });

    afterAll(async () => {
      await shop.close();
      await upstream.close();
    });

    async function expectAtOnce(reference: string): Promise<void> {
      const [row] = await shop.rows<{ movedAt: number; dueAt: number }>(
        'select moved_at as "movedAt", due_at as "dueAt" from service_pay_payments join service_pay_fulfilments using (reference) where reference = ?',
        reference,
      );
      expect(row?.movedAt).toBeLessThan(Date.now() + HOUR_MS);
      expect(row?.dueAt).toBeLessThan(Date.now() + HOUR_MS);
    }

    test('service-pay replay plans by the time of the database (T111)', async () => {
      amount = '92.50';
      const reference = await shop.browser().order();

      const { code, stdout, stderr } = await run('replay', '--reference', reference);

      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining(`${reference} was awaiting-payment and is now paid.`),
      });
      expect(stderr).toContain('clock skew; using database time');
      await expectAtOnce(reference);
    });

    test('service-pay orders accepts and redrives by the time of the database (T111)', async () => {
      amount = '1.00';
      const reference = await shop.browser().order();
      await run('replay', '--reference', reference);

      expect(await run('orders', 'accept', reference)).toMatchObject({ code: 0 });
      await expectAtOnce(reference);
      await shop.rows(
        `update service_pay_fulfilments set state = 'parked' where reference = ? returning state`,
        reference,
      );

      expect(await run('orders', 'redrive', reference)).toMatchObject({ code: 0 });
      await expectAtOnce(reference);
    });
  },
);
