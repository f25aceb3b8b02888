import { type Compilable, type CompiledQuery, type Expression, type Kysely, sql } from 'kysely';

import type { Tables } from './tables.ts';

/** Stands in a statement for the value of that name, which each run brings. */
export type Given<Values> = <Name extends keyof Values>(name: Name) => Expression<Values[Name]>;

/** How many rows a statement for many is made for. A few rows too many are the last one again. */
const SIZES = [1, 4, 16, 64, 256] as const;
const LARGEST_SIZE = 256;

/**
 * A statement whose text is made at its first run: Kysely else builds it anew each time, which
 * costs ten times what SQLite needs to run it. Gives a function that runs it, in a transaction or
 * outside, with the values of that time.
 */
export function compileOnce<Values extends object, Row>(
  build: (db: Kysely<Tables>, given: Given<Values>) => Compilable<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return (db, values) => {
    compiled ??= build(db, giveFrom(0)).compile();
    return execute(db, compiled, [values]);
  };
}

/**
 * The same for a statement on many rows, which is made for a few numbers of them. A row may stand
 * in it more than once, so it must do the same then. More rows than one statement takes are done by
 * several.
 */
export function compileForMany<Item extends object, Shared extends object, Row>(
  build: (
    db: Kysely<Tables>,
    rows: readonly Given<Item>[],
    given: Given<Shared>,
  ) => Compilable<Row>,
): (db: Kysely<Tables>, items: readonly Item[], shared: Shared) => Promise<Row[]> {
  const compiled = new Map<number, CompiledQuery<Row>>();
  return async (db, items, shared) => {
    const found: Row[] = [];
    for (let at = 0; at < items.length; at += LARGEST_SIZE) {
      const some = items.slice(at, at + LARGEST_SIZE);
      const size = SIZES.find((fits) => fits >= some.length) ?? LARGEST_SIZE;
      while (some.length < size) some.push(some.at(-1)!);
      const rows = some.map((_, row) => giveFrom<Item>(row + 1));
      const statement = compiled.get(size) ?? build(db, rows, giveFrom(0)).compile();
      compiled.set(size, statement);
      found.push(...(await execute(db, statement, [shared, ...some])));
    }
    return found;
  };
}

/** PostgreSQL takes a value whose type it cannot see for text. */
export function cast<Value>(value: Expression<Value>, type: 'text' | 'bigint') {
  return sql<Value>`cast(${value} as ${sql.raw(type)})`;
}

function giveFrom<Values>(source: number): Given<Values> {
  return (name) => sql.val(new NamedValue(source, name) as never);
}

async function execute<Row>(
  db: Kysely<Tables>,
  compiled: CompiledQuery<Row>,
  sources: readonly object[],
): Promise<Row[]> {
  const parameters = compiled.parameters.map((value) =>
    value instanceof NamedValue
      ? (sources[value.source] as Record<PropertyKey, unknown>)[value.name]
      : value,
  );
  const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
  return rows;
}

class NamedValue {
  readonly source: number;
  readonly name: PropertyKey;

  constructor(source: number, name: PropertyKey) {
    this.source = source;
    this.name = name;
  }
}
