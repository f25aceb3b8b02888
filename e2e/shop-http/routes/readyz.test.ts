import {
  collectionResponse,
  DATABASES,
  ManualClock,
  startUpstream,
} from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop } from '../shop.ts';

async function lockWrites(databaseUrl: string): Promise<() => Promise<void>> {
  if (databaseUrl.startsWith('file:')) {
    const file = new SqliteFile(databaseUrl.slice('file:'.length));
    file.exec('begin immediate');
    return async () => void file.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin; lock table service_pay_idempotency_keys in share mode');
  return () => client.end();
}

describe.each(DATABASES)('/readyz on %s', (kind) => {
  test('/readyz says soon that reading works and writing does not, and that it works again (T122)', async () => {
    const shop = await startTestShop(
      'http://127.0.0.1:1',
      { hooks: { respondWithinMs: undefined } },
      {},
      kind,
    );
    const browser = shop.browser();
    const reference = await browser.order();
    const says = (status: number) =>
      vi.waitFor(async () => expect((await browser.get('/readyz')).status).toBe(status), PATIENT);
    await says(200);

    const unlock = await lockWrites(shop.config.databaseUrl);
    await says(503);
    const page = await browser.get(`/payments/return?reference=${reference}`);
    await unlock();

    expect(page.status).toBe(200);
    await says(200);
    expect(await shop.rows("select * from service_pay_idempotency_keys where owner = ''")).toEqual(
      [],
    );
    await shop.close();
  });
});

describe('/readyz', () => {
  test('/readyz says that the service is not called for a while after repeated failures, and that it is called again (D53)', async () => {
    let isWell = false;
    const clock = new ManualClock();
    const upstream = await startUpstream((req, res) => {
      if (isWell) res.end(collectionResponse(req.url ?? '', { status: 'pending' }));
      else res.destroy();
    });
    const shop = await startTestShop(upstream.url, { clock });
    const browser = shop.browser();
    const isReported = (data: object) =>
      vi.waitFor(async () => {
        await browser.verify(await browser.order());
        expect(await browser.get('/readyz')).toMatchObject({ status: 200, json: { data } });
      }, PATIENT);

    await isReported({ database: 'reachable', service: 'unreachable', circuit: 'open' });
    isWell = true;
    await isReported({ database: 'reachable', service: 'reachable', circuit: 'closed' });

    await shop.close();
    await upstream.close();
  });
});
