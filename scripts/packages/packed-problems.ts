import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runProgram } from '../programs/run-tool.ts';

/** Text that is wrong once the packages are published. */
export const UNPUBLISHED_TEXT =
  /(?:not|are)(?: yet)? on (?:a registry|npm)|not published yet|until [\w ]+ published|<!-- \/?unpublished/i;

interface Manifest {
  name: string;
  version: string;
  keywords?: string[];
  bugs?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/**
 * Returns what would be wrong if the tarballs in `folder` were published as `version`: other
 * versions, pins to other versions of our packages, API descriptions of another version, and text
 * that says that the packages are not published.
 */
export async function findPackedProblems(folder: string, version: string): Promise<string[]> {
  const problems: string[] = [];
  for (const tarball of readdirSync(folder).filter((file) => file.endsWith('.tgz'))) {
    const unpacked = mkdtempSync(join(tmpdir(), 'packed-'));
    mkdirSync(unpacked, { recursive: true });
    const args = ['-xzf', join(folder, tarball), '-C', unpacked, '--strip-components=1'];
    const { exitCode, output } = await runProgram('tar', args, { quiet: true });
    if (exitCode !== 0) throw new Error(`${tarball} could not be unpacked:\n${output}`);
    problems.push(...findProblems(unpacked, version).map((problem) => `${tarball}: ${problem}`));
    rmSync(unpacked, { recursive: true });
  }
  return problems;
}

function findProblems(unpacked: string, version: string): string[] {
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
  const read = (file: string) => readFileSync(join(unpacked, file), 'utf8');
  const problems: string[] = [];
  for (const file of files.filter((each) => /(?:^|template\/)package\.json$/.test(each))) {
    const manifest: Manifest = JSON.parse(read(file));
    if (manifest.version !== version)
      problems.push(`${file} has version ${manifest.version}, expected ${version}.`);
    const { dependencies, devDependencies } = manifest;
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      if (name.startsWith('@service-pay/') && range !== version)
        problems.push(`${file} depends on ${name} ${range}, expected ${version}.`);
    if (file === 'package.json' && !(manifest.keywords && manifest.bugs))
      problems.push('package.json lacks keywords or bugs.');
  }
  for (const file of files.filter((each) => /^openapi\/(?!service).*\.json$/.test(each))) {
    const { info } = JSON.parse(read(file)) as { info: { version: string } };
    if (info.version !== version)
      problems.push(`${file} describes version ${info.version}, expected ${version}.`);
  }
  for (const file of files.filter((each) => each.endsWith('.md')))
    if (UNPUBLISHED_TEXT.test(read(file)))
      problems.push(`${file} says that the packages are not published. Mark it as unpublished.`);
  if (
    files.some((file) => file.startsWith('dist/')) &&
    !files.some((file) => file.endsWith('.map'))
  )
    problems.push('It has no source map.');
  return problems;
}
