import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { runChecks } from './lint/checks.ts';
import { type BillOfMaterials, withPackageAsSubject } from './packages/bill-of-materials.ts';
import { PACKAGES, type PackageFolder, pack } from './packages/pack.ts';
import { withAbsoluteLinks } from './packages/published-text.ts';
import { findReleaseProblems, readNotes } from './packages/release-notes.ts';
import { ROOT, runProgram } from './programs/run-tool.ts';

// `npm run release` checks that a release can be made, packs it, and writes its notes, its bills of
// materials and its checksums. It publishes nothing and sets no tag: it prints the commands for
// that. `-- --rehearse` packs the unreleased state and skips the checks.

const USAGE = `npm run release -- [options]

  --folder <folder>  where to write the release (default release)
  --rehearse         pack what is here, whatever the checks would say
  --help             print this help`;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'release' },
    help: { type: 'boolean', default: false },
    rehearse: { type: 'boolean', default: false },
  },
});
const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), options.folder);

try {
  if (options.help) console.log(USAGE);
  else await release();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const versions = Object.fromEntries(PACKAGES.map((each) => [each, readManifest(each).version]));
  const version = versions['contract'] as string;
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (!options.rehearse) {
    const isClean = (await git('status', '--porcelain')) === '';
    const tags = (await git('tag', '--list', '--no-contains', 'HEAD')).split('\n');
    const problems = findReleaseProblems({ versions, changelog, isClean, tags });
    const failed = problems.length ? [] : (await runChecks()).filter(({ passed }) => !passed);
    problems.push(...failed.map(({ name, output }) => `${name} failed:\n${output}`));
    if (problems.length) throw new Error(problems.map((each) => `- ${each}`).join('\n'));
  }

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const workspace of PACKAGES) {
    await pack(workspace, folder);
    await writeBillOfMaterials(workspace, version);
  }
  cpSync(join(ROOT, 'widget/dist/js/v1/scripts.json'), join(folder, 'scripts.json'));
  const notes = readNotes(changelog, 'Unreleased') || readNotes(changelog, version);
  const linked = withAbsoluteLinks(notes ?? '', 'CHANGELOG.md', version);
  writeFileSync(join(folder, 'NOTES.md'), `# ServicePay ${version}\n\n${linked}\n`);
  writeChecksums();
  console.log(readdirSync(folder).sort().join('\n'));
  if (!options.rehearse) console.log(nextCommands(version));
}

/**
 * Writes a package's bill of materials (CycloneDX), as `npm sbom` lists it for a project that
 * depends on nothing else.
 */
async function writeBillOfMaterials(workspace: PackageFolder, version: string): Promise<void> {
  const project = join(mkdtempSync(join(tmpdir(), 'release-')), workspace);
  try {
    mkdirSync(project);
    const ours = [workspace, ...PACKAGES.filter((each) => isNeeded(each, workspace))];
    const dependencies = Object.fromEntries(
      ours.map((each) => [
        `@service-pay/${each}`,
        `file:${join(folder, `service-pay-${each}-${version}.tgz`)}`,
      ]),
    );
    writeFileSync(join(project, 'package.json'), JSON.stringify({ version, dependencies }));
    const npm = async (...args: string[]) => {
      const { exitCode, output } = await runProgram('npm', [...args, '--loglevel=error'], {
        cwd: project,
        quiet: true,
      });
      if (exitCode !== 0) throw new Error(`npm ${args[0]} failed for ${workspace}:\n${output}`);
      return output.slice(output.indexOf('{'));
    };
    await npm('install', '--package-lock-only', '--omit=peer', '--prefer-offline');
    const bill: BillOfMaterials = JSON.parse(
      await npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx'),
    );
    const own = withPackageAsSubject(bill, `@service-pay/${workspace}`);
    writeFileSync(join(folder, `${workspace}.cdx.json`), `${JSON.stringify(own, null, 2)}\n`);
  } finally {
    rmSync(dirname(project), { recursive: true });
  }
}

function isNeeded(other: string, workspace: string): boolean {
  return `@service-pay/${other}` in (readManifest(workspace).dependencies ?? {});
}

function writeChecksums(): void {
  const lines = readdirSync(folder)
    .sort()
    .map((file) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, file)));
      return `${hash.digest('hex')}  ${file}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

function nextCommands(version: string): string {
  return `
Look through ${folder}, then tag the commit:
  git tag --sign v${version} && git push origin v${version}
Publish from the repository's CI, which npm needs for --provenance:
  for package in contract widget server sandbox; do
    npm publish --provenance --access public ${folder}/service-pay-$package-${version}.tgz
  done`;
}

function readManifest(workspace: string): {
  version: string;
  dependencies?: Record<string, string>;
} {
  return JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
}

async function git(...args: string[]): Promise<string> {
  const { exitCode, output } = await runProgram('git', args, { quiet: true });
  if (exitCode !== 0) throw new Error(`git ${args[0]} failed:\n${output}`);
  return output.trim();
}
