import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';

import type { Failpoint } from '../support/failpoint.ts';
import type { Tables } from './schema.ts';

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  readonly pool?: Pool;
  /** Runs one write in a transaction, and resolves when it is on the disk. */
  write<Result>(write: Write<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The statements of one write. They may run again after a rollback. */
export type Write<Result> = (trx: Transaction<Tables>) => Promise<Result>;

export interface OpenSettings {
  isThere: boolean;
  answerWithinMs: number;
  failpoint: Failpoint;
  maxConnections?: number | undefined;
}
