import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { PaymentsError } from '../errors.ts';
import type { Payment } from '../payments/payment.ts';
import { ping } from '../payments/ping.ts';
import { PaymentStore } from '../payments/store.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';

const ORDER = { owner: 'b', data: {}, amount: '10.00', currency: 'ZMW' };

let home: TestDatabase;
let admin: pg.Client;

const nameOf = (url: string) => new URL(url).pathname.slice(1);
async function expectOneToWait(statement = '%'): Promise<void> {
  const waiting = `select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query like ?`;
  expect(await readRows(home.url, waiting, [statement])).toHaveLength(1);
}

/** Reads a setting in a write, which is where it is made. */
const showIn = (database: Database, name: string) =>
  database.write(async (trx) => {
    const { rows } = await sql<Record<string, string>>`show ${sql.raw(name)}`.execute(trx);
    return rows[0]![name];
  });

const open = (url = home.url) =>
  openDatabase(url).catch((error: unknown) => error as PaymentsError);

describe.skipIf(POSTGRES_IS_MISSING)('a PostgreSQL', () => {
  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
  });

  afterEach(async () => {
    await admin.end();
    await home.drop();
  });

  test('a PostgreSQL is made ready once where eight instances start on an empty one at the same moment, and serves them all (T110)', async () => {
    for (const isolation of ['read committed', 'repeatable read', 'serializable']) {
      const fresh = await makeDatabaseUrl('postgres');
      await admin.query(
        `alter database ${nameOf(fresh.url)} set default_transaction_isolation = '${isolation}'`,
      );
      const opened = await Promise.all(
        Array.from({ length: 8 }, () => openDatabase(fresh.url, PATIENT_DATABASE)),
      );
      for (const { db, close } of opened) {
        expect(await db.selectFrom('service_pay_payments').selectAll().execute()).toEqual([]);
        await close();
      }
      await fresh.drop();
    }
  });

  test('a PostgreSQL may take longer for a step of the schema than for a response, and waits for a table in use no longer than for one (T110)', async () => {
    await admin.query(`
      create table seen (lock_timeout text, statement_timeout text);
      create function take_long() returns event_trigger language plpgsql as $$
      begin
        if not exists (select from seen) then perform pg_sleep(0.8); end if;
        insert into seen values (current_setting('lock_timeout'), current_setting('statement_timeout'));
      end $$`);
    await admin.query(
      `create event trigger take_long on ddl_command_end when tag in ('ALTER TABLE') execute function take_long()`,
    );

    const database = await openDatabase(`${home.url}?query_timeout=700&lock_timeout=1`);

    expect((await admin.query('select distinct * from seen')).rows).toEqual([
      { lock_timeout: '10s', statement_timeout: '30min' },
    ]);
    await database.close();
  });

  test('a PostgreSQL has a commit wait for the disk, and a statement see what it waited for, also where its own settings do not (T109)', async () => {
    await admin.query(`alter database ${nameOf(home.url)} set synchronous_commit = off`);
    await admin.query(
      `alter database ${nameOf(home.url)} set default_transaction_isolation = 'serializable'`,
    );
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const show = (name: string) => showIn(database, name);

    expect(
      new Set(await Promise.all(Array.from({ length: 5 }, () => show('synchronous_commit')))),
    ).toEqual(new Set(['on']));
    expect(
      new Set(await Promise.all(Array.from({ length: 5 }, () => show('transaction_isolation')))),
    ).toEqual(new Set(['read committed']));
    await database.close();
  });

  test('a PostgreSQL pays an order that another instance plans at that moment, and marks its webhooks as handled (T107)', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const store = new PaymentStore(database);
    await store.placeOrder({ ...ORDER, id: 'r' }, 'r', { checkAt: 5, now: 1 });
    await admin.query('begin');
    await admin.query(
      "insert into service_pay_webhook_deliveries (id, event, reference, body, received_at) values ('d', 'e', 'r', '', 1)",
    );
    await admin.query('update service_pay_payments set check_at = 1');

    const paying = store.markPaid('r', 9);
    await vi.waitFor(() => expectOneToWait('update "service_pay_payments"%'), PATIENT);
    await admin.query('commit');

    expect(await paying).toBe('paid');
    expect(
      (await admin.query('select handled_at from service_pay_webhook_deliveries')).rows,
    ).toEqual([{ handled_at: '9' }]);
    expect((await admin.query('select state, check_at from service_pay_payments')).rows).toEqual([
      { state: 'paid', check_at: '1' },
    ]);
    await database.close();
  });

  test('a PostgreSQL adds one payment to an order when two instances retry it at the same moment (T146)', async () => {
    const [holding, commits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const failpoint = (name: string) => {
      if (name !== 'before-commit') return;
      holding.resolve();
      return commits.promise;
    };
    const first = await openDatabase(home.url, { ...PATIENT_DATABASE, failpoint });
    const second = await openDatabase(home.url, PATIENT_DATABASE);
    const [one, other] = [new PaymentStore(first), new PaymentStore(second)];
    await other.placeOrder({ ...ORDER, id: 'o' }, 'r', { checkAt: 5, now: 1 });
    await other.move('r', { from: ['awaiting-payment'], to: 'failed', now: 2 });
    const isOpen = ({ state }: Payment) => state === 'awaiting-payment';

    const added = one.addPayment('o', { reference: 'first', checkAt: 9, now: 4 }, isOpen);
    await holding.promise;
    const alsoAdded = other.addPayment('o', { reference: 'second', checkAt: 9, now: 4 }, isOpen);
    await Promise.race([alsoAdded, vi.waitFor(expectOneToWait, PATIENT)]);
    commits.resolve();

    expect([await added, await alsoAdded]).toMatchObject(Array(2).fill({ reference: 'first' }));
    await Promise.all([first.close(), second.close()]);
  });

  test('a PostgreSQL makes a new connection instead of waiting for one whose statement got no response (F8)', async () => {
    const database = await openDatabase(home.url);
    const readPid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db);
    const { rows: before } = await readPid();

    const failure = await sql`select pg_sleep(1.9)`.execute(database.db).catch((error) => error);

    expect(isDatabaseFailure(failure)).toBe(true);
    expect((await readPid()).rows).not.toEqual(before);
    await database.close();
  });

  test('a PostgreSQL uses no connection again on which a transaction could not begin', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const number = `pg_current_xact_id() returns xid8 language plpgsql as`;
    await admin.query(`create function ${number} $$ begin raise 'not today'; end $$;
      alter database ${nameOf(home.url)} set search_path = public, pg_catalog`);
    await expect(ping(database)).rejects.toThrow('not today');

    await expect(database.pool!.query('select 1')).resolves.toBeTruthy();
    await database.close();
  });

  test('a PostgreSQL limits everything that could wait, in each transaction (T111, F8)', async () => {
    const database = await openDatabase(home.url);
    const show = (name: string) => showIn(database, name);

    expect(await show('idle_in_transaction_session_timeout')).toBe('2s');
    expect(await show('statement_timeout')).toBe('2s');
    expect(await show('lock_timeout')).toBe('400ms');
    expect(await show('application_name')).toBe('service-pay-shop');
    await database.close();
  });

  test('a PostgreSQL that takes no writes is rejected with what to change (T109)', async () => {
    await admin.query(`alter database ${nameOf(home.url)} set default_transaction_read_only = on`);

    const error = await open();

    expect(error).toBeInstanceOf(PaymentsError);
    expect((error as Error).message).toMatch(/it takes no writes: name the primary/);
    expect((error as Error).message).toMatch(
      /^The PostgreSQL database cannot be used: .+ It was left as it is\. Check its address\.$/,
    );
  });

  test('a PostgreSQL in another encoding is rejected (T114)', async () => {
    const name = `${nameOf(home.url)}_ascii`;
    await admin.query(
      `create database ${name} encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'`,
    );

    expect((await open(home.url.replace(nameOf(home.url), name))) as Error).toMatchObject({
      message: /encoding UTF8/,
    });
    await admin.query(`drop database ${name}`);
  });

  test('a PostgreSQL of a newer schema is rejected and left as it is (T109)', async () => {
    await ((await open()) as { close(): Promise<void> }).close();
    await admin.query(
      "insert into service_pay_migrations values ('9999-of-tomorrow', '2030-01-01')",
    );

    expect((await open()) as Error).toMatchObject({
      message: /its schema is newer than this program \(9999-of-tomorrow\)/,
    });
    expect(
      (await admin.query("select name from service_pay_migrations where name = '9999-of-tomorrow'"))
        .rows,
    ).toHaveLength(1);
  });

  test.each([
    ['with a wrong password', { password: 's3cret' }, /password authentication failed/],
    ['that is not there', { pathname: '/nowhere' }, /"nowhere" does not exist/],
    ['where nobody listens', { port: '1' }, /ECONNREFUSED/],
  ])(
    'a PostgreSQL %s is rejected in a sentence without the password (T78)',
    async (_what, change, reason) => {
      const url = Object.assign(new URL(home.url), change);

      const error = (await open(url.href)) as Error;

      expect(error).toMatchObject({ code: 'unavailable', message: reason });
      expect(`${error.message} ${error.stack}`).not.toMatch(/s3cret|of-the-tests/);
    },
  );

  test('a PostgreSQL that ends every connection does not end the process, and serves the next statement', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const store = new PaymentStore(database);
    await Promise.all(Array.from({ length: 8 }, () => ping(database)));

    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );

    await vi.waitFor(() => ping(database), PATIENT);
    expect(await store.placeOrder({ ...ORDER, id: 'o' }, 'r', { checkAt: 5, now: 1 })).toBe('r');
    await database.close();
  });

  test('a PostgreSQL that takes no more writes, as one that is no longer the primary, gets a new connection the next time (F8)', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const store = new PaymentStore(database);
    const place = () => store.placeOrder({ ...ORDER, id: 'o' }, 'r', { checkAt: 5, now: 1 });
    await database.pool!.query('set default_transaction_read_only = on');

    const failure = await place().catch((error: unknown) => error);

    expect(isDatabaseFailure(failure)).toBe(true);
    expect(await place()).toBe('r');
    await database.close();
  });

  test('a PostgreSQL is not queried where a connection cannot even be made, and the process lives on (F8)', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    database.pool!.options.connectionString = `${home.url}?sslrootcert=/nowhere.pem`;

    expect(isDatabaseFailure(await ping(database).catch((error: unknown) => error))).toBe(true);

    database.pool!.options.connectionString = home.url;
    await ping(database);
    await database.close();
  });

  test('a PostgreSQL frees the rows of an instance that froze in a transaction (T111)', async () => {
    const database = await openDatabase(home.url, PATIENT_DATABASE);
    const store = new PaymentStore(database);
    await store.placeOrder({ ...ORDER, id: 'o' }, 'r', { checkAt: 5, now: 1 });
    const [held, thaws] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const frozen = database.write(async (trx) => {
      await sql`update service_pay_payments set check_at = 7 where reference = 'r'`.execute(trx);
      held.resolve();
      await thaws.promise;
    });
    await held.promise;

    // while it is still frozen
    await vi.waitFor(() => store.markPaid('r', 9), PATIENT);

    expect((await store.findPayment('r'))?.state).toBe('paid');
    thaws.resolve();
    expect(isDatabaseFailure(await frozen.catch((error: unknown) => error))).toBe(true);
    await database.close();
  });
});
