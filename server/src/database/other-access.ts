import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';

import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Our tables and views on PostgreSQL, by their ids. */
export async function listRelations(db: Kysely<Tables>): Promise<number[]> {
  const { rows } = await sql<{ oid: number }>`
    select oid from pg_class where ${IS_OURS}`.execute(db);
  return rows.map(({ oid }) => oid);
}

/** True for a row of `pg_class` that is our table or view. */
export const IS_OURS = sql<boolean>`starts_with(relname, 'service_pay_')
  and relkind in ('r', 'v') and pg_table_is_visible(pg_class.oid)`;

/**
 * Takes the rights on the tables and views that this transaction created, all but the `earlier` ones,
 * away from other roles than their owner. Default privileges grant them, to the web API of many a
 * hosted database for example (T148).
 */
export async function closeRelations(
  trx: Transaction<Tables>,
  earlier: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select distinct format('revoke all on %s from %s cascade', oid::regclass, ${nameOf('grantee')})
      as statement
    from pg_class, aclexplode(relacl)
    where ${IS_OURS} and oid <> all(${earlier}) and grantee <> relowner`.execute(trx);
  for (const { statement } of rows) await sql.raw(statement).execute(trx);
}

/** The roles besides the owner and the current user that can read or write our tables. */
export interface OtherAccess {
  /** Those that can do more than read the view `service_pay_orders`, also as members of another. */
  roles: readonly string[];
  /** Those that can only read the view. */
  readers: readonly string[];
  /** Takes the rights of `roles` away, by a statement for each. */
  fix: string;
}

interface Granted {
  relation: string;
  isRead: boolean;
  grantee: string;
  grantor: string;
  members: readonly string[];
}

/**
 * Finds the roles that can read or write our tables on PostgreSQL. Leaves out superusers, and members
 * of the owner, because no right on a table decides what they can do.
 */
export async function findOtherAccess(db: Kysely<Tables>): Promise<OtherAccess> {
  const granted = await selectGranted(db);
  const isReader = (name: string) =>
    granted.every(({ grantee, isRead }) => grantee !== name || isRead);
  const grantees = unique(granted.map(({ grantee }) => grantee));
  const closed = granted.filter(({ grantee }) => !isReader(grantee));
  const members = unique(closed.flatMap((one) => one.members)).filter(
    (name) => !grantees.includes(name),
  );
  return {
    roles: [...grantees.filter((name) => !isReader(name)), ...members],
    readers: grantees.filter(isReader),
    fix: writeRevokes(closed),
  };
}

/** Logs the roles that can read or write the tables. Never fails, because it only informs. */
export async function reportOtherAccess(
  { kind, db }: Pick<Database, 'kind' | 'db'>,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  if (kind !== 'postgres') return;
  try {
    const { roles, fix } = await findOtherAccess(db);
    if (roles.length) log.warn({ roles, fix }, 'other roles can read or write the tables');
  } catch (err) {
    log.warn({ err }, 'rights of other roles not read');
  }
}

/**
 * Writes a statement for each role, because one may be a user of the shop. A right that a role passed
 * on ends with its own right, by `cascade`.
 */
function writeRevokes(granted: readonly Granted[]): string {
  const grantees = unique(granted.map(({ grantee }) => grantee));
  const first = granted.filter(({ grantor }) => !grantees.includes(grantor));
  const cascade = first.length < granted.length ? ' cascade' : '';
  return unique(first.map(({ grantor }) => grantor))
    .map((grantor) => {
      const own = first.filter((one) => one.grantor === grantor);
      const revokes = unique(own.map(({ grantee }) => grantee)).map((grantee) => {
        const relations = own.filter((one) => one.grantee === grantee).map((one) => one.relation);
        return `revoke all on ${unique(relations).join(', ')} from ${grantee}${cascade};`;
      });
      return `as ${grantor}, run: ${revokes.join(' ')}`;
    })
    .join(' Then ');
}

/** Rights on columns count, too. Rights in a schema that a role cannot use do not. */
async function selectGranted(db: Kysely<Tables>): Promise<Granted[]> {
  const { rows } = await sql<Granted>`
    with ours as (
      select oid, relname, relnamespace, relowner, relacl,
        pg_has_role(current_user, relowner, 'usage') as is_owned
      from pg_class where ${IS_OURS}
    ), granted as (
      select ours.*, grantee, grantor, privilege_type from ours, aclexplode(relacl)
      union all
      select ours.*, grantee, grantor, privilege_type
      from ours join pg_attribute on attrelid = ours.oid, aclexplode(attacl)
    )
    select format('%I.%I', nspname, relname) as relation,
      bool_and(relname = 'service_pay_orders' and privilege_type = 'SELECT') as "isRead",
      ${nameOf('grantee')} as grantee, ${nameOf('grantor')} as grantor,
      array(
        select quote_ident(rolname) from pg_roles
        where grantee <> 0 and pg_roles.oid <> grantee and rolname <> current_user
          and pg_has_role(pg_roles.oid, grantee, 'member') and not rolsuper
          and not pg_has_role(pg_roles.oid, relowner, 'usage')
        order by rolname) as members
    from granted join pg_namespace on pg_namespace.oid = relnamespace
    where grantee <> relowner and not exists (
      select 1 from pg_roles where pg_roles.oid = grantee and (
        rolsuper or rolname = current_user or pg_has_role(rolname, relowner, 'usage')
        -- the application has its rights through this role
        or (not is_owned and pg_has_role(current_user, rolname, 'usage'))))
      and (grantee = 0 or exists (
        select 1 from pg_roles where not rolsuper and pg_has_role(pg_roles.oid, grantee, 'member')
          and not pg_has_role(pg_roles.oid, relowner, 'usage')
          and has_schema_privilege(pg_roles.oid, relnamespace, 'usage')))
    group by nspname, relname, relowner, grantee, grantor
    order by grantee, relname`.execute(db);
  return rows;
}

/** The name of a role in SQL. The role 0 is PUBLIC. */
function nameOf(column: string): RawBuilder<string> {
  const oid = sql.ref(column);
  return sql`case ${oid} when 0 then 'public' else quote_ident(pg_get_userbyid(${oid})) end`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
