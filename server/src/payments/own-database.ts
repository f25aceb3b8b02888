import type { Pool } from 'pg';
import {
  EnvironmentGuard,
  nameService,
  type OtherEnvironmentError,
} from '../database/environment.ts';
import { type Database, type OpenOptions, openDatabase } from '../database/open.ts';
import { reportOtherAccess } from '../database/other-access.ts';
import type { Log } from '../observe/log.ts';
import { buildServiceClient, type ServiceClient } from '../service/client.ts';
import { type Clock, repeat, type Stop } from '../support/clock.ts';

const TRY_EVERY_MS = 2_000;

export interface OwnDatabase {
  /** Takes no more writes once it is known to belong to another service or public key. */
  database: Database;
  /** Verifies nothing before the database is known to belong to it. */
  service: ServiceClient;
  /** Resolves once that is known. See `EnvironmentGuard.bind`. */
  bind(): Promise<void>;
  /** Fails once the database is known to belong to another service or public key. */
  assertNotRejected(): void;
  /** Logs what a person may have to know about the database. */
  report(log: Log): Promise<void>;
  /** Calls `begin` once that is known. Tries until then, or until the returned function is called. */
  beginOnceBound(begin: () => void, clock: Clock): Stop;
}

/** Opens the database of this service and public key, and rejects that of others (T149). */
export async function openOwnDatabase(
  place: string | Pool,
  open: OpenOptions,
  options: { apiUrl: string; apiToken: string; publicKey: string },
): Promise<OwnDatabase> {
  const own = { service: nameService(options.apiUrl), publicKey: options.publicKey };
  const client = buildServiceClient(options);
  const isKnown = async (reference: string) => (await client.verify(reference)) !== undefined;
  const guard = new EnvironmentGuard(own, place, isKnown);
  const opened = await openDatabase(place, { ...open, hooks: guard }).catch(async (error) => {
    await client.close();
    throw error;
  });
  let log: Log | undefined;
  let isLogged = false;
  const logClaim = () => {
    if (!guard.hasClaimed || isLogged) return;
    isLogged = true;
    log?.info(own, 'database belongs to this service and public key now');
  };
  const bind = async () => {
    if (guard.isBound) return;
    await guard.bind(opened);
    logClaim();
  };

  return {
    database: {
      ...opened,
      async write(write) {
        guard.assertNotRejected();
        return opened.write(write);
      },
    },
    service: {
      async verify(reference) {
        await bind();
        return client.verify(reference);
      },
      get circuit() {
        return client.circuit;
      },
      get lastCall() {
        return client.lastCall;
      },
      close: client.close,
    },
    bind,
    assertNotRejected: () => guard.assertNotRejected(),
    async report(shopsLog) {
      log = shopsLog;
      await reportOtherAccess(opened, log);
      logClaim();
      if (!guard.isBound)
        log.warn(
          { ...own, cause: guard.whyUndecided },
          'newest paid payment not verified; nothing is confirmed or fulfilled until it is',
        );
    },
    beginOnceBound(begin, clock) {
      if (guard.isBound) {
        begin();
        return async () => {};
      }
      let isStopped = false;
      const stop = repeat(clock, TRY_EVERY_MS, async () => {
        await bind().catch(() => {});
        if (guard.isBound && !isStopped) begin();
        if (guard.rejection) {
          const err = guard.rejection.cause as OtherEnvironmentError;
          const fix = `${err.advice} Then restart the shop.`;
          log?.error({ err, fix }, 'database belongs to another environment');
        }
        if (guard.isBound || guard.rejection) void stop();
      });
      return () => {
        isStopped = true;
        return stop();
      };
    },
  };
}
