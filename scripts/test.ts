import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runChecks } from './lint/checks.ts';
import { PACKAGES, pack } from './packages/pack.ts';
import { installDebianPackages } from './programs/debian-packages.ts';
import { requireBrowser } from './programs/find-browser.ts';
import { provideEngines } from './programs/find-engines.ts';
import { ROOT, runNode, runTool } from './programs/run-tool.ts';
import { countTests, sumTallies, type Tally, tallyLine } from './test/tally.ts';

// `npm test` is the gate: all checks, unit and component tests, and the journeys tagged `@gate`.
// `npm run test:all` (`--all`) adds the other journeys, the other engines and the `*.long.test.ts`.
// `-- unit journeys` runs these suites only, `-- --shard 1/2` half of them, and
// `-- journeys --browser firefox` the journeys in that browser of Playwright's.

const REPORTS = join(ROOT, 'reports');

/**
 * Test databases are kept in memory if there is room: a busy disk may delay a commit for longer
 * than the shop waits.
 */
const MEMORY = '/dev/shm';
const ROOM_FOR_DATABASES = 4e9;

/** Programs that try out the configuration of nginx and the alerts, as Debian names them. */
const OPERATING_PROGRAMS = [
  { program: '/usr/sbin/nginx', debianPackage: 'nginx' },
  { program: '/usr/bin/promtool', debianPackage: 'prometheus' },
];

const SUITES: Record<string, () => Promise<Tally>> = {
  check: runCheckSuite,
  unit: () => runVitest('unit', 'gate'),
  components: runComponentTests,
  journeys: () =>
    runPlaywright('journeys', 'e2e', [
      ...['--project', browser],
      ...(all ? [] : ['--grep', '@gate']),
    ]),
  engines: runEngines,
  long: () => runVitest('long', 'long'),
};
/**
 * Browser suites run beside the others, since most tests wait for something. Their output is kept
 * until each ends.
 */
const IN_BROWSERS = ['components', 'journeys', 'engines'];
/** Runs after the others, since the faults put a shop under load. */
const ALONE = 'long';
const ONLY_IN_ALL = ['engines', ALONE];
/** Suites that cannot be split run in the first shard. */
const ONLY_IN_FIRST_SHARD = ['check', 'components'];

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
const shards = shard === undefined ? [] : ['--shard', shard];

const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(
    `Unknown suite: ${unknown.join(', ')}. Choose from: ${Object.keys(SUITES).join(', ')}.`,
  );
  process.exit(1);
}

try {
  process.env.BROWSER_PATH = requireBrowser();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
if (all) {
  process.env.DRAW_ANEW = 'yes';
  installOperatingPrograms();
}
process.env.TEST_DATABASE_FOLDER ??=
  existsSync(MEMORY) && memoryLeft() > ROOM_FOR_DATABASES ? MEMORY : tmpdir();
const isFirstShard = shard === undefined || shard.startsWith('1/');
const wanted = Object.keys(SUITES)
  .filter((name) => (named.length ? named.includes(name) : all || !ONLY_IN_ALL.includes(name)))
  .filter((name) => isFirstShard || !ONLY_IN_FIRST_SHARD.includes(name));
const { failed } = await runSuites(wanted);
process.exit(failed === 0 ? 0 : 1);

async function runSuites(names: string[]): Promise<Tally> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS);
  const { exitCode } = await runNode([join(ROOT, 'scripts/build.ts'), 'widget']);
  if (exitCode !== 0)
    return { passed: 0, failed: 1, skipped: 0, failures: ['the popup cannot be built'] };
  const tallies: Tally[] = [];
  const lines: string[] = [];
  const runInSequence = async (suites: string[]) => {
    for (const name of suites) {
      const startedAt = performance.now();
      const tally = (await SUITES[name]?.()) as Tally;
      tallies.push(tally);
      lines.push(
        `${name}: ${tallyLine(tally)} in ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      );
    }
  };
  if (names.includes(ALONE)) await packOnce();
  await Promise.all([
    runInSequence(names.filter((name) => !IN_BROWSERS.includes(name) && name !== ALONE)),
    runInSequence(names.filter((name) => IN_BROWSERS.includes(name))),
  ]);
  await runInSequence(names.filter((name) => name === ALONE));
  const sum = sumTallies(tallies);
  console.log('');
  for (const name of sum.failures) console.log(`FAILED ${name}`);
  for (const line of lines) console.log(line);
  console.log(tallyLine(sum));
  return sum;
}

async function runCheckSuite(): Promise<Tally> {
  const checks = await runChecks();
  for (const { name, passed, output } of checks)
    console.log(passed ? `ok     ${name}` : `FAILED ${name}\n${output}`);
  const failures = checks.filter(({ passed }) => !passed).map(({ name }) => name);
  const failed = failures.length;
  return { passed: checks.length - failed, failed, skipped: 0, failures };
}

function installOperatingPrograms(): void {
  const missing = OPERATING_PROGRAMS.filter(({ program }) => !existsSync(program)).map(
    ({ debianPackage }) => debianPackage,
  );
  if (missing.length) installDebianPackages(missing);
}

async function runVitest(name: string, project: string): Promise<Tally> {
  const report = join(REPORTS, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { exitCode } = await runTool('vitest', [
    'run',
    '--project',
    project,
    ...shards,
    ...reporters,
  ]);
  return countTests(report, exitCode);
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

async function runComponentTests(): Promise<Tally> {
  const report = join(REPORTS, 'components.json');
  const { exitCode, output } = await runTool('wtr', [], {
    cwd: join(ROOT, 'widget'),
    env: { REPORT_FILE: report },
    quiet: true,
  });
  console.log(output);
  return countTests(report, exitCode);
}

/** Installs Firefox and WebKit if allowed. A machine without one skips its journeys. */
async function runEngines(): Promise<Tally> {
  for (const [engine, why] of provideEngines())
    console.log(`${engine}: skipped, since it was ${why}`);
  return runPlaywright('engines', 'e2e/engines');
}

async function runPlaywright(name: string, config: string, more: string[] = []): Promise<Tally> {
  const report = join(REPORTS, `${name}.json`);
  const { exitCode, output } = await runTool(
    'playwright',
    ['test', '--config', config, '--reporter=list,json', ...shards, ...more],
    { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report }, quiet: true },
  );
  console.log(output);
  return countTests(report, exitCode);
}

function memoryLeft(): number {
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory());
}
