import { makeDatabaseUrl, POSTGRES_IS_MISSING } from '@service-pay/server/testing';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop, TestBrowser } from '../shop.ts';

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

describe('a shop that starts', () => {
  test.skipIf(POSTGRES_IS_MISSING)(
    'a starting shop responds to everybody it lets in while it tidies up in a slow database',
    async () => {
      const { url: DATABASE_URL, drop } = await makeDatabaseUrl('postgres');
      closers.push(drop);
      await (await startTestShop('http://localhost:9', {}, { DATABASE_URL })).close(); // makes the tables
      const holder = new pg.Client({ connectionString: DATABASE_URL });
      await holder.connect();
      closers.push(() => holder.end());
      await holder.query('begin');
      await holder.query('lock table service_pay_fulfilments in access exclusive mode');
      const PORT = String(await findFreePort());

      const starting = startTestShop(
        'http://localhost:9',
        { hooks: { respondWithinMs: undefined } },
        { DATABASE_URL, PORT },
      );
      closers.push(async () => (await starting).close());
      const response = await vi.waitFor(
        () => new TestBrowser(`http://localhost:${PORT}`).get('/healthz'),
        PATIENT,
      );

      expect(response.status).toBe(200);
    },
  );
});
