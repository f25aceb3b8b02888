import { type KyselyPlugin, sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';

import { type Database, openDatabase } from './database.ts';
import { ShopStore } from './shop-store.ts';
import { DATABASES, makeDatabaseUrl } from './test-database.ts';
import { collectionAnswer, ManualClock, PATIENT, startTestShop, startUpstream } from './test-shop.ts';

/** The same database, and how many statements it was given. */
function countStatements(database: Database): { counted: Database; count(): number } {
  let count = 0;
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { counted: { ...database, db: database.db.withPlugin(counter) }, count: () => count };
}

describe.each(DATABASES)('whether the database is reachable, on %s,', (kind) => {
  test('is found out by one statement for all who ask at once, and anew for who asks later (T91)', async () => {
    const home = await makeDatabaseUrl(kind);
    const database = await openDatabase(home.url);
    const { counted, count } = countStatements(database);
    const store = new ShopStore(counted);

    await Promise.all(Array.from({ length: 100 }, () => store.ping()));
    const together = count();
    await store.ping();

    expect([together, count()]).toEqual([1, 2]);
    await database.close();
    await home.drop();
  });

  test('is told as soon as it is again', async () => {
    const home = await makeDatabaseUrl(kind);
    const database = await openDatabase(home.url);
    const store = new ShopStore(database);
    const ask = () => Promise.allSettled([store.ping(), store.ping()]).then((ends) => ends.map(({ status }) => status));

    await sql`alter table payments rename to elsewhere`.execute(database.db);
    const away = await ask();
    await sql`alter table elsewhere rename to payments`.execute(database.db);

    expect([away, await ask()]).toEqual([
      ['rejected', 'rejected'],
      ['fulfilled', 'fulfilled'],
    ]);
    await database.close();
    await home.drop();
  });
});

describe('/readyz', () => {
  test('tells that the service is not asked for a while after it failed again and again, and that it is asked again (D53)', async () => {
    let isWell = false;
    const clock = new ManualClock();
    const upstream = await startUpstream((req, res) => {
      if (isWell) res.end(collectionAnswer(req.url ?? '', { status: 'pending' }));
      else res.destroy();
    });
    const shop = await startTestShop(upstream.url, { clock });
    const browser = shop.browser();
    /** Asks about one payment after the other until that is told. */
    const isTold = (data: object) =>
      vi.waitFor(async () => {
        await browser.verify(await browser.order());
        expect(await browser.get('/readyz')).toMatchObject({ status: 200, json: { data } });
      }, PATIENT);

    await isTold({ database: 'reachable', service: 'unreachable', circuit: 'open' });
    isWell = true;
    await isTold({ database: 'reachable', service: 'reachable', circuit: 'closed' });

    await shop.close();
    await upstream.close();
  });
});
