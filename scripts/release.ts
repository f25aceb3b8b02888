import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { findReleaseProblems, VERSION } from './packages/release-notes.ts';
import { setVersion } from './packages/set-version.ts';
import { ROOT, runProgram } from './programs/run-tool.ts';

// Makes a release in a clone, so that a failure leaves nothing behind: sets the version, runs every
// test, packs and checks the packages, and commits. Publishes nothing: the release workflow does
// that when the commit's tag arrives.

const USAGE = `npm run release -- --version <x.y.z> [options]

  --version <x.y.z>  the version to release
  --dry-run          do everything but the tests and the commit
  --folder <folder>  where to write the packages (default release)
  --help             print this help`;

const { values: options } = parseArgs({
  options: {
    version: { type: 'string', default: '' },
    'dry-run': { type: 'boolean', default: false },
    folder: { type: 'string', default: 'release' },
    help: { type: 'boolean', default: false },
  },
});
const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), options.folder);

try {
  if (options.help) console.log(USAGE);
  else await release(options.version, options['dry-run']);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function release(version: string, isDryRun: boolean): Promise<void> {
  const problems = findReleaseProblems({
    version,
    branch: await git(ROOT, 'rev-parse', '--abbrev-ref', 'HEAD'),
    current: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
    changelog: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    isClean: (await git(ROOT, 'status', '--porcelain')) === '',
    tags: (await git(ROOT, 'tag', '--list')).split('\n'),
  });
  if (problems.length) {
    const list = problems.map((each) => `- ${each}`).join('\n');
    if (!isDryRun || !VERSION.test(version)) throw new Error(list);
    console.log(`A release would stop here:\n${list}\n`);
  }

  const clone = mkdtempSync(join(tmpdir(), 'service-pay-release-'));
  try {
    await git(clone, 'clone', '--quiet', ROOT, '.');
    setVersion(clone, version, new Date().toISOString().slice(0, 10));
    await run(clone, 'npm', 'install', '--package-lock-only', '--prefer-offline', '--no-audit');
    if (isDryRun) linkModules(clone);
    else {
      await run(clone, 'npm', 'ci');
      await run(clone, 'npm', 'run', 'test:all');
    }
    await run(clone, process.execPath, 'scripts/packages/write-release.ts', folder);
    if (isDryRun) {
      console.log(`\nThis was a dry run. Look through ${folder}.`);
      return;
    }
    // Committed here, because a clone has no name, address and key of this repository.
    await git(clone, 'diff', '--output', 'release.patch');
    await git(ROOT, 'apply', '--index', join(clone, 'release.patch'));
    await git(ROOT, 'commit', '--quiet', '--message', `Release ${version}`);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
  console.log(`
Committed "Release ${version}". Look through ${folder}, then publish by pushing its tag:
  git push origin main && git tag --annotate v${version} -m v${version} && git push origin v${version}`);
}

/** Gives a clone this project's installed packages, with the clone's own packages among them. */
function linkModules(clone: string): void {
  const modules = join(ROOT, 'node_modules');
  mkdirSync(join(clone, 'node_modules/@service-pay'), { recursive: true });
  for (const entry of readdirSync(modules))
    if (entry !== '@service-pay')
      symlinkSync(join(modules, entry), join(clone, 'node_modules', entry));
  for (const name of readdirSync(join(modules, '@service-pay'))) {
    const link = readlinkSync(join(modules, '@service-pay', name));
    symlinkSync(link, join(clone, 'node_modules/@service-pay', name));
    const own = join(ROOT, 'node_modules/@service-pay', name, 'node_modules');
    const target = join(clone, 'node_modules/@service-pay', name, 'node_modules');
    if (existsSync(own) && !existsSync(target)) symlinkSync(own, target);
  }
}

async function run(cwd: string, program: string, ...args: string[]): Promise<void> {
  const { exitCode } = await runProgram(program, args, { cwd });
  if (exitCode !== 0) throw new Error(`${args.join(' ')} failed. The repository is as it was.`);
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { exitCode, output } = await runProgram('git', args, { cwd, quiet: true });
  if (exitCode !== 0) throw new Error(`git ${args[0]} failed:\n${output}`);
  return output.trim();
}
