import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startGallery } from '../demo/gallery.ts';
import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT, runTool } from '../programs/run-tool.ts';

const FOLDER = join(ROOT, 'screenshots');

const { values: options } = parseArgs({ options: { against: { type: 'string' } } });
try {
  process.exitCode = await run(options.against);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/**
 * Takes a picture of every state at this commit, compares them if a commit is named, and returns
 * the exit code.
 */
async function run(against: string | undefined): Promise<number> {
  const after = join(FOLDER, currentCommit());
  const before = against === undefined ? '' : findFolder(against);
  if (before === after)
    throw new Error(
      `This run replaces the pictures of ${against}. Name another commit to compare with.`,
    );
  const report = `${after}-against-${basename(before)}`;
  rmSync(after, { recursive: true, force: true });
  const gallery = await startGallery();
  try {
    const env = {
      BROWSER_PATH: requireBrowser(),
      GALLERY_URL: gallery.url,
      PICTURES: after,
      PICTURES_BEFORE: before,
      PICTURES_REPORT: report,
    };
    const { exitCode } = await runTool(
      'playwright',
      ['test', '--config', 'scripts/pictures/screenshots.config.ts'],
      { env },
    );
    console.log(
      `The pictures are in ${relative(ROOT, after)}/${before && `, the differences in ${relative(ROOT, report)}/index.html`}.`,
    );
    return exitCode ?? 1;
  } finally {
    await gallery.close();
  }
}

function findFolder(name: string): string {
  const folders = [
    join(FOLDER, name),
    join(FOLDER, git('rev-parse', '--short=12', '--verify', '--quiet', `${name}^{commit}`)),
  ];
  const found = folders.find((folder) => folder !== FOLDER && existsSync(folder));
  if (!found)
    throw new Error(
      `There are no pictures of ${name}. Check it out, run "npm run screenshots" there, and come back.`,
    );
  return found;
}

function currentCommit(): string {
  const commit = git('rev-parse', '--short=12', 'HEAD');
  if (!commit) throw new Error('Pictures are kept by commit. Run this in a git checkout.');
  return git('status', '--porcelain') ? `${commit}-changed` : commit;
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
