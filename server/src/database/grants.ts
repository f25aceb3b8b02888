import { type Kysely, sql } from 'kysely';

import { IS_OURS } from './other-access.ts';
import type { Tables } from './schema.ts';

/** Rights could not be granted. */
export class GrantError extends Error {
  override readonly name = 'GrantError';
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}

/** The statements that grant a role what an application needs if it does not own our tables. */
export interface Grants {
  ofSchema: string;
  ofTables: readonly string[];
}

/** Returns the statements for a role, which is written as in SQL. */
export async function writeGrants(db: Kysely<Tables>, role: string): Promise<Grants> {
  const { rows } = await sql<{ schema: string; name: string; isWritten: boolean }>`
    select quote_ident(nspname) as schema, format('%I.%I', nspname, relname) as name,
      relkind = 'r' and relname <> 'service_pay_migrations' as "isWritten"
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where ${IS_OURS} order by relname`.execute(db);
  const namesOf = (isWritten: boolean) =>
    rows
      .filter((row) => row.isWritten === isWritten)
      .map(({ name }) => name)
      .join(', ');
  return {
    ofSchema: `grant usage on schema ${rows[0]!.schema} to ${role};`,
    ofTables: [
      `grant select, insert, update, delete on ${namesOf(true)} to ${role};`,
      `grant select on ${namesOf(false)} to ${role};`,
    ],
  };
}

/** Grants a role what `writeGrants` lists. Fails if it does not have all of it afterwards. */
export async function grantTo(db: Kysely<Tables>, role: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(rolname) as name from pg_roles where rolname = ${role}`.execute(db);
  const [{ name } = { name: undefined }] = rows;
  if (!name)
    throw new GrantError(
      `it has no role ${JSON.stringify(role)}`,
      'Create the role, or correct the name after --grant-to.',
    );
  const { ofSchema, ofTables } = await writeGrants(db, name);
  const { mayUse, mayGrant } = await readRightOfSchema(db, role);
  if (!mayUse && !mayGrant)
    throw new GrantError(
      `the role ${name} may not use its schema`,
      `As the owner of the schema, run: ${ofSchema}`,
    );
  for (const statement of mayUse ? ofTables : [ofSchema, ...ofTables])
    await sql.raw(statement).execute(db);
  if (!(await hasAll(db, role)))
    throw new GrantError(
      'not all rights could be granted',
      'Run this with the address of the user who owns the tables.',
    );
}

async function readRightOfSchema(db: Kysely<Tables>, role: string) {
  const { rows } = await sql<{ mayUse: boolean; mayGrant: boolean }>`
    select has_schema_privilege(${role}, relnamespace, 'usage') as "mayUse",
      has_schema_privilege(relnamespace, 'usage with grant option') as "mayGrant"
    from pg_class where ${IS_OURS} limit 1`.execute(db);
  return rows[0]!;
}

/** A user with a part of the rights to grant gets no error, only a warning. */
async function hasAll(db: Kysely<Tables>, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class, unnest(array['select', 'insert', 'update', 'delete']) as privilege
    where ${IS_OURS} and not has_table_privilege(${role}, oid, privilege)
      and (privilege = 'select' or (relkind = 'r' and relname <> 'service_pay_migrations'))`.execute(
    db,
  );
  return rows.length === 0;
}
