import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database, OpenHooks } from './database.ts';
import { closeRelations, listRelations } from './other-access.ts';
import type { Tables } from './schema.ts';

type Kind = Database['kind'];

const TABLE = 'service_pay_migrations';

const MIGRATION_LOCK = 7_203_114_559_018;

const OLD_TABLE = 'kysely_migration';
const OLD_STEP = '0001-orders-and-payments';

/** Looks at a database before anything is changed. Rejects a newer schema (T109). */
export async function inspect(db: Kysely<Tables>, kind: Kind, hooks: OpenHooks) {
  await readVersion(db, kind);
  await hooks.before?.(db, kind);
}

/** Brings the schema up to date, in the transaction of the caller. Rejects a newer schema (T109). */
export async function migrate(trx: Transaction<Tables>, kind: Kind, hooks: OpenHooks) {
  await lockSchema(trx, kind);
  const { steps, missing } = await readVersion(trx, kind);
  // needs a right to create only if there is something to do
  if (missing.length) await runSteps(trx, kind, steps, missing);
  await hooks.after?.(trx, kind, missing);
}

/** Lets one instance migrate at a time. SQLite has locked the file already. */
export async function lockSchema(trx: Transaction<Tables>, kind: Kind): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
}

async function runSteps(
  trx: Transaction<Tables>,
  kind: Kind,
  steps: Record<string, readonly string[]>,
  missing: readonly string[],
): Promise<void> {
  const earlier = kind === 'postgres' ? await listRelations(trx) : [];
  await sql`create table if not exists ${sql.table(TABLE)}
    (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  for (const name of missing) {
    for (const statement of steps[name]!) await sql.raw(statement).execute(trx);
    await sql`insert into ${sql.table(TABLE)} values (${name}, current_timestamp)`.execute(trx);
  }
  if (kind === 'postgres') await closeRelations(trx, earlier);
}

/** Asserts that the schema is that of this version, and changes nothing. */
export async function assertUpToDate(db: Kysely<Tables>, kind: Kind): Promise<void> {
  const { isEmpty, missing } = await readVersion(db, kind);
  if (isEmpty) throw new Error('it has no tables of a shop');
  if (missing.length) {
    throw new Error(
      `its schema is older than this program (without ${missing.join(', ')}): take a backup, then start this version of the shop on it once, or run npx --no -- service-pay migrate`,
    );
  }
}

/** Returns the table of payments, also that of version 0.1.0. */
export async function findPayments(
  db: Kysely<Tables>,
  kind: Kind,
): Promise<'service_pay_payments' | 'payments' | undefined> {
  if (await hasTable(db, kind, 'service_pay_payments')) return 'service_pay_payments';
  return (await isOfFirstVersion(db, kind)) ? 'payments' : undefined;
}

/** Distinguishes the tables of version 0.1.0 from an application's tables of the same names. */
async function isOfFirstVersion(db: Kysely<Tables>, kind: Kind): Promise<boolean> {
  return (await readNames(db, kind, OLD_TABLE)).includes(OLD_STEP);
}

async function readVersion(db: Kysely<Tables>, kind: Kind) {
  const done = await readNames(db, kind, TABLE);
  const isOld = !done.length && (await isOfFirstVersion(db, kind));
  const steps = buildSteps(kind, isOld);
  const newer = done.filter((name) => !(name in steps));
  if (newer.length) {
    throw new Error(
      `its schema is newer than this program (${newer.join(', ')}): start the version that made it, or a later one`,
    );
  }
  const missing = Object.keys(steps).filter((name) => !done.includes(name));
  return { isEmpty: !done.length && !isOld, steps, missing };
}

/**
 * Returns whether a table exists. On PostgreSQL, not by `to_regclass`, which does not see a table that
 * another instance created while this transaction waited for the lock.
 */
export async function hasTable(db: Kysely<Tables>, kind: Kind, table: string): Promise<boolean> {
  const found =
    kind === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${table}`
      : sql`select 1 from pg_class where relname = ${table} and pg_table_is_visible(oid)`;
  return (await found.execute(db)).rows.length > 0;
}

async function readNames(db: Kysely<Tables>, kind: Kind, table: string): Promise<string[]> {
  if (!(await hasTable(db, kind, table))) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Numbered schema steps, forward only. A released step is never edited. Amounts are TEXT, because a
 * numeric column turns `10.00` into 10. Times are milliseconds since 1970. On PostgreSQL, text is
 * compared by its bytes, as on SQLite (T114). To change a view, `create or replace` it, which keeps
 * the rights that somebody granted.
 */
function buildSteps(kind: Kind, isOld: boolean): Record<string, readonly string[]> {
  const isPostgres = kind === 'postgres';
  const text = isPostgres ? 'text collate "C"' : 'text';
  const time = isPostgres ? 'bigint' : 'integer';
  const tables = [
    `create table service_pay_payments (
      reference ${text} primary key, order_id ${text} not null, owner ${text} not null,
      data ${text} not null, amount ${text} not null, currency ${text} not null,
      state ${text} not null check (state in
        ('awaiting-payment', 'paid', 'failed', 'expired', 'needs-review', 'refused')),
      review_reason ${text}, created_at ${time} not null, moved_at ${time} not null,
      check_at ${time} not null, check_pause_ms ${time} not null)`,
    `create table service_pay_webhook_deliveries (
      id ${text} primary key, event ${text} not null, reference ${text}, body ${text} not null,
      received_at ${time} not null, handled_at ${time})`,
    `create table service_pay_fulfilments (
      order_id ${text} primary key,
      reference ${text} not null unique references service_pay_payments (reference),
      state ${text} not null check (state in ('waiting', 'done', 'parked')),
      attempts integer not null, due_at ${time} not null, lease_owner ${text},
      lease_version integer not null, lease_until ${time} not null, created_at ${time} not null)`,
    `create table service_pay_idempotency_keys (
      owner ${text} not null, key ${text} not null, request_hash ${text} not null,
      reference ${text} not null, created_at ${time} not null, primary key (owner, key))`,
  ];
  // Instances share here when they last verified a payment (D59). The table may be lost.
  if (isPostgres)
    tables.push(
      'create unlogged table service_pay_asks (reference text collate "C" primary key, asked_at bigint not null)',
    );

  return {
    '0007-own-tables': [...tables, ...(isOld ? TAKE_OVER : []), ...INDEXES],
    '0008-last-error-of-fulfil': [
      `alter table service_pay_fulfilments add column last_error ${text}`,
      `alter table service_pay_fulfilments add column done_at ${time}`,
    ],
    '0009-how-it-was-paid': [
      `alter table service_pay_payments add column paid_at ${time}`,
      `alter table service_pay_payments add column paid_with ${text}`,
    ],
    '0010-orders-for-people': [
      `create table service_pay_decisions (
        reference ${text} not null references service_pay_payments (reference),
        decision ${text} not null check (decision in ('accept', 'refuse', 'redrive')),
        who ${text} not null, decided_at ${time} not null)`,
      'create index service_pay_decisions_of_payment on service_pay_decisions (reference)',
      'create index service_pay_payments_by_age on service_pay_payments (created_at, reference)',
      ORDERS_VIEW,
    ],
    '0011-environments': [
      `create table service_pay_environments (
        service ${text} not null, public_key ${text} not null, added_at ${time} not null,
        primary key (service, public_key))`,
    ],
    '0012-closed-orders': isPostgres ? ALLOW_CLOSED : REBUILD_WITH_CLOSED,
    // The package's own marks have an owner that no shop can have. They have no hash of a request.
    '0013-own-marks': [
      `update service_pay_idempotency_keys set owner = '', key = 'unknown-reference ' || key
        where owner = 'unknown-reference' and request_hash = ''`,
    ],
  };
}

const STATES_WITH_CLOSED = "check (state in ('waiting', 'done', 'parked', 'closed'))";
const DECISIONS_WITH_CLOSE = "check (decision in ('accept', 'refuse', 'redrive', 'close'))";

const ALLOW_CLOSED = [
  `alter table service_pay_fulfilments drop constraint service_pay_fulfilments_state_check,
    add constraint service_pay_fulfilments_state_check ${STATES_WITH_CLOSED}`,
  `alter table service_pay_decisions drop constraint service_pay_decisions_decision_check,
    add constraint service_pay_decisions_decision_check ${DECISIONS_WITH_CLOSE},
    add column if not exists reason text collate "C"`,
];

/**
 * SQLite changes no check of a table. Copies the rows away and back and renames nothing, because
 * SQLite rejects a rename while a view, also one of the merchant, reads the table.
 */
const REBUILD_WITH_CLOSED = [
  'create table service_pay_old_fulfilments as select * from service_pay_fulfilments',
  'drop table service_pay_fulfilments',
  `create table service_pay_fulfilments (
    order_id text primary key,
    reference text not null unique references service_pay_payments (reference),
    state text not null ${STATES_WITH_CLOSED},
    attempts integer not null, due_at integer not null, lease_owner text,
    lease_version integer not null, lease_until integer not null, created_at integer not null,
    last_error text, done_at integer)`,
  'insert into service_pay_fulfilments select * from service_pay_old_fulfilments',
  'drop table service_pay_old_fulfilments',
  "create index service_pay_fulfilments_due on service_pay_fulfilments (due_at) where state = 'waiting'",
  "create index service_pay_fulfilments_parked on service_pay_fulfilments (created_at) where state = 'parked'",
  'create table service_pay_old_decisions as select * from service_pay_decisions',
  'drop table service_pay_decisions',
  `create table service_pay_decisions (
    reference text not null references service_pay_payments (reference),
    decision text not null ${DECISIONS_WITH_CLOSE},
    who text not null, decided_at integer not null, reason text)`,
  `insert into service_pay_decisions
    select reference, decision, who, decided_at, null from service_pay_old_decisions`,
  'drop table service_pay_old_decisions',
  'create index service_pay_decisions_of_payment on service_pay_decisions (reference)',
];

/** For people and their tools. A join, because PostgreSQL lets nobody write to one. */
const ORDERS_VIEW = `create view service_pay_orders as
  select payment.reference, payment.order_id, payment.owner, payment.data, payment.amount,
    payment.currency, payment.state, payment.review_reason as reason, payment.created_at,
    payment.moved_at as state_since, payment.paid_at, fulfilment.state as fulfilment,
    fulfilment.done_at as fulfilled_at, fulfilment.last_error
  from service_pay_payments as payment
  left join service_pay_fulfilments as fulfilment on fulfilment.reference = payment.reference`;

/** Moves the records of version 0.1.0, whose table names could clash with an application's. */
const TAKE_OVER = [
  `insert into service_pay_payments
   select reference, order_id, browser_id, '{"customer":' || customer || ',"lines":' || lines || '}',
     payments.amount, payments.currency, state, review_reason, payments.created_at, moved_at, check_at, check_pause_ms
   from payments join orders on orders.id = order_id`,
  `insert into service_pay_webhook_deliveries
   select id, event, reference, body, received_at, handled_at from webhook_deliveries`,
  `insert into service_pay_fulfilments
   select order_id, reference, state, attempts, due_at, lease_owner, lease_version, lease_until, created_at from fulfilments`,
  `insert into service_pay_idempotency_keys
   select browser_id, key, request_hash, reference, created_at from idempotency_keys`,
  'drop table idempotency_keys',
  'drop table fulfilments',
  'drop table webhook_deliveries',
  'drop table payments',
  'drop table orders',
  'drop table if exists asks',
  `drop table ${OLD_TABLE}`,
  `drop table if exists ${OLD_TABLE}_lock`,
];

const INDEXES = [
  'create index service_pay_payments_of_order on service_pay_payments (order_id)',
  'create index service_pay_payments_of_owner on service_pay_payments (owner)',
  'create index service_pay_payments_by_state on service_pay_payments (state, created_at)',
  "create index service_pay_payments_due on service_pay_payments (check_at) where state not in ('paid', 'refused')",
  'create index service_pay_deliveries_waiting on service_pay_webhook_deliveries (reference) where handled_at is null',
  'create index service_pay_deliveries_by_age on service_pay_webhook_deliveries (received_at)',
  "create index service_pay_fulfilments_due on service_pay_fulfilments (due_at) where state = 'waiting'",
  "create index service_pay_fulfilments_parked on service_pay_fulfilments (created_at) where state = 'parked'",
  'create index service_pay_keys_by_age on service_pay_idempotency_keys (created_at)',
];
