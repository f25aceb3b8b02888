import type { ServerResponse } from 'node:http';
import type { ShopParts } from '@service-pay/bff-example/server';
import { realClock } from '@service-pay/server';
import {
  collectionResponse,
  DATABASES,
  ManualClock,
  makeDatabaseUrl,
  startUpstream,
  type TestDatabase,
} from '@service-pay/server/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { postWebhook, startTestShop, type TestBrowser, type TestShop } from '../shop.ts';

const HOUR_MS = 60 * 60_000;

let closers: (() => Promise<void>)[];
let database: TestDatabase;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let respond: (path: string, res: ServerResponse) => void;

beforeEach(async () => {
  respond = (path, res) => void res.end(collectionResponse(path));
  upstream = await startUpstream((req, res) => respond(req.url ?? '', res));
  closers = [upstream.close];
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function startTwo(
  kind: (typeof DATABASES)[number],
  parts: ShopParts = {},
  otherParts: ShopParts = {},
): Promise<[TestShop, TestShop]> {
  database = await makeDatabaseUrl(kind);
  closers.push(database.drop);
  const settings = { DATABASE_URL: database.url };
  const one = await startTestShop(upstream.url, parts, settings);
  closers.push(one.close);
  const other = await startTestShop(upstream.url, otherParts, settings);
  closers.push(other.close);
  return [one, other];
}

function visitBoth(
  one: TestShop,
  other: TestShop,
): { here: TestBrowser; there: TestBrowser; meet(): Promise<void> } {
  const [here, there] = [one.browser(), other.browser()];
  return {
    here,
    there,
    async meet() {
      await here.get('/');
      there.cookie = here.cookie;
    },
  };
}

const fulfilments = (shop: TestShop, reference: string) =>
  shop.rows<{ state: string; attempts: number }>(
    'select state, attempts from service_pay_fulfilments where reference = ?',
    reference,
  );

describe.each(DATABASES)('two shops on one %s', (kind) => {
  test('two instances fulfil an order once, however many verify it and whatever the service reports (T107, T75, B28)', async () => {
    let calls = 0;
    const statuses = ['pending', 'failed', 'successful'];
    respond = (path, res) => {
      calls += 1;
      res.end(collectionResponse(path, { status: statuses[Math.min(calls, statuses.length) - 1] }));
    };
    const [one, other] = await startTwo(kind);
    const readTurns = kind === 'postgres' ? await noteTurns() : undefined;
    const { here, there, meet } = visitBoth(one, other);
    await meet();
    const reference = await here.order();

    const reported = Array.from({ length: 20 }, (_, at) =>
      postWebhook(at % 2 ? one : other, reference, `news-${at}`),
    );
    const verified = Array.from({ length: 20 }, (_, at) =>
      (at % 2 ? here : there).verify(reference),
    );
    expect(new Set(await Promise.all(reported))).toEqual(new Set([200]));
    expect(new Set((await Promise.all(verified)).map(({ status }) => status))).not.toContain(500);

    await vi.waitFor(async () => {
      await Promise.all([
        postWebhook(one, reference, `again-${calls}`),
        postWebhook(other, reference, `more-${calls}`),
      ]);
      expect(await one.stateOf(reference)).toBe('paid');
    }, PATIENT);
    await vi.waitFor(
      async () =>
        expect(await fulfilments(one, reference)).toEqual([{ state: 'done', attempts: 1 }]),
      PATIENT,
    );
    // Two processes on one file keep to it each by itself. Calls of several take turns, and by the
    // time these were given out: a call may be late by as long as the machine is busy.
    if (readTurns) {
      const turns = await readTurns();
      expect(calls).toBeLessThanOrEqual(turns.length);
      for (const [at, turn] of turns.slice(1).entries())
        expect(turn - turns[at]!).toBeGreaterThanOrEqual(2_000);
    }
    const before = upstream.calls.length;
    await Promise.all([here.verify(reference), there.verify(reference)]);
    expect(upstream.calls).toHaveLength(before);
  });

  test('one instance shows within three seconds what was paid at the other (T111)', async () => {
    respond = (_path, res) =>
      void res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
    const clock = new ManualClock();
    const [one, other] = await startTwo(kind, {}, { clock });
    const { here, there, meet } = visitBoth(one, other);
    await meet();
    const reference = await here.order();
    const stream = await there.open('GET', `/api/payments/${reference}/events`);
    await vi.waitFor(() => expect(upstream.calls.at(-1)).toContain(reference), PATIENT);

    respond = (path, res) => void res.end(collectionResponse(path));
    await postWebhook(one, reference, 'paid');
    await vi.waitFor(async () => expect(await one.stateOf(reference)).toBe('paid'), PATIENT);
    await clock.advance(3_000);

    expect(await stream.text()).toContain('"status":"successful"');
  });
});

describe.skipIf(!DATABASES.includes('postgres'))('on PostgreSQL', () => {
  test('an instance whose clock is an hour off plans by the time of the database (T111)', async () => {
    const [ahead] = await startTwo('postgres', {
      clock: { ...realClock, now: () => realClock.now() + HOUR_MS },
    });

    const reference = await ahead.browser().order();

    const [row] = await ahead.rows<{ check_at: number; created_at: number }>(
      'select check_at, created_at from service_pay_payments where reference = ?',
      reference,
    );
    expect(Math.abs(row!.created_at - realClock.now())).toBeLessThan(HOUR_MS / 2);
    expect(Math.abs(row!.check_at - realClock.now())).toBeLessThan(HOUR_MS / 2);
    expect(ahead.lines.some((line) => line.includes('clock skew'))).toBe(true);
  });
});

async function noteTurns(): Promise<() => Promise<number[]>> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  closers.push(() => client.end());
  await client.query(`
    create table turns (at bigint);
    create function note_turn() returns trigger language plpgsql as $$
      begin insert into turns values (new.asked_at); return null; end $$;
    create trigger note_turn after insert or update on service_pay_asks for each row execute function note_turn()`);
  return async () =>
    (await client.query<{ at: string }>('select at from turns order by at')).rows.map(({ at }) =>
      Number(at),
    );
}
