import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import {
  type Database,
  DatabaseError,
  isDatabaseFailure,
  type OpenOptions,
  openDatabase,
} from '../../database/open.ts';
import { FiguresStore } from '../../observe/figures.ts';
import { realClock } from '../../support/clock.ts';
import { OperatorStore } from '../operator-store.ts';
import type { Finding } from './finding.ts';
import { judgeClockError } from './service.ts';

const LEAST_FREE_BYTES = 500 * 1024 ** 2;
/**
 * A payment that is due is asked about within seconds, where the shop runs and the service answers.
 */
const LONGEST_OVERDUE_MS = 5 * 60_000;

/**
 * Whether the service's own webhooks arrive is told by the newest few payments of a day, once it
 * has had the time to send one.
 */
const WEBHOOKS_WITHIN_MS = 24 * 60 * 60_000;
const WEBHOOKS_AFTER_MS = 60_000;
const NEWEST_PAID = 5;

const SETTINGS_THAT_KEEP = {
  fsync: ['on'],
  synchronous_commit: ['on', 'remote_write', 'remote_apply', 'local'],
  full_page_writes: ['on'],
};

/**
 * Opens the database as a start of the shop does, which brings its schema up to date, and looks at
 * it from close by. Who gets the database closes it.
 */
export async function checkDatabase(
  databaseUrl: string,
  options: OpenOptions,
): Promise<{ database: Database | undefined; findings: Finding[] }> {
  let database: Database;
  try {
    database = await openDatabase(databaseUrl, options);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const todo =
      'Check DATABASE_URL, that its folder or server can be reached, and the rights there.';
    return {
      database: undefined,
      findings: [{ check: 'Database', verdict: 'problem', says: error.message, todo }],
    };
  }
  const findings = [
    await checkSchema(database).catch(asNoAnswer('Database')),
    await checkWriting(database),
  ];
  if (database.kind === 'sqlite')
    findings.push(await checkSpace(databaseUrl.slice('file:'.length)));
  else {
    findings.push(await checkKeeping(database).catch(asNoAnswer('Durability')));
    findings.push(await checkDatabaseClock(database).catch(asNoAnswer('Clock')));
  }
  return { database, findings };
}

/** What waits for a person, and whether anybody asks about what is open. */
export async function checkDesk(database: Database): Promise<Finding[]> {
  const figures = await new FiguresStore(database).read(realClock.now()).catch(asNoAnswer('Desk'));
  if ('check' in figures) return [figures];
  const inReview = figures.payments.reduce(
    (sum, { state, count }) => sum + (state === 'needs-review' ? count : 0),
    0,
  );
  const parked = figures.fulfilments.find(({ state }) => state === 'parked')?.count ?? 0;
  const waits = (check: string, count: number, what: string, todo: string): Finding =>
    count
      ? { check, verdict: 'problem', says: `${count} ${what}.`, todo }
      : { check, verdict: 'ok', says: 'Nothing waits for anybody.' };
  return [
    waits(
      'In review',
      inReview,
      'paid, but not as ordered: a person decides',
      'npm run orders -- needs-review',
    ),
    waits(
      'Parked',
      parked,
      'paid and not handed over after ten attempts',
      'npm run orders -- parked',
    ),
    waits(
      'Asking',
      (figures.overdueMs ?? 0) > LONGEST_OVERDUE_MS ? figures.overdue : 0,
      'should have been asked about minutes ago',
      'Start the shop, or look in its log for why it cannot ask the service.',
    ),
  ];
}

/**
 * Our own event arriving does not show that the service knows the address: that its webhooks told
 * of what was paid does.
 */
export async function checkTold(database: Database): Promise<Finding> {
  const check = 'Deliveries';
  const now = realClock.now();
  const counted = await new OperatorStore(database)
    .countTold(now - WEBHOOKS_WITHIN_MS, NEWEST_PAID)
    .catch(asNoAnswer(check));
  if ('check' in counted) return counted;
  const { paid, told, firstAt } = counted;
  if (told)
    return {
      check,
      verdict: 'ok',
      says: `Of the newest ${paid} paid, the service's webhooks told of ${told}.`,
    };
  if (now - firstAt < WEBHOOKS_AFTER_MS || !paid)
    return { check, verdict: 'ok', says: 'None is missed: no order was paid of late.' };
  const says = `No webhook of the service told of any of the newest ${paid} paid: the shop learnt of them by asking alone.`;
  return {
    check,
    verdict: 'problem',
    says,
    todo: 'Give the operator of the service the address <PUBLIC_URL>/webhooks/service-pay.',
  };
}

async function checkSchema({ db, kind }: Database): Promise<Finding> {
  const { rows } = await sql<{
    name: string;
  }>`select name from service_pay_migrations order by name desc limit 1`.execute(db);
  const how =
    kind === 'sqlite' ? 'a SQLite file that is synchronised at every commit' : 'PostgreSQL';
  return {
    check: 'Database',
    verdict: 'ok',
    says: `Opens: ${how}, schema ${rows[0]?.name ?? 'unknown'}.`,
  };
}

/** Writes a row as the shop does, and takes it back before anybody sees it. */
export async function checkWriting(database: Database): Promise<Finding> {
  const row = {
    owner: 'doctor',
    key: 'doctor',
    request_hash: '',
    reference: 'doctor',
    created_at: 0,
  };
  const undone = new Error('Undone on purpose.');
  try {
    await database.write(async (trx) => {
      await trx.insertInto('service_pay_idempotency_keys').values(row).execute();
      throw undone;
    });
  } catch (error) {
    if (error !== undone) {
      const todo = 'Look at its rights, at the space left on its disk, and at what else holds it.';
      return {
        check: 'Writing',
        verdict: 'problem',
        says: 'The database takes no writes now.',
        todo,
      };
    }
  }
  return { check: 'Writing', verdict: 'ok', says: 'The database takes writes.' };
}

async function checkSpace(file: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dirname(file));
  const free = bavail * bsize;
  const says = `${(free / 1024 ** 3).toFixed(1)} GB free where the database is.`;
  if (free >= LEAST_FREE_BYTES) return { check: 'Disk', verdict: 'ok', says };
  return {
    check: 'Disk',
    verdict: 'problem',
    says,
    todo: 'Make room: without it the shop answers 503 and takes no orders.',
  };
}

/** A server that answers before a commit is on its disk loses paid orders with the power. */
async function checkKeeping({ db }: Database): Promise<Finding> {
  for (const [name, values] of Object.entries(SETTINGS_THAT_KEEP)) {
    const { rows } = await sql<{
      setting: string;
    }>`select current_setting(${name}) as setting`.execute(db);
    const setting = rows[0]?.setting ?? '';
    if (!values.includes(setting)) {
      const says = `PostgreSQL runs with ${name} = ${setting}: a paid order could be lost with its power.`;
      return {
        check: 'Durability',
        verdict: 'problem',
        says,
        todo: `Set ${name} = on for this database.`,
      };
    }
  }
  return {
    check: 'Durability',
    verdict: 'ok',
    says: 'PostgreSQL has a commit on its disk before it answers.',
  };
}

async function checkDatabaseClock({ db }: Database): Promise<Finding> {
  const askedAt = realClock.now();
  const { rows } = await sql<{
    now: string;
  }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
  const tookMs = realClock.now() - askedAt;
  return judgeClockError(
    Math.round(askedAt + tookMs / 2 - Number(rows[0]?.now)),
    tookMs,
    "the database's",
  );
}

/**
 * Makes a finding of a question to the database that was not answered: what else was found is still
 * worth its telling.
 */
function asNoAnswer(check: string): (error: unknown) => Finding {
  return (error) => {
    if (!isDatabaseFailure(error)) throw error;
    const todo = 'Look at what else holds it, then run this again.';
    return { check, verdict: 'problem', says: 'The database does not answer right now.', todo };
  };
}
