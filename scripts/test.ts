import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runChecks } from './lint/checks.ts';
import { pack } from './packages/pack.ts';
import { PACKAGES } from './packages/packages.ts';
import { requireBrowser, requireHeadlessShell } from './programs/find-browser.ts';
import { ROOT, runNode, runTool } from './programs/run-tool.ts';
import { countTests, failedTests, sumTallies, type Tally, tallyLine } from './test/tally.ts';

// `npm test` is the gate: all checks, unit and component tests, and the journeys tagged `@gate`.
// `npm run test:all` (`--all`) adds the other journeys and the `*.long.test.ts`.
// `-- unit journeys` runs these suites only, `-- --shard 1/2` half of them, and
// `-- journeys --browser firefox` the journeys in that browser of Playwright's.

const REPORTS = join(ROOT, 'reports');

/**
 * Test databases are kept in memory if there is room: a busy disk may delay a commit for longer
 * than the shop waits.
 */
const MEMORY = '/dev/shm';
const ROOM_FOR_DATABASES = 4e9;

const {
  values: { all, browser, shard },
  positionals: named,
} = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    browser: { type: 'string', default: 'chromium' },
    shard: { type: 'string' },
  },
});

const SUITES: Record<string, () => Promise<Tally>> = {
  check: runCheckSuite,
  unit: () => runVitest('unit', 'gate'),
  components: () => runRunner('components', 'wtr', [], { cwd: join(ROOT, 'widget'), quiet: true }),
  journeys: () =>
    runPlaywright('journeys', 'e2e', [
      ...['--project', browser],
      ...(all ? [] : ['--grep', '@gate']),
    ]),
  long: () => runVitest('long', 'long'),
  faults: () => runVitest('faults', 'faults'),
};
/**
 * Browser suites run beside the others, since most tests wait for something. Their output is kept
 * until each ends.
 */
const IN_BROWSERS = ['components', 'journeys'];
/** Runs after the others, since it puts a shop under load. */
const ALONE = 'faults';
const ONLY_IN_ALL = ['long', ALONE];
/** Suites that cannot be split run in the first shard. */
const ONLY_IN_FIRST_SHARD = ['check', 'components'];

const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(
    `Unknown suite: ${unknown.join(', ')}. Choose from: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(1);
}

try {
  process.env.HEADLESS_SHELL_PATH = requireHeadlessShell();
  process.env.BROWSER_PATH = requireBrowser();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
if (all) process.env.DRAW_ANEW = 'yes';
process.env.TEST_DATABASE_FOLDER ??=
  existsSync(MEMORY) && memoryLeft() > ROOM_FOR_DATABASES ? MEMORY : tmpdir();
const isFirstShard = shard === undefined || shard.startsWith('1/');
const wanted = Object.keys(SUITES)
  .filter((name) => (named.length ? named.includes(name) : all || !ONLY_IN_ALL.includes(name)))
  .filter((name) => isFirstShard || !ONLY_IN_FIRST_SHARD.includes(name));
const tally = await runSuites(wanted);
console.log(tallyLine(tally));
process.exit(tally.failed === 0 ? 0 : 1);

/** Runs the suites; the runners print their own summaries. */
async function runSuites(names: string[]): Promise<Tally> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS);
  const { exitCode } = await runNode([join(ROOT, 'scripts/build.ts'), 'widget']);
  if (exitCode !== 0) return { passed: 0, failed: 1, skipped: 0 };
  const tallies = new Map<string, Tally>();
  const runInSequence = async (suites: string[]) => {
    for (const name of suites) tallies.set(name, (await SUITES[name]?.()) as Tally);
  };
  if (names.includes('long')) await packOnce();
  await Promise.all([
    runInSequence(names.filter((name) => !IN_BROWSERS.includes(name) && name !== ALONE)),
    runInSequence(names.filter((name) => IN_BROWSERS.includes(name))),
  ]);
  await runInSequence(names.filter((name) => name === ALONE));
  console.log('');
  for (const [name, tally] of tallies) {
    console.log(`${name}: ${tallyLine(tally)}`);
    for (const test of failedTests(reportOf(name))) console.log(`  failed: ${test}`);
  }
  return sumTallies([...tallies.values()]);
}

async function runCheckSuite(): Promise<Tally> {
  const checks = await runChecks();
  for (const { name, passed, output } of checks)
    console.log(passed ? `ok     ${name}` : `FAILED ${name}\n${output}`);
  const failed = checks.filter(({ passed }) => !passed).length;
  return { passed: checks.length - failed, failed, skipped: 0 };
}

function runVitest(name: string, project: string): Promise<Tally> {
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json'];
  return runRunner(name, 'vitest', [...args, `--outputFile.json=${reportOf(name)}`, ...shards()]);
}

function runPlaywright(name: string, config: string, more: string[] = []): Promise<Tally> {
  const args = ['test', '--config', config, '--reporter=list,json', ...shards(), ...more];
  return runRunner(name, 'playwright', args, { quiet: true });
}

async function runRunner(
  name: string,
  tool: string,
  args: string[],
  options: { cwd?: string; quiet?: boolean } = {},
): Promise<Tally> {
  const env = { REPORT_FILE: reportOf(name), PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf(name) };
  const { exitCode, output } = await runTool(tool, args, { ...options, env });
  if (options.quiet) console.log(output);
  return countTests(reportOf(name), exitCode);
}

function reportOf(name: string): string {
  return join(REPORTS, `${name}.json`);
}

function shards(): string[] {
  return shard === undefined ? [] : ['--shard', shard];
}

/**
 * Packs our packages for every test that installs them. If that fails, each of those packs for
 * itself, fails and says why.
 */
async function packOnce(): Promise<void> {
  const folder = join(REPORTS, 'packed');
  await Promise.allSettled(PACKAGES.map((workspace) => pack(workspace, folder)));
  process.env.PACKED_FOLDER = folder;
}

function memoryLeft(): number {
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory());
}
