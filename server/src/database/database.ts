import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';

import type { Failpoint } from '../support/failpoint.ts';
import type { Tables } from './schema.ts';

export interface Access {
  readonly db: Kysely<Tables>;
  /** Runs one write in a transaction, and resolves when it is on the disk. */
  write<Result>(write: Write<Result>): Promise<Result>;
}

export interface Database extends Access {
  readonly kind: 'sqlite' | 'postgres';
  readonly pool?: Pool;
  /** For leases and results of `fulfil`, ahead of everything else that waits for a connection. */
  readonly ahead?: Readonly<Record<'leases' | 'results', Access>>;
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
