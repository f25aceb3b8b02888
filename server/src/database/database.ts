import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Failpoint } from '../support/failpoint.ts';
import type { Tables } from './schema.ts';

/** Runs statements and writes on connections of the database. */
export interface Connection {
  readonly db: Kysely<Tables>;
  /** Runs one write in a transaction, and resolves when it is on the disk. */
  write<Result>(write: Write<Result>): Promise<Result>;
}

export interface Database extends Connection {
  readonly kind: 'sqlite' | 'postgres';
  readonly pool?: Pool;
  /** The password of the pool's connections, wherever `pg` took it from. */
  readonly password?: string | undefined;
  /** For leases and results of `fulfil`, ahead of everything else that waits for a connection. */
  readonly ahead?: Readonly<Record<'leases' | 'results', Connection>>;
  close(): Promise<void>;
}

/** A database, or an open transaction on it. */
export type Writer = Kysely<Tables>;

/** The statements of one write. They may run again after a rollback. */
export type Write<Result> = (trx: Transaction<Tables>) => Promise<Result>;

/** A caller's steps while a database is opened. */
export interface OpenHooks {
  /** Runs before anything is changed, and may reject the database. */
  before?(db: Kysely<Tables>, kind: Database['kind']): Promise<void>;
  /** Runs in the transaction of the migrations `applied`, which rolls back if it fails. */
  after?(
    trx: Transaction<Tables>,
    kind: Database['kind'],
    applied: readonly string[],
  ): Promise<void>;
}

export interface OpenSettings {
  isThere: boolean;
  /** Opens a database that takes no writes, too. */
  mayBeReadOnly: boolean;
  hooks: OpenHooks;
  respondWithinMs: number;
  failpoint: Failpoint;
  maxConnections?: number | undefined;
}
