import { parseArgs } from 'node:util';

import sharePostgres from '../../scripts/test/test-postgres.ts';
import type { BrokenBuild, DatabaseKind, Harness, HarnessOptions } from './harness.ts';
import { HARNESSES } from './harnesses.ts';
import { brokenOn, notice } from './notice.ts';

// `npm run faults [-- F1 F3 …] [--database sqlite|postgres] [--short] [--broken] [--seed 7]
// [--minutes 30]`: one table, exit 1 where anything was lost. With `--broken` each harness is shown
// to notice its broken builds, too, in its short form; `F10` is that alone, for all of them or those
// named beside it.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    short: { type: 'boolean', default: false },
    broken: { type: 'boolean', default: false },
    seed: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const named = positionals.filter((id) => id !== 'F10');
const isBrokenAlone = named.length < positionals.length;
const isBroken = values.broken || isBrokenAlone;
const wanted = HARNESSES.filter(({ id }) => !named.length || named.includes(id));
const unknown = named.filter((id) => !HARNESSES.some((harness) => harness.id === id));
if (unknown.length) {
  console.error(
    `There is no harness called ${unknown.join(', ')}. Name any of: ${HARNESSES.map(({ id }) => id).join(', ')}, F10.`,
  );
  process.exit(1);
}

await sharePostgres();
const began = performance.now();
const table: string[] = [];
let isSurvived = true;
let isAllRun = true;
for (const harness of wanted) {
  if (harness.whyNotHere) {
    table.push(`${harness.id.padEnd(4)} ${harness.what.padEnd(46)} not run: ${harness.whyNotHere}`);
    isAllRun = false;
    continue;
  }
  for (const database of harness.databases.filter(
    (kind) => !values.database || kind === values.database,
  )) {
    if (!isBrokenAlone) await harm(harness, database);
    if (isBroken)
      for (const build of brokenOn(harness, database)) await runBroken(harness, build, database);
  }
}
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
const verdict = isSurvived
  ? `Nothing was lost${isAllRun ? '' : ' in what was run'}`
  : 'NOT SURVIVED';
const ofBroken = isBroken
  ? 'The broken builds were run'
  : 'The broken builds were not run: `npm run faults -- F10` does';
console.log(`\n${table.join('\n')}\n\n${verdict}, in ${minutes} min.\n${ofBroken}.`);
process.exit(isSurvived ? 0 : 1);

async function harm(harness: Harness, database: DatabaseKind): Promise<void> {
  const startedAt = performance.now();
  const { figures, failures } = await harness
    .run(options(database))
    .catch((error: Error) => ({ figures: {}, failures: [String(error.stack)] }));
  console.log(`\n${harness.id} ${harness.what}, ${database}`);
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(40)} ${value}`);
  note(harness, database, failures.length ? 'NOT SURVIVED' : 'survived', startedAt, failures);
  if (failures.length) isSurvived = false;
}

/** Fails a harness that does not notice its broken build. */
async function runBroken(
  harness: Harness,
  build: BrokenBuild,
  database: DatabaseKind,
): Promise<void> {
  const startedAt = performance.now();
  const found = await notice(harness, build, options(database)).catch((error: Error) => error);
  const isNoticed = Array.isArray(found) && found.length > 0;
  const failures = Array.isArray(found) ? found : [String(found.stack)];
  note(
    harness,
    database,
    `${isNoticed ? 'notices' : 'DOES NOT NOTICE'} a shop that ${build.name}`,
    startedAt,
    failures,
  );
  if (!isNoticed) isSurvived = false;
}

function note(
  { id, what }: Harness,
  database: DatabaseKind,
  verdict: string,
  startedAt: number,
  failures: string[],
): void {
  for (const failure of failures) console.log(`  ! ${failure}`);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  table.push(
    `${id.padEnd(4)} ${what.padEnd(46)} ${database.padEnd(9)} ${seconds.padStart(5)} s  ${verdict}`,
  );
}

function options(database: DatabaseKind): HarnessOptions {
  return {
    database,
    scale: values.short ? 'short' : 'full',
    ...(values.seed !== undefined && { seed: Number(values.seed) }),
    ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
  };
}
