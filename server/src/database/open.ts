import SqliteFile from 'better-sqlite3';
import type { Kysely, Transaction } from 'kysely';
import pg, { type Pool } from 'pg';

import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import { NoAnswerError } from './no-answer-error.ts';
import { openPostgresDatabase } from './postgres.ts';
import { hostsOf } from './postgres-url.ts';
import type { Tables } from './schema.ts';
import { openSqliteDatabase } from './sqlite.ts';

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  readonly pool?: Pool;
  /** Runs one write in a transaction, and resolves when it is on the disk. */
  write<Result>(write: Write<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Statements of one write. They may run again after they were undone. */
export type Write<Result> = (trx: Transaction<Tables>) => Promise<Result>;

export interface OpenOptions {
  /** The limit of a write or a statement: 500 ms by default (F8). Tests are more patient. */
  answerWithinMs?: number | undefined;
  failpoint?: Failpoint;
  /** The tables must be there, and are left as they are. */
  isThere?: boolean;
  /** Not a byte of a file is changed. */
  isReadOnly?: boolean;
}

export type OpenSettings = { [Name in keyof OpenOptions]-?: NonNullable<OpenOptions[Name]> };

const ANSWER_WITHIN_MS = 500;

/** The database cannot be used. The message is one sentence, and names no value. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/**
 * Opens `file:/absolute/path`, `postgres://…` or the database of a pool, and brings its schema up to
 * date. A commit that is answered is on the disk (T109). Throws `DatabaseError`, which names no value.
 */
export function openDatabase(place: string | Pool, options: OpenOptions = {}): Promise<Database> {
  const what = isFile(place) ? 'The database file' : 'The PostgreSQL database';
  return open(place, options, what, 'It was left as it is; see the option database.');
}

/**
 * Opens the database of a shop of this version, and leaves the schema as it is. Throws
 * `DatabaseError`, which names the database and ends with `todo`.
 */
export function openShopDatabase(
  databaseUrl: string,
  todo: string,
  options: OpenOptions = {},
): Promise<Database> {
  const what = nameDatabase(databaseUrl).replace(/^t/, 'T');
  const changed = `Nothing was made or changed. ${todo}`;
  return open(databaseUrl, { ...options, isThere: true }, what, changed);
}

async function open(
  place: string | Pool,
  {
    answerWithinMs = ANSWER_WITHIN_MS,
    failpoint = noFailpoint,
    isThere = false,
    isReadOnly = false,
  }: OpenOptions,
  what: string,
  todo: string,
): Promise<Database> {
  const settings = { answerWithinMs, failpoint, isThere, isReadOnly };
  try {
    return isFile(place)
      ? await openSqliteDatabase(place.slice('file:'.length), settings)
      : await openPostgresDatabase(place, settings);
  } catch (cause) {
    throw new DatabaseError(`${what} cannot be used: ${reasonOf(cause)}. ${todo}`, { cause });
  }
}

function isFile(place: string | Pool): place is string {
  return typeof place === 'string' && place.startsWith('file:');
}

export function nameDatabase(databaseUrl: string): string {
  if (databaseUrl.startsWith('file:')) return `the file ${databaseUrl.slice('file:'.length)}`;
  const { pathname, port, searchParams } = new URL(databaseUrl);
  const [host] = hostsOf(databaseUrl);
  const place = [host, searchParams.get('port') || port].filter(Boolean).join(':');
  return `the PostgreSQL database ${decodeURIComponent(pathname.slice(1))} on ${place}`;
}

function reasonOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(reasonOf).join('; ')
    : (error as Error).message;
}

/** Returns whether an error means that the database is locked, full, read-only or gone. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  if (error instanceof SqliteFile.SqliteError) return !error.code.startsWith('SQLITE_CONSTRAINT');
  return error instanceof pg.DatabaseError && OF_THE_SERVER.test(error.code ?? '');
}

const OF_THE_SERVER = /^(?:08|25006|25P0|28|3D|40|53|55P03|57|58|F0|XX)/;
