import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runChecks } from './checks.ts';
import { installDebianPackages } from './debian-packages.ts';
import { requireBrowser } from './find-browser.ts';
import { provideEngines } from './find-engines.ts';
import { ROOT, runNode, runTool } from './run-tool.ts';
import { readPlaywrightReport, readVitestReport, settleTally, sumTallies, type Tally, tallyLine } from './tally.ts';

const REPORTS = join(ROOT, 'reports');

/** Tests wait for conditions, and a busy machine may take its time; one that names its own limit keeps it. */
const PATIENCE = ['--testTimeout=30000', '--hookTimeout=30000'];

/** The databases of tests are kept in memory where it has room: a busy disk may hold a commit up for longer than the shop waits. */
const MEMORY = '/dev/shm';
const ROOM_FOR_DATABASES = 4e9;

/** What tries out the configuration in `bff-example/operate/`, as Debian has it. */
const OPERATING_PROGRAMS = [
  { program: '/usr/sbin/nginx', debianPackage: 'nginx' },
  { program: '/usr/bin/promtool', debianPackage: 'prometheus' },
];

const SUITES: Record<string, () => Promise<Tally>> = {
  check: runCheckSuite,
  contract: () => runVitest('contract'),
  scripts: () => runVitest('scripts'),
  sandbox: () => runVitest('sandbox'),
  'bff-example': runShopTests,
  faults: () => runVitest('e2e/faults', 'faults', ['--maxWorkers=2']), // they wait more than they work
  widget: runComponentTests,
  e2e: () => runPlaywright('e2e', 'e2e'),
  engines: runEngines,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length) {
  console.error(`There is no suite called ${unknown.join(', ')}. Name any of: ${Object.keys(SUITES).join(', ')}.`);
  process.exit(1);
}

try {
  process.env.BROWSER_PATH = requireBrowser();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
process.env.TEST_DATABASE_FOLDER ??= existsSync(MEMORY) && memoryLeft() > ROOM_FOR_DATABASES ? MEMORY : tmpdir();
const tallies = await runSuites(named.length ? named : Object.keys(SUITES));
process.exit(tallies.failed === 0 ? 0 : 1);

/** Runs suites one after the other and ends the output with what failed and the line of totals. */
async function runSuites(names: string[]): Promise<Tally> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS);
  const { exitCode } = await runNode([join(ROOT, 'scripts/build.ts'), 'widget']);
  const tallies = [settleTally({ passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 }, exitCode)];
  const lines = [`build: ${exitCode === 0 ? 'done' : 'failed'}`];
  for (const name of names) {
    console.log(`\n── ${name} ──`);
    const tally = (await SUITES[name]?.()) as Tally;
    tallies.push(tally);
    lines.push(`${name}: ${tallyLine(tally)}${tally.broken ? ` (${tally.broken})` : ''}`);
  }
  const sum = sumTallies(tallies);
  for (const { test, message } of tallies.flatMap(({ failures = [] }) => failures)) console.log(`\nFAILED ${test}\n${message}`);
  console.log(`\n${lines.join('\n')}\n${tallyLine(sum)}`);
  return sum;
}

async function runCheckSuite(): Promise<Tally> {
  const checks = await runChecks();
  for (const { name, passed } of checks) console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
  const failed = checks.filter(({ passed }) => !passed);
  const failures = failed.map(({ name, output }) => ({ test: name, message: output.trim() }));
  return { passed: checks.length - failed.length, failed: failed.length, skipped: 0, failures };
}

async function runVitest(folder: string, name = folder, more: string[] = []): Promise<Tally> {
  const report = join(REPORTS, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { exitCode } = await runTool('vitest', ['run', join(ROOT, folder, '/'), ...PATIENCE, ...reporters, ...more]);
  return settleTally(count(report, readVitestReport), exitCode);
}

/** The programs that check the shop's own configuration are installed where that may be done; elsewhere those tests are counted as skipped. */
async function runShopTests(): Promise<Tally> {
  const missing = OPERATING_PROGRAMS.filter(({ program }) => !existsSync(program)).map(({ debianPackage }) => debianPackage);
  if (missing.length) installDebianPackages(missing);
  return runVitest('bff-example');
}

async function runComponentTests(): Promise<Tally> {
  const report = join(REPORTS, 'widget.json');
  const { exitCode } = await runTool('wtr', [], { cwd: join(ROOT, 'widget'), env: { REPORT_FILE: report } });
  return settleTally(count(report, readVitestReport), exitCode);
}

/** Firefox and WebKit are installed where that may be done; a machine without one skips its journeys, and they are counted so. */
async function runEngines(): Promise<Tally> {
  for (const [engine, why] of provideEngines()) console.log(`${engine}: skipped, since it was ${why}`);
  return runPlaywright('engines', 'e2e/engines');
}

async function runPlaywright(name: string, config: string): Promise<Tally> {
  const report = join(REPORTS, `${name}.json`);
  const { exitCode } = await runTool('playwright', ['test', '--config', config, '--reporter=list,json'], {
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  return settleTally(count(report, readPlaywrightReport), exitCode);
}

function count<Report>(file: string, read: (report: Report) => Tally): Tally | undefined {
  return existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
}

function memoryLeft(): number {
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory());
}
