import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asDatabase } from '../../test/parts.ts';
import { Openers } from '../../test/programs.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { PollPlan } from '../payments/poll-plan.ts';
import { PaymentStore } from '../payments/store.ts';
import { FOLDER_OF_DATABASES } from '../testing/databases.ts';
import { openDatabase } from './open.ts';
import type { Tables } from './schema.ts';

let folder: string;
let file: string;
let url: string;

beforeEach(async () => {
  folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'database-'));
  file = join(folder, 'deep', 'shop.db');
  url = `file:${file}`;
});

afterEach(() => rm(folder, { recursive: true }));

const ORDER = {
  id: 'o',
  owner: 'b',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
};

describe('the database file', () => {
  test('the database file keeps full synchronisation after writes and on reopening, and holds the loop for no longer than 250 ms (T109, F8)', async () => {
    for (const reference of ['first', 'second']) {
      const database = await openDatabase(url);
      const { db } = database;
      await new PaymentStore(database).placeOrder({ ...ORDER, id: reference }, reference, {
        checkAt: 1,
        now: 1,
      });

      expect((await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows).toEqual([
        { synchronous: 2 },
      ]);
      expect(
        (await sql<{ timeout: number }>`pragma busy_timeout`.execute(db)).rows[0]?.timeout,
      ).toBeLessThanOrEqual(250);
      expect((await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db)).rows).toEqual([
        { journal_mode: 'wal' },
      ]);
      await database.close();
    }
  });

  test('the database file is made once where eight processes open an empty one at the same moment, and serves them all (T110)', async () => {
    const openers = new Openers(8);

    for (let round = 0; round < 25; round++)
      expect(await openers.open(`${url}-${round}`)).toEqual(Array(8).fill('0'));
    expect(await openers.end()).toEqual(Array(8).fill(''));
  });

  test('the database file gives money, times and references back as they were put (T114)', async () => {
    const database = await openDatabase(url);
    const store = new PaymentStore(database);
    await store.placeOrder(ORDER, 'ref', { checkAt: 5, now: 1_767_225_600_123 });
    await store.placeOrder({ ...ORDER, id: 'o2' }, 'REF', { checkAt: 5, now: 2 });

    expect(await store.findPayment('ref')).toMatchObject({
      amount: '10.00',
      createdAt: 1_767_225_600_123,
      state: 'awaiting-payment',
    });
    expect(await store.findPayment('REF')).toMatchObject({ createdAt: 2 });
    expect(await store.findPayment('Ref')).toBeUndefined();
    await database.close();
  });

  test('the database file finds what is due by an index of just that, however much is stored', async () => {
    await (await openDatabase(url)).close();
    const statements: string[] = [];
    const raw = new SqliteFile(file);
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: raw }),
      log: ({ query }) => void statements.push(query.sql),
    });
    const database = asDatabase('sqlite', db);
    await new PollPlan(database).claimDue({
      now: 1,
      limit: 50,
      plan: () => ({ claimMs: 1, pauseMs: 1 }),
    });
    await new FulfilmentStore(database).claim({ owner: 'owner', now: 1, leaseMs: 1, limit: 1 });

    const looks = statements.filter((statement) => statement.includes('where'));
    const plans = looks.map((statement) => {
      const bound = Array(statement.split('?').length - 1).fill(1);
      return JSON.stringify(raw.prepare(`explain query plan ${statement}`).all(...bound));
    });
    await db.destroy();

    expect(plans[0]).toContain('payments_due');
    expect(plans[1]).toContain('fulfilments_due');
  });

  test('the database file finds what it changes by its key, however much is stored and however many are changed at once', async () => {
    await (await openDatabase(url)).close();
    const statements = new Set<string>();
    const raw = new SqliteFile(file);
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: raw }),
      log: ({ query }) => void statements.add(query.sql),
    });
    const database = asDatabase('sqlite', db);
    const store = new PaymentStore(database);
    const polls = new PollPlan(database);
    for (const count of [1, 20]) {
      const names = Array.from({ length: count }, (_, at) => `${count}-${at}`);
      await Promise.all(
        names.map((name) => store.placeOrder({ ...ORDER, id: name }, name, { checkAt: 5, now: 1 })),
      );
      await Promise.all(
        names.map((name) => store.addPayment(name, { reference: `${name}-2`, checkAt: 5, now: 1 })),
      );
      await Promise.all(
        names.map((name) =>
          store.storeDelivery(
            { id: name, event: '', reference: name, body: '', received_at: 1 },
            5,
          ),
        ),
      );
      await polls.claimDue({ now: 9, limit: count, plan: () => ({ claimMs: 1, pauseMs: 1 }) });
      await Promise.all(names.map((name) => store.markPaid(name, 9)));
      await Promise.all(names.map((name) => store.markPaid(`${name}-2`, 9)));
      await Promise.all(
        names.map((name) => store.accept({ reference: `${name}-2`, who: 'ann', now: 9 })),
      );
    }

    const changes = [...statements].filter((statement) => /^\s*(update|insert)/.test(statement));
    const plans = changes.flatMap((statement) => {
      const bound = Array(statement.split('?').length - 1).fill(1);
      const steps = raw.prepare(`explain query plan ${statement}`).all(...bound) as {
        detail: string;
      }[];
      return steps.map(({ detail }) => detail);
    });
    await db.destroy();

    expect(changes.length).toBeGreaterThanOrEqual(9);
    for (const plan of plans.filter((plan) =>
      /^(SEARCH|SCAN) (?!planned|\d+ CONSTANT|CONSTANT)/.test(plan),
    )) {
      expect(plan).toMatch(/ \((reference|id|order_id)=\?\)$/);
    }
  });

  test('the database file that is no database is left as it is, and the reason said in a sentence (T109)', async () => {
    const broken = join(folder, 'broken.db');
    await writeFile(broken, 'no database, but long enough to be looked at '.repeat(50));

    await expect(openDatabase(`file:${broken}`)).rejects.toThrow(
      /^The database file cannot be used: .+ It was left as it is\. Check its address\.$/,
    );
    expect(await readFile(broken, 'utf8')).toContain('no database');
  });

  test('the database file where no folder can be made is rejected in a sentence (T78)', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const place = join(folder, 'a-file', 'deep', 'shop.db');

    await expect(openDatabase(`file:${place}`)).rejects.toThrow(
      /^The database file cannot be used: E[A-Z]+: .+\. It was left as it is\. Check its address\.$/,
    );
  });

  test('the database file of a newer schema is rejected (T109)', async () => {
    await (await openDatabase(url)).close();
    const newer = new SqliteFile(file);
    newer.exec("insert into service_pay_migrations values ('9999-of-tomorrow', '2030-01-01')");
    newer.close();

    await expect(openDatabase(url)).rejects.toThrow(/9999-of-tomorrow/);
  });
});
