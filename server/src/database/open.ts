import type { Pool } from 'pg';

import { PaymentsError } from '../errors.ts';
import { rejectMissing } from '../peer.ts';
import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import type { Database, OpenHooks, OpenSettings } from './database.ts';
import { findOpenAdvice } from './open-advice.ts';
import { hostsOf } from './postgres-url.ts';

export type { Database, OpenHooks } from './database.ts';

export interface OpenOptions {
  /** The limit of a write or a statement: 500 ms by default (F8), longer in tests. */
  respondWithinMs?: number | undefined;
  failpoint?: Failpoint;
  /** The limit of connections to PostgreSQL. */
  maxConnections?: number | undefined;
  /** Requires existing tables and changes no schema. Errors name the database. */
  isThere?: boolean;
  /** Opens a database that takes no writes, such as a replica or a file on a read-only disk, too. */
  mayBeReadOnly?: boolean;
  /**
   * The end of the error message if the database cannot be used. By default better advice, if there
   * is any, or "check its address".
   */
  todo?: string;
  hooks?: OpenHooks;
}

type Open = (settings: OpenSettings) => Promise<Database>;

const RESPOND_WITHIN_MS = 500;

/**
 * Opens `file:/absolute/path`, `postgres://…` or the database of a pool, and brings its schema up
 * to date. A write resolves only after its commit is on disk (T109). Fails with `unavailable`, in
 * one sentence.
 */
export async function openDatabase(
  place: string | Pool,
  {
    respondWithinMs = RESPOND_WITHIN_MS,
    failpoint = noFailpoint,
    isThere = false,
    mayBeReadOnly = false,
    hooks = {},
    maxConnections,
    todo,
  }: OpenOptions = {},
): Promise<Database> {
  const settings = { respondWithinMs, failpoint, isThere, mayBeReadOnly, hooks, maxConnections };
  const isFile = typeof place === 'string' && place.startsWith('file:');
  const open = isFile ? await loadSqlite(place.slice('file:'.length)) : await loadPostgres(place);
  try {
    return await open(settings);
  } catch (cause) {
    const kind = isFile ? 'the database file' : 'the PostgreSQL database';
    const what = isThere && typeof place === 'string' ? nameDatabase(place) : kind;
    const advice = (cause as { advice?: string }).advice ?? findOpenAdvice(cause);
    const end = todo
      ? [advice, todo].filter(Boolean).join(' ')
      : `It was left as it is. ${advice ?? 'Check its address.'}`;
    const sentence = `${what.replace(/^t/, 'T')} cannot be used: ${reasonOf(cause)}. ${end}`;
    throw new PaymentsError('unavailable', sentence, { cause });
  }
}

async function loadSqlite(file: string): Promise<Open> {
  const { openSqliteDatabase } = await import('./sqlite.ts').catch(rejectMissing('better-sqlite3'));
  return (settings) => openSqliteDatabase(file, settings);
}

async function loadPostgres(place: string | Pool): Promise<Open> {
  const { openPostgresDatabase } = await import('./postgres.ts').catch(rejectMissing('pg'));
  return (settings) => openPostgresDatabase(place, settings);
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
