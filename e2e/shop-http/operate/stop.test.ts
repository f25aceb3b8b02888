import {
  collectionResponse,
  DATABASES,
  makeDatabaseUrl,
  readRows,
  startUpstream,
  type TestDatabase,
} from '@service-pay/server/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { writeRows } from '../../lab/rows.ts';
import { shopEnvironment } from '../../lab/shop-launcher.ts';
import { postWebhook, TestBrowser } from '../shop.ts';
import { ShopProgram } from '../shop-program.ts';

const NO_SUCCESS = {
  sqlite: {
    begin: [
      "create trigger if not exists no_success before update on service_pay_fulfilments when new.state = 'done' begin select raise(abort, 'not now'); end",
    ],
    end: 'drop trigger if exists no_success',
  },
  postgres: {
    begin: [
      "create or replace function reject() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$",
      "create or replace trigger no_success before update on service_pay_fulfilments for each row when (new.state = 'done') execute function reject()",
    ],
    end: 'drop trigger if exists no_success on service_pay_fulfilments',
  },
};

describe.each(DATABASES)('a shop that gets a signal to stop with work left, on %s', (kind) => {
  let database: TestDatabase;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let shop: ShopProgram;
  let status: string;

  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    upstream = await startUpstream((req, res) =>
      res.end(collectionResponse(req.url ?? '', { status })),
    );
    shop = new ShopProgram(
      shopEnvironment({ databaseUrl: database.url, serviceUrl: upstream.url }),
    );
  });

  afterEach(async () => {
    await shop.end('SIGKILL');
    await upstream.close();
    await database.drop();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'a stopping shop records what was fulfilled, even if it could not at once (%s, T93)',
    async (signal) => {
      status = 'successful';
      const browser = new TestBrowser(await shop.url);
      const reference = await browser.order();
      for (const statement of NO_SUCCESS[kind].begin) await writeRows(database.url, statement);

      await browser.verify(reference);
      await vi.waitFor(
        () => expect(shop.logged('fulfilment result not recorded, will retry')).toHaveLength(1),
        PATIENT,
      );
      shop.signal(signal);
      await vi.waitFor(() => expect(shop.logged('shutting down')).toHaveLength(1), PATIENT);
      await writeRows(database.url, NO_SUCCESS[kind].end);

      expect(await shop.exit).toBe(0);
      expect(
        await readRows(database.url, 'select reference, state from service_pay_fulfilments'),
      ).toEqual([{ reference, state: 'done' }]);
      expect(shop.logged('goods shipped')).toHaveLength(1);
    },
  );

  test('a stopping shop verifies a payment whose webhook it accepted, even if it verified it a moment ago (T93)', async () => {
    status = 'pending';
    const url = await shop.url;
    const browser = new TestBrowser(url);
    const reference = await browser.order();
    await browser.verify(reference);
    const before = upstream.calls.length;
    status = 'successful';

    expect(await postWebhook({ url }, reference)).toBe(200);
    const code = await shop.end('SIGINT');

    expect(code).toBe(0);
    expect(upstream.calls.length).toBeGreaterThan(before);
    expect(
      await readRows(database.url, 'select reference, state from service_pay_payments'),
    ).toEqual([{ reference, state: 'paid' }]);
  });
});
