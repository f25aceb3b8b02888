import { describe, expect, type onTestFinished, test, vi } from 'vitest';
import { buildTestLog, passTimeUntil, payOrder } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { openSlowCommits } from '../../test/slow-commits.ts';
import { openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { PaymentFeed } from '../payments/payment-feed.ts';
import { PaymentStore } from '../payments/store.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, readRows } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './store.ts';
import { FulfilmentWorker } from './worker.ts';

const RESPOND_WITHIN_MS = 1_000;
const LATE_MS = 1_250;

interface Row {
  state: string;
  attempts: number;
  due_at: number;
  lease_until: number;
}

/** Makes an order that is paid, and what a worker needs on a database whose commits may be slow. */
async function setUp(end: typeof onTestFinished) {
  const home = await makeDatabaseUrl('postgres');
  end(home.drop);
  const slow = await openSlowCommits(home.url);
  end(slow.close);
  const clock = new ManualClock();
  const patient = await openDatabase(home.url, PATIENT_DATABASE);
  await payOrder(new PaymentStore(patient), 'r', clock.now());
  await patient.close();
  const database = await openDatabase(slow.url, { respondWithinMs: RESPOND_WITHIN_MS });
  end(database.close);
  const metrics = new Metrics();
  const lines: string[] = [];
  return {
    slow,
    clock,
    metrics,
    lines,
    startWorker(fulfil: Fulfil) {
      const worker = new FulfilmentWorker({
        mostAtOnce: 100,
        fulfilments: new FulfilmentStore(database),
        feed: new PaymentFeed(),
        fulfil,
        metrics,
        clock,
        log: buildTestLog(lines),
      });
      worker.start();
      end(() => worker.stop());
    },
    async readRow(): Promise<Row> {
      const statement = 'select * from service_pay_fulfilments';
      return (await readRows<Row>(home.url, statement))[0]!;
    },
  };
}

describe
  .skipIf(POSTGRES_IS_MISSING)
  .concurrent('where commits take longer than anybody waits', () => {
    test('a paid order is fulfilled in its first attempt once commits are quicker than the limit again', async ({
      onTestFinished,
    }) => {
      const { slow, clock, startWorker, readRow } = await setUp(onTestFinished);
      let calls = 0;
      slow.delayMs = LATE_MS;
      startWorker(async () => {
        calls += 1;
      });

      await passTimeUntil(clock, async () =>
        expect(await readRow()).toMatchObject({ attempts: 1 }),
      );
      slow.delayMs = 0;
      await passTimeUntil(clock, async () =>
        expect(await readRow()).toMatchObject({ state: 'done', attempts: 1 }),
      );

      expect(calls).toBe(1);
    });

    test('where commits take longer than anybody waits, an order whose call failed is called again when they are quicker, and not before its time', async ({
      onTestFinished,
    }) => {
      const { slow, clock, startWorker, readRow } = await setUp(onTestFinished);
      const calledAt: number[] = [];
      startWorker(async () => {
        calledAt.push(clock.now());
        if (calledAt.length > 1) return;
        slow.delayMs = LATE_MS;
        throw new Error('The warehouse is closed.');
      });

      await passTimeUntil(clock, async () =>
        expect(await readRow()).toMatchObject({ attempts: 1, lease_until: 0 }),
      );
      slow.delayMs = 0;
      await passTimeUntil(clock, async () =>
        expect(await readRow()).toMatchObject({ state: 'done', attempts: 2 }),
      );

      expect(calledAt[1]! - calledAt[0]!).toBeGreaterThanOrEqual(2_000);
      expect(calledAt).toHaveLength(2);
    });

    test('where commits take longer than anybody waits, an order that is parked then raises its one alert', async ({
      onTestFinished,
    }) => {
      const { slow, clock, metrics, lines, startWorker, readRow } = await setUp(onTestFinished);
      let calls = 0;
      startWorker(async () => {
        calls += 1;
        if (calls === 10) slow.delayMs = LATE_MS;
        throw new Error('The warehouse is closed.');
      });

      await vi.waitFor(async () => {
        const row = await readRow();
        if (row.state === 'waiting') await clock.jump(Math.max(50, row.due_at - clock.now()));
        expect(row).toMatchObject({ state: 'parked', attempts: 10 });
      }, PATIENT);
      await vi.waitFor(
        () => expect(lines.some((line) => line.includes('"result":"parked"'))).toBe(true),
        PATIENT,
      );
      slow.delayMs = 0;
      await passTimeUntil(clock, async () =>
        expect((await metrics.text()).own).toContain(
          'service_pay_alerts_total{reason="fulfilment_parked"} 1',
        ),
      );

      expect(calls).toBe(10);
      expect(lines.filter((line) => line.includes('order parked'))).toHaveLength(1);
    });
  });
