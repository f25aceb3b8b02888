import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ShopFigures, Waiting } from '../observe/figures.ts';
import { checkUnknown } from './check-records.ts';
import { checkService } from './check-service.ts';
import type { Call } from './command-line.ts';
import { COMPARED_SETTINGS, compareSettings } from './compare-settings.ts';
import type { Finding } from './finding.ts';
import { ConfigError } from './settings.ts';

/** A running shop is not late by this long, unless the service does not respond. */
const LATE_AFTER_MS = 2 * 60_000;

/** Finds what keeps a shop from confirming payments, which its records do not list. */
export async function findProblems(
  database: Database,
  call: Call,
  { deliveries, overdue }: ShopFigures,
): Promise<{ found: string; todo: string }[]> {
  const checks: Finding[] = [await checkWritable(database)];
  if (call.isSet('SERVICE_PAY_API_TOKEN'))
    checks.push(await checkOwnService(database, call).catch(describeSettings));
  const mayBePolled = checks.every(([, todo]) => !todo); // otherwise that is why
  const { count } = deliveries;
  if (isLate(deliveries))
    checks.push([
      `${count} ${count === 1 ? 'webhook reports' : 'webhooks report'} the end of a payment that is still open, for ${minutesOf(deliveries)} minutes.`,
      'If nothing else is wrong, see how the service responds: npx --no -- service-pay replay',
    ]);
  if (mayBePolled && isLate(overdue))
    checks.push([
      `Open payments are polled ${minutesOf(overdue)} minutes late.`,
      'Start the shop, or, without background work, call work() on a schedule.',
    ]);
  checks.push(await checkUnknown(database));
  return checks.flatMap(([found, todo]) => (todo ? [{ found, todo }] : []));
}

/** Checks whether PostgreSQL takes writes, without one. */
async function checkWritable({ kind, db }: Database): Promise<Finding> {
  const isReadOnly = sql<boolean>`current_setting('transaction_read_only') = 'on'`;
  const { rows } =
    kind === 'sqlite'
      ? { rows: [] }
      : await sql<{ is: boolean }>`select ${isReadOnly} as is`.execute(db);
  return rows[0]?.is
    ? [
        'This database takes no writes. If it is the one of the shop, nobody can order.',
        'If it is a replica that you read on purpose, ignore this. Otherwise see: npx --no -- service-pay doctor',
      ]
    : ['It takes writes.'];
}

/** Checks the service, unless the settings are those of another shop. */
async function checkOwnService(database: Database, call: Call): Promise<Finding> {
  const config = call.loadConfig(
    ...COMPARED_SETTINGS,
    'SERVICE_PAY_API_TOKEN',
    'PUBLIC_URL',
    'PORT',
  );
  const { isOther, found, todo } = await compareSettings(database, config);
  return isOther
    ? [`The database is not of these settings: ${found}.`, todo]
    : checkService(config);
}

/** Settings that cannot be used keep nobody from reading. */
function describeSettings(error: unknown): Finding {
  if (!(error instanceof ConfigError)) throw error;
  return [
    `Settings of the service cannot be used: ${error.problems.join(' ')}`,
    'Correct them, in the environment or in .env.',
  ];
}

function isLate({ oldestMs = 0 }: Waiting): boolean {
  return oldestMs > LATE_AFTER_MS;
}

function minutesOf({ oldestMs = 0 }: Waiting): number {
  return Math.floor(oldestMs / 60_000);
}
