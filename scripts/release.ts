import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { runChecks } from './checks.ts';
import { PACKAGES, pack } from './pack.ts';
import { findReleaseProblems, readNotes } from './release-notes.ts';
import { ROOT, runProgram } from './run-tool.ts';

// `npm run release` checks that a release can be made, packs it, and writes its notes, its bills of
// materials and its checksums. It publishes nothing and sets no tag: it prints the commands for
// that. `-- --rehearse` packs what is unreleased, whatever the checks would say.

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: 'release' },
    rehearse: { type: 'boolean', default: false },
  },
});
const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), options.folder);

try {
  await release();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const versions = Object.fromEntries(PACKAGES.map((each) => [each, readVersion(each)]));
  const version = versions['contract'] as string;
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (!options.rehearse) {
    const isClean = (await git('status', '--porcelain')) === '';
    const tags = (await git('tag', '--list')).split('\n');
    const problems = findReleaseProblems({ versions, changelog, isClean, tags });
    const failed = problems.length ? [] : (await runChecks()).filter(({ passed }) => !passed);
    problems.push(...failed.map(({ name, output }) => `${name} failed:\n${output}`));
    if (problems.length) throw new Error(problems.map((each) => `- ${each}`).join('\n'));
  }

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const workspace of PACKAGES) {
    await pack(workspace, folder);
    await writeBillOfMaterials(workspace);
  }
  cpSync(join(ROOT, 'widget/dist/js/v1/scripts.json'), join(folder, 'scripts.json'));
  const notes = readNotes(changelog, options.rehearse ? 'Unreleased' : version);
  writeFileSync(join(folder, 'NOTES.md'), `# ServicePay ${version}\n\n${notes}\n`);
  writeChecksums();
  console.log(readdirSync(folder).sort().join('\n'));
  if (!options.rehearse) console.log(nextCommands(version));
}

/** Writes what a package depends on at run time, by the lockfile (CycloneDX). */
async function writeBillOfMaterials(workspace: string): Promise<void> {
  const { exitCode, output } = await runProgram(
    'npm',
    [
      'sbom',
      '--sbom-format=cyclonedx',
      '--package-lock-only',
      '--omit=dev',
      '--loglevel=silent',
      `--workspace=${workspace}`,
    ],
    { quiet: true },
  );
  if (exitCode !== 0) throw new Error(`npm sbom failed for ${workspace}:\n${output}`);
  writeFileSync(join(folder, `${workspace}.cdx.json`), output);
}

/** Writes SHA-256 of every file, as `sha256sum --check` reads it. */
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
Look through ${folder}, then:
  git tag --sign v${version} && git push origin v${version}
  for package in contract widget server sandbox; do
    npm publish --provenance --access public ${folder}/service-pay-$package-${version}.tgz
  done`;
}

function readVersion(workspace: string): string {
  return JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')).version;
}

async function git(...args: string[]): Promise<string> {
  const { exitCode, output } = await runProgram('git', args, { quiet: true });
  if (exitCode !== 0) throw new Error(`git ${args[0]} failed:\n${output}`);
  return output.trim();
}
