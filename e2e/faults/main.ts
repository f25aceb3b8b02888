import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { withBrokenBuild } from './broken-build.ts';
import type { DatabaseKind, Harness, HarnessOptions, HarnessResult } from './harness.ts';
import { HARNESSES } from './harnesses.ts';

// `npm run faults [-- F1 F3 …] [--database sqlite|postgres] [--short] [--broken] [--seed 7] [--minutes 30] [--source folder]`: one table, exit 1 where anything was lost.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    short: { type: 'boolean', default: false },
    broken: { type: 'boolean', default: false },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    source: { type: 'string' },
  },
});
const wanted = HARNESSES.filter(({ id }) => !positionals.length || positionals.includes(id));
const unknown = positionals.filter((id) => !HARNESSES.some((harness) => harness.id === id));
if (unknown.length) {
  console.error(`There is no harness called ${unknown.join(', ')}. Name any of: ${HARNESSES.map(({ id }) => id).join(', ')}.`);
  process.exit(1);
}

const began = performance.now();
let isSurvived = true;
for (const harness of wanted) {
  for (const database of harness.databases.filter((kind) => !values.database || kind === values.database)) {
    if (values.broken) await runBroken(harness, database);
    else isSurvived = print(harness, await harness.run(options(database)), 'survived') && isSurvived;
  }
}
console.log(
  `\n${isSurvived ? (values.broken ? 'Every broken build was noticed' : 'Nothing was lost') : 'NOT SURVIVED'}, in ${((performance.now() - began) / 60_000).toFixed(1)} min.`,
);
process.exit(isSurvived ? 0 : 1);

function options(database: DatabaseKind): HarnessOptions {
  return {
    database,
    scale: values.short ? 'short' : 'full',
    ...(values.seed !== undefined && { seed: Number(values.seed) }),
    ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
    ...(values.source !== undefined && { source: resolve(values.source) }),
  };
}

/** Each broken build must be noticed: a harness that lets one pass proves nothing. */
async function runBroken(harness: Harness, database: DatabaseKind): Promise<void> {
  for (const build of harness.broken.filter(({ databases }) => !databases || databases.includes(database))) {
    const result = await withBrokenBuild(
      build.patches,
      (source) => harness.run({ ...options(database), source, ...(build.script && { script: build.script }) }),
      options(database).source,
    );
    console.log(`\n${result.id} ${database}: a build that ${build.name}: ${result.failures.length ? 'noticed' : 'NOT NOTICED'}`);
    for (const failure of result.failures) console.log(`  ${failure}`);
    if (!result.failures.length) isSurvived = false;
  }
}

function print({ what }: Harness, { id, database, figures, failures }: HarnessResult, good: string): boolean {
  console.log(`\n${id} ${what}, ${database}: ${failures.length ? 'NOT SURVIVED' : good}`);
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(34)} ${value}`);
  for (const failure of failures) console.log(`  ! ${failure}`);
  return failures.length === 0;
}
