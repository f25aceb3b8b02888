import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { ROOT, runProgram } from '../programs/run-tool.ts';
import { type BillOfMaterials, withPackageAsSubject } from './bill-of-materials.ts';
import { packCreatePackage } from './create-package.ts';
import { pack } from './pack.ts';
import { PACKAGES, type PackageFolder } from './packages.ts';
import { findPackedProblems, UNPUBLISHED_TEXT } from './packed-problems.ts';
import { withAbsoluteLinks } from './published-text.ts';
import { readNotes } from './release-notes.ts';

// `node scripts/packages/write-release.ts <folder> [<tag>]` writes everything that is published of
// the version in the manifests: packages, notes, bills of materials, script inventory and checksums.
// `npm run release` and the release workflow run it, the workflow with the tag that was pushed.

const [target = '', tag] = process.argv.slice(2);
const folder = resolve(target);
try {
  if (!target) throw new Error('Name a folder: node scripts/packages/write-release.ts <folder>');
  await writeRelease();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function writeRelease(): Promise<void> {
  const { version } = readManifest('contract');
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(
      `The tag ${tag} is not the version of the packages. Delete it, and push v${version} instead.`,
    );
  const there = existsSync(folder) ? readdirSync(folder) : [];
  if (there.length && !there.some((file) => file.startsWith('service-pay-')))
    throw new Error(`${folder} has files that are no release. Name a new or an empty folder.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const workspace of PACKAGES) await pack(workspace, folder);
  await packCreatePackage(folder);
  const problems = await findPackedProblems(folder, version);
  if (problems.length) {
    rmSync(folder, { recursive: true });
    throw new Error(
      ['Fix what cannot be published, and run this again:', ...problems].join('\n- '),
    );
  }

  for (const workspace of PACKAGES) await writeBillOfMaterials(workspace, version);
  await writeImageProject(version);
  cpSync(join(ROOT, 'widget/dist/js/v1/scripts.json'), join(folder, 'scripts.json'));
  const notes = readNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === undefined)
    throw new Error(
      `CHANGELOG.md has no section "## ${version}". Rename its section "## Unreleased".`,
    );
  if (UNPUBLISHED_TEXT.test(notes))
    throw new Error('CHANGELOG.md says that the packages are not published. Remove that.');
  const linked = withAbsoluteLinks(notes, 'CHANGELOG.md', version);
  writeFileSync(join(folder, 'NOTES.md'), `# ServicePay ${version}\n\n${linked}\n`);
  writeChecksums();
  console.log(readdirSync(folder).sort().join('\n'));
}

/**
 * Writes a package's bill of materials (CycloneDX), as `npm sbom` lists it for a project that
 * depends on nothing else.
 */
async function writeBillOfMaterials(workspace: PackageFolder, version: string): Promise<void> {
  const project = join(mkdtempSync(join(tmpdir(), 'release-')), workspace);
  try {
    mkdirSync(project);
    await writeLockedProject(project, workspace, version, folder);
    const listed = await npm(project, 'sbom', '--package-lock-only', '--sbom-format=cyclonedx');
    const bill: BillOfMaterials = JSON.parse(listed.slice(listed.indexOf('{')));
    const own = withPackageAsSubject(bill, `@service-pay/${workspace}`);
    writeFileSync(join(folder, `${workspace}.cdx.json`), `${JSON.stringify(own, null, 2)}\n`);
  } finally {
    rmSync(dirname(project), { recursive: true });
  }
}

/** Writes the project that the sandbox's image installs, with its lockfile, to `image/`. */
async function writeImageProject(version: string): Promise<void> {
  await writeLockedProject(folder, 'sandbox', version, '.');
  mkdirSync(join(folder, 'image'));
  for (const file of ['package.json', 'package-lock.json'])
    renameSync(join(folder, file), join(folder, 'image', file));
}

/** Writes the manifest and lockfile of a project that has one package, from the files in `place`. */
async function writeLockedProject(
  project: string,
  workspace: PackageFolder,
  version: string,
  place: string,
): Promise<void> {
  const ours = [workspace, ...PACKAGES.filter((each) => isNeeded(each, workspace))];
  const dependencies = Object.fromEntries(
    ours.map((each) => [
      `@service-pay/${each}`,
      `file:${join(place, `service-pay-${each}-${version}.tgz`)}`,
    ]),
  );
  const manifest = JSON.stringify({ version, private: true, dependencies });
  writeFileSync(join(project, 'package.json'), manifest);
  await npm(project, 'install', '--package-lock-only', '--omit=peer', '--prefer-offline');
}

async function npm(project: string, ...args: string[]): Promise<string> {
  const { exitCode, output } = await runProgram('npm', [...args, '--loglevel=error'], {
    cwd: project,
    quiet: true,
  });
  if (exitCode !== 0) throw new Error(`npm ${args[0]} failed in ${project}:\n${output}`);
  return output;
}

function isNeeded(other: string, workspace: string): boolean {
  return `@service-pay/${other}` in (readManifest(workspace).dependencies ?? {});
}

function writeChecksums(): void {
  const lines = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
    .map((file) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, file)));
      return `${hash.digest('hex')}  ${file}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

function readManifest(workspace: string): {
  version: string;
  dependencies?: Record<string, string>;
} {
  return JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
}
