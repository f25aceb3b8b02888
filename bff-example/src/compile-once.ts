import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';

import type { Tables } from './tables.ts';

/** Stands in a statement for the value of that name, which each run brings. */
export type Given<Values> = <Name extends keyof Values>(name: Name) => Expression<Values[Name]>;

/**
 * A statement whose text is made at its first run: Kysely else builds it anew each time, which costs ten times what SQLite
 * needs to run it. Gives a function that runs it, in a transaction or outside, with the values of that time.
 */
export function compileOnce<Values extends object, Row>(
  build: (db: Kysely<Tables>, given: Given<Values>) => Compilable<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, values) => {
    compiled ??= build(db, (name) => sql.val(new NamedValue(name) as never)).compile();
    const parameters = compiled.parameters.map((value) => (value instanceof NamedValue ? values[value.name as keyof Values] : value));
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}

class NamedValue {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}
