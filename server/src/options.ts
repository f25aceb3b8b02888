import { isServerAddress } from '@service-pay/contract/loopback';
import type { Pool } from 'pg';

import { rejectProblems } from './errors.ts';
import type { Fulfil } from './fulfilment/fulfil.ts';
import type { Logger } from './observe/log.ts';
import type { Clock } from './support/clock.ts';

export interface PaymentsOptions<Data> {
  /** The service's API, such as `https://pay.example`. */
  apiUrl: string;
  /** The secret that signs webhooks and authorizes verify calls. */
  apiToken: string;
  /** The previous token. Webhooks signed with it are still accepted while you rotate. */
  previousApiToken?: string | undefined;
  publicKey: string;
  /**
   * `file:` and a path for SQLite, `postgres://…`, or a `Pool` of `pg`, which is used as it is and
   * left open. The package creates and migrates its tables. It belongs to the first service and
   * public key that open it.
   */
  database: string | Pool;
  /** Fulfils a paid order. Called until it succeeds, at least once for each order. */
  fulfil: Fulfil<Data>;
  /** Any logger. Tokens, passwords and card numbers are masked before it gets them. */
  log: Logger;
  /**
   * False where a process may freeze between two requests, as a serverless function does. Nothing
   * then runs by itself: call `work` on a schedule.
   */
  background?: boolean;
  /** The limit of connections to PostgreSQL: 10 by default. A `Pool` has its own. */
  maxConnections?: number | undefined;
  clock?: Clock;
}

/** Fails with `invalid_request`, which names every option that cannot be used and no value. */
export function assertUsable<Data>(options: PaymentsOptions<Data>): void {
  const { apiUrl, apiToken, previousApiToken, publicKey, database, fulfil, log } = options;
  const { maxConnections } = options;
  const isToken = (token: unknown) =>
    typeof token === 'string' && /^(?!pub_|pk_)[!-~]{8,512}$/i.test(token);
  const token = 'must be the secret API token (8 to 512 visible characters), not a public key.';
  const isAddress =
    typeof database === 'string' && /^(?:file:.|postgres(?:ql)?:\/\/)/.test(database);
  const { connect, options: ofPool } = Object(database);
  const isPool = typeof connect === 'function' && typeof ofPool === 'object';
  const isLogger = (['info', 'warn', 'error'] as const).every(
    (level) => typeof log?.[level] === 'function',
  );
  rejectProblems({
    apiUrl:
      !isServerAddress(apiUrl) &&
      'must be an https address without user, query or fragment. Only this machine may have http.',
    apiToken: !isToken(apiToken) && token,
    previousApiToken: previousApiToken !== undefined && !isToken(previousApiToken) && token,
    publicKey:
      !/^(?!sec_|sk_)[!-~]{1,128}$/i.test(publicKey ?? '') &&
      'must be the public key (pub_…): it goes into pages, and the secret token never does.',
    database:
      !isAddress &&
      !isPool &&
      `must be file:<path>, postgres://… or a Pool of the package pg.${connect ? ' A Client is one connection: pass new pg.Pool({ connectionString }) instead.' : ''}`,
    maxConnections:
      maxConnections !== undefined &&
      ((isPool && 'must be left out: a Pool has its own `max`.') ||
        ((!Number.isSafeInteger(maxConnections) || maxConnections < 1) &&
          'must be a whole number above 0.')),
    fulfil: typeof fulfil !== 'function' && 'must be a function.',
    log: !isLogger && 'must be a logger with info, warn and error, such as console.',
  });
}
