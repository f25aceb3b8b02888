import { PaymentsError } from '../errors.ts';
import { buildThrottle, type Clock } from '../support/clock.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import type { Log } from './log.ts';

const LOG_EVERY_MS = 60_000;

/** A database that works again sooner needs nobody. */
const LASTS_MS = 60_000;

/** Returns whether a failure ends by itself, once the database works again. */
export function isPassing(err: unknown): boolean {
  return isDatabaseFailure(err) || (err instanceof PaymentsError && err.code === 'unavailable');
}

/** Describes a failure of the database in one line, and any other with its stack. */
export function failureFields(err: unknown): { cause: string } | { err: unknown } {
  if (!isPassing(err)) return { err };
  const { message, cause } = err as Error;
  return { cause: cause instanceof Error ? `${message}: ${cause.message}` : message };
}

/**
 * Builds a log of failures of the database: a warning, and an error once nothing has worked for a
 * minute. Other failures are errors. Each message is logged once a minute.
 */
export function buildFailureLog(clock: Clock, log: Log) {
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  let failsSince: number | undefined;
  return {
    failed(message: string, err: unknown, fields: object = {}): void {
      failsSince ??= clock.now();
      if (!mayLog(message)) return;
      const isError = !isPassing(err) || clock.now() - failsSince >= LASTS_MS;
      log[isError ? 'error' : 'warn']({ ...failureFields(err), ...fields }, message);
    },
    worked(): void {
      failsSince = undefined;
    },
  };
}
