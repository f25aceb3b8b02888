import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';

import { ownPostgresServer } from '../../../scripts/test/test-postgres.ts';
import type { Database } from '../databases.ts';
import type { ShopProcess } from '../shop/shop-process.ts';

const FULL_AT_BYTES = 4_096;

const FULL_AFTER_BYTES = 4_000_000;

const DISK_FULL = '53100';

export interface Harm {
  name: string;
  forMs: number;
  /** The fate of webhooks meanwhile. It is unknown for a server that is back at once. */
  meanwhile: 'none stored' | 'some rejected' | 'unknown';
  findWhyNot?(): Promise<string | undefined>;
  begin(): Promise<() => Promise<void>>;
}

interface HarmTimes {
  hungMs: readonly number[];
  awayMs: number;
}

export function planHarms(database: Database, shop: ShopProcess, times: HarmTimes): Harm[] {
  return database.kind === 'sqlite'
    ? planFileHarms(database.url.slice('file:'.length), shop, times)
    : planServerHarms(database.url, times);
}

function planFileHarms(file: string, shop: ShopProcess, { hungMs, awayMs }: HarmTimes): Harm[] {
  const held = hungMs.map(
    (forMs): Harm => ({
      name: `held for ${forMs} ms`,
      forMs,
      meanwhile: 'none stored',
      async begin() {
        const holder = new SqliteFile(file, { timeout: 5_000 });
        holder.exec('begin immediate');
        return async () => {
          holder.exec('rollback');
          holder.close();
        };
      },
    }),
  );
  const full: Harm = {
    name: 'full',
    forMs: awayMs,
    meanwhile: 'none stored',
    async begin() {
      await limitFiles(shop.pid, String(FULL_AT_BYTES));
      return () => limitFiles(shop.pid, 'unlimited');
    },
  };
  const readOnly: Harm = {
    name: 'read-only',
    forMs: awayMs,
    meanwhile: 'none stored',
    findWhyNot: () => findWhyNotImmutable(dirname(file)),
    async begin() {
      const files = [file, `${file}-wal`];
      await run('chattr', '+i', ...files);
      return () => run('chattr', '-i', ...files);
    },
  };
  const gone: Harm = {
    name: 'gone',
    forMs: awayMs,
    meanwhile: 'none stored',
    async begin() {
      await rename(file, `${file}.away`);
      await copyFile(`${file}.away`, file); // a file of that name is not the one that was opened
      return () => rename(`${file}.away`, file);
    },
  };
  return [...held, full, readOnly, gone];
}

function limitFiles(pid: number, bytes: string): Promise<void> {
  return run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`);
}

/**
 * A process that has the file open keeps writing after its rights are taken. Some file systems can
 * make it immutable, and only for root.
 */
async function findWhyNotImmutable(folder: string): Promise<string | undefined> {
  const file = join(folder, 'immutable');
  const opened = await open(file, 'w');
  try {
    await run('chattr', '+i', file);
    const isWritten = await opened.write('x').then(
      () => true,
      () => false,
    );
    await run('chattr', '-i', file);
    return isWritten ? 'an immutable file is still written to' : undefined;
  } catch (error) {
    return firstLineOf(error);
  } finally {
    await opened.close();
    await rm(file);
  }
}

function planServerHarms(databaseUrl: string, { hungMs, awayMs }: HarmTimes): Harm[] {
  const name = new URL(databaseUrl).pathname.slice(1);
  const endOthers = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
  const held: Harm = {
    name: 'held',
    forMs: awayMs,
    meanwhile: 'none stored',
    async begin() {
      const holder = await query(
        databaseUrl,
        'begin',
        'lock table service_pay_webhook_deliveries in exclusive mode',
      );
      return () => holder.end();
    },
  };
  const frozen = hungMs.map(
    (forMs): Harm => ({
      name: `frozen for ${forMs} ms`,
      forMs,
      meanwhile: 'none stored',
      async begin() {
        const server = await ownPostgresServer();
        await server.freeze();
        return async () => server.thaw();
      },
    }),
  );
  const restarted: Harm = {
    name: 'restarted',
    forMs: 0,
    meanwhile: 'unknown',
    async begin() {
      await (await ownPostgresServer()).restart();
      return async () => {};
    },
  };
  const readOnly: Harm = {
    name: 'read-only',
    forMs: awayMs,
    meanwhile: 'none stored',
    async begin() {
      await (
        await query(
          databaseUrl,
          `alter database ${name} set default_transaction_read_only = on`,
          endOthers,
        )
      ).end();
      return async () => {
        await (
          await query(
            databaseUrl,
            `alter database ${name} reset default_transaction_read_only`,
            endOthers,
          )
        ).end();
      };
    },
  };
  const full: Harm = {
    name: 'full',
    forMs: awayMs,
    meanwhile: 'some rejected',
    findWhyNot: () =>
      SmallDisk.make(1_000_000, 0).then(
        async (disk): Promise<undefined> => void (await disk.remove()),
        firstLineOf,
      ),
    begin: () => fillDisk(databaseUrl),
  };
  return [held, ...frozen, restarted, readOnly, full];
}

/**
 * Moves the inbox to a full disk of its own, with everything acknowledged before. Returns a
 * function that moves it back.
 */
async function fillDisk(databaseUrl: string): Promise<() => Promise<void>> {
  const client = await query(databaseUrl);
  const read = async (statement: string): Promise<string> =>
    (await client.query(statement)).rows[0].value;
  const owner = (await stat(await read(`select current_setting('data_directory') as value`))).uid;
  const size = Number(
    await read(`select pg_total_relation_size('service_pay_webhook_deliveries') as value`),
  );
  const disk = await SmallDisk.make(size + FULL_AFTER_BYTES, owner);
  const tablespace = disk.folder.split('/').at(-1)!.replaceAll('-', '_').toLowerCase();
  const { rows: indexes } = await client.query<{ indexname: string }>(
    "select indexname from pg_indexes where tablename = 'service_pay_webhook_deliveries'",
  );
  const moveTo = async (space: string) => {
    const moves = [
      `alter table service_pay_webhook_deliveries set tablespace ${space}`,
      ...indexes.map(({ indexname }) => `alter index ${indexname} set tablespace ${space}`),
    ];
    await client.query(['begin', ...moves, 'commit'].join('; '));
  };

  const fill = async () => {
    await client.query(`create tablespace ${tablespace} location '${disk.folder}'`);
    // it would make room again
    await client.query('alter table service_pay_webhook_deliveries set (autovacuum_enabled = off)');
    await moveTo(tablespace);
    return client
      .query(
        `insert into service_pay_webhook_deliveries select (json_populate_record(one, json_build_object('id', number))).*
         from (select stored as one from service_pay_webhook_deliveries as stored limit 1) as stored, generate_series(1, ${FULL_AFTER_BYTES / 100}) as number`,
      )
      .catch((error: pg.DatabaseError) => error);
  };
  const empty = async () => {
    await moveTo('pg_default');
    await client.query('alter table service_pay_webhook_deliveries reset (autovacuum_enabled)');
    await client.query(`drop tablespace if exists ${tablespace}`);
    await client.end();
    await disk.remove();
  };

  const full = await fill();
  if (full instanceof pg.DatabaseError && full.code === DISK_FULL) return empty;
  await empty();
  throw new Error('The disk did not fill.', { cause: full });
}

class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(bytes: number, owner: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'disk-'));
    try {
      await run(
        'mount',
        '-t',
        'tmpfs',
        '-o',
        `size=${bytes},uid=${owner},mode=700`,
        'tmpfs',
        folder,
      );
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
    return new SmallDisk(folder);
  }

  async remove(): Promise<void> {
    await run('umount', this.folder);
    await rm(this.folder, { recursive: true });
  }
}

async function query(databaseUrl: string, ...statements: string[]): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c default_transaction_read_only=off',
  });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client;
}

async function run(program: string, ...parameters: string[]): Promise<void> {
  await promisify(execFile)(program, parameters);
}

function firstLineOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr || message).split('\n', 1)[0]!;
}
