import { isLoopbackHost } from '@service-pay/contract/loopback';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';

import { PaymentsError } from '../errors.ts';
import { realClock } from '../support/clock.ts';
import type { Database, OpenHooks } from './database.ts';
import { adviseOnPlace, writeAddCommand } from './environment-advice.ts';
import { findPayments, hasTable, lockSchema } from './migrations.ts';
import type { Tables } from './schema.ts';

/** The service and the public key that a database belongs to. */
export interface Environment {
  /** As `nameService` writes it. */
  service: string;
  publicKey: string;
}

/** A command may not know the public key. */
type PartialEnvironment = Pick<Environment, 'service'> & { publicKey?: string | undefined };

/** All addresses of this machine are one service, because a sandbox may change its port. */
const THIS_MACHINE = 'http://localhost';

/** Writes an address of a service always in the same way. */
export function nameService(apiUrl: string): string {
  const url = new URL(apiUrl);
  if (isLoopbackHost(url.hostname)) return THIS_MACHINE;
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href.replace(/\/+$/, '');
}

export function describeEnvironment({ service, publicKey }: PartialEnvironment): string {
  return publicKey === undefined ? service : `${service} with the public key ${publicKey}`;
}

const NOT_OURS = 'The database of this shop belongs to another one, so nothing was done.';

/** The database belongs to another service or public key. */
export class OtherEnvironmentError extends Error {
  override readonly name = 'OtherEnvironmentError';
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}

/** Reads what may use the database, the first one first, and nothing from an older schema. */
export async function readEnvironments(
  db: Kysely<Tables>,
  kind: Database['kind'],
): Promise<(Environment & { addedAt: number })[]> {
  if (!(await hasTable(db, kind, 'service_pay_environments'))) return [];
  return db
    .selectFrom('service_pay_environments')
    .select(['service', 'public_key as publicKey', 'added_at as addedAt'])
    .orderBy('added_at')
    .orderBy('service')
    .orderBy('public_key')
    .execute();
}

/** Lets a service and a public key use the database. Returns false if they may already. */
export async function addEnvironment(
  trx: Kysely<Tables>,
  { service, publicKey }: Environment,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('service_pay_environments')
    .values({ service, public_key: publicKey, added_at: realClock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Returns whether the database belongs to this service and, if one is given, this public key. The
 * problem is missing if it does not belong to any yet.
 */
export async function compareEnvironment(
  db: Kysely<Tables>,
  kind: Database['kind'],
  { service, publicKey }: PartialEnvironment,
): Promise<{ isOwn: boolean; problem?: string }> {
  const environments = await readEnvironments(db, kind);
  const isOwn = environments.some(
    (one) => one.service === service && (publicKey === undefined || one.publicKey === publicKey),
  );
  if (isOwn || !environments.length) return { isOwn };
  const theirs = environments.map(describeEnvironment).join(', and to ');
  const ours = describeEnvironment({ service, publicKey });
  return { isOwn, problem: `it belongs to ${theirs}, and not to ${ours}` };
}

/** Finds the newest paid payment, also in the tables of an older version. */
async function findNewestPaid(db: Kysely<Tables>, kind: Database['kind']) {
  const table = await findPayments(db, kind);
  if (!table) return undefined;
  const { rows } = await sql<{ reference: string }>`
    select reference from ${sql.table(table)} where state = 'paid'
    order by created_at desc limit 1`.execute(db);
  return rows[0]?.reference;
}

/** Returns whether the service has this payment. Fails with `not_known_yet`. */
type IsKnown = (reference: string) => Promise<boolean>;

/**
 * Binds a database to the first service and public key that open it, and rejects others (T149). If
 * the database has paid payments of an older version, its service must know the newest. If that
 * service cannot be reached, the database opens, and `bind` decides later.
 */
export class EnvironmentGuard implements OpenHooks {
  readonly #own: Environment;
  readonly #place: string | Pool;
  readonly #isKnown: IsKnown;
  #mayClaim = false;
  #binding: Promise<void> | undefined;
  /** Whether the database belongs to this service and key. */
  isBound = false;
  /** Why the service did not say whether it knows the newest paid payment. */
  whyUndecided: string | undefined;
  /** Whether this process recorded its service and key. */
  hasClaimed = false;
  /** The reason if the service turned out to be another one after the start. */
  rejection: PaymentsError | undefined;

  constructor(own: Environment, place: string | Pool, isKnown: IsKnown) {
    this.#own = own;
    this.#place = place;
    this.#isKnown = isKnown;
  }

  assertNotRejected(): void {
    if (this.rejection) throw this.rejection;
  }

  async before(db: Kysely<Tables>, kind: Database['kind']): Promise<void> {
    if (await this.#isAdmitted(db, kind)) return;
    await this.#assertKnown(db, kind).catch((error: unknown) => {
      if (!(error instanceof PaymentsError) || error.code !== 'not_known_yet') throw error;
      this.whyUndecided = (error.cause as Error).message;
    });
  }

  async after(trx: Transaction<Tables>, kind: Database['kind']): Promise<void> {
    const isAdmitted = await this.#isAdmitted(trx, kind);
    if (!isAdmitted && this.#mayClaim) this.hasClaimed = await addEnvironment(trx, this.#own);
    this.isBound = isAdmitted || this.hasClaimed;
  }

  /**
   * Resolves once the database is known to belong to this service and key. Fails with
   * `not_known_yet` while the service cannot be reached, and with `unavailable` if it does not know
   * the newest paid payment.
   */
  async bind({ db, kind, write }: Database): Promise<void> {
    if (this.isBound) return;
    this.assertNotRejected();
    const bind = async () => {
      if (!(await this.#isAdmitted(db, kind))) {
        await this.#assertKnown(db, kind);
        this.hasClaimed = await write(async (trx) => {
          await lockSchema(trx, kind);
          return !(await this.#isAdmitted(trx, kind)) && addEnvironment(trx, this.#own);
        });
      }
      this.isBound = true; // only after the commit
    };
    this.#binding ??= bind().catch((error: unknown) => {
      if (!(error instanceof OtherEnvironmentError)) throw error;
      this.rejection = new PaymentsError('unavailable', NOT_OURS, { cause: error });
      throw this.rejection;
    });
    await this.#binding.finally(() => (this.#binding = undefined));
  }

  async #isAdmitted(db: Kysely<Tables>, kind: Database['kind']): Promise<boolean> {
    const { isOwn, problem } = await compareEnvironment(db, kind, this.#own);
    if (!problem) return isOwn;
    const ifMoved = `If the service moved or the key changed, run: ${writeAddCommand(this.#own)}`;
    throw new OtherEnvironmentError(problem, `${adviseOnPlace(this.#place)} ${ifMoved}`);
  }

  async #assertKnown(db: Kysely<Tables>, kind: Database['kind']): Promise<void> {
    const reference = await findNewestPaid(db, kind);
    if (reference !== undefined && !(await this.#isKnown(reference)))
      throw new OtherEnvironmentError(
        `${this.#own.service} does not know its newest paid payment ${reference}, so it belongs to another service or public key`,
        `${adviseOnPlace(this.#place)} If it is yours all the same, such as that of a sandbox, which forgets its payments, run: npx --no -- service-pay migrate, then ${writeAddCommand(this.#own)}`,
      );
    this.#mayClaim = true;
  }
}
