import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

import { compareImages } from './compare-images.ts';
import { requireBrowser } from './find-browser.ts';
import { startGallery } from './gallery-pages.ts';
import { ROOT } from './run-tool.ts';
import { takeSandboxPictures } from './sandbox-pictures.ts';

const FOLDER = join(ROOT, 'screenshots');
const LANGUAGES = ['en', 'ar'];
const THEMES = ['light', 'dark'] as const;
const SIZES: Record<string, BrowserContextOptions> = {
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

/** As few surprises between two runs as a browser allows. A tile that is drawn again in part has other corners than one drawn at once. */
const BROWSER_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-lcd-text',
  '--disable-partial-raster',
  '--font-render-hinting=none',
  '--hide-scrollbars',
];

const { values: options } = parseArgs({ options: { against: { type: 'string' } } });
try {
  process.exitCode = (await run(options.against)) ? 1 : 0;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

/** Takes a picture of every state at this commit, compares them where a commit is named, and gives how many differ. */
async function run(against: string | undefined): Promise<number> {
  const before = against === undefined ? undefined : findFolder(against);
  const after = join(FOLDER, currentCommit());
  if (before === after) throw new Error(`Those are the pictures this run makes anew: name another commit than ${against}.`);
  const browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGUMENTS });
  try {
    await takeAll(browser, after);
    console.log(`${readdirSync(after).length} pictures in ${relative(ROOT, after)}/`);
    return before ? await compareAll(browser, before, after) : 0;
  } finally {
    await browser.close();
  }
}

/** The pictures of a commit, by any name that git has for it, or of a folder by its own. */
function findFolder(name: string): string {
  const folders = [join(FOLDER, name), join(FOLDER, git('rev-parse', '--short=12', '--verify', '--quiet', `${name}^{commit}`))];
  const found = folders.find((folder) => folder !== FOLDER && existsSync(folder));
  if (!found) throw new Error(`There are no pictures of ${name}: check it out and run "npm run screenshots" there, then come back.`);
  return found;
}

/** What is checked out, by its commit; a tree with changes is not that commit and says so. */
function currentCommit(): string {
  const commit = git('rev-parse', '--short=12', 'HEAD');
  if (!commit) throw new Error('Pictures are kept by their commit, and there is none here: run this in a git checkout.');
  return git('status', '--porcelain') ? `${commit}-changed` : commit;
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

async function takeAll(browser: Browser, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const gallery = await startGallery();
  try {
    const states = await listStates(browser, gallery.url);
    for (const size of Object.keys(SIZES)) {
      await Promise.all(THEMES.map((colorScheme) => takeSome(browser, gallery.url, states, folder, size, colorScheme)));
    }
  } finally {
    await gallery.close();
  }
}

async function listStates(browser: Browser, url: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const states = await page.locator('[data-state]').evaluateAll((items) => items.map((item) => item.getAttribute('data-state')!));
  await page.close();
  return states;
}

/** The pictures of one theme and size, in one page that goes from state to state. */
async function takeSome(
  browser: Browser,
  url: string,
  states: readonly string[],
  folder: string,
  size: string,
  colorScheme: (typeof THEMES)[number],
): Promise<void> {
  const settings = { ...SIZES[size], colorScheme, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  for (const language of LANGUAGES) {
    for (const state of states) {
      const hash = `#state=${state}&language=${language}`;
      await page.goto(`${url}popup.html${hash}`);
      await page.locator(`html[data-stands="${hash}"]`).waitFor();
      await page.screenshot({ path: join(folder, `${state}.${language}.${colorScheme}.${size}.png`), animations: 'disabled' });
    }
  }
  await context.close();
  await takeSandboxPictures(browser, { folder, ending: `en.${colorScheme}.${size}`, context: settings });
}

/** Prints what differs between two folders of pictures, and writes it down as a page to look at. */
async function compareAll(browser: Browser, before: string, after: string): Promise<number> {
  const overview = `${after}-against-${relative(FOLDER, before)}`;
  rmSync(overview, { recursive: true, force: true });
  mkdirSync(overview, { recursive: true });
  const page = await browser.newPage();
  const rows: string[] = [];
  for (const name of [...new Set([...readdirSync(before), ...readdirSync(after)])].sort()) {
    const pictures = [before, after].filter((folder) => existsSync(join(folder, name)));
    let told = pictures[0] === before ? 'is gone' : 'is new';
    if (pictures.length === 2) {
      const difference = await compareImages(page, readFileSync(join(before, name)), readFileSync(join(after, name)));
      if (!difference) continue;
      writeFileSync(join(overview, name), difference.picture);
      pictures.push(overview);
      told = `${(difference.share * 100).toFixed(2)} %`;
    }
    console.log(`${told.padStart(8)}  ${name}`);
    rows.push(
      rowOf(
        name,
        told,
        pictures.map((folder) => relative(overview, join(folder, name))),
      ),
    );
  }
  writeFileSync(join(overview, 'index.html'), pageOf(`${relative(FOLDER, after)} against ${relative(FOLDER, before)}`, rows));
  console.log(rows.length ? `${rows.length} pictures differ: see ${relative(ROOT, overview)}/index.html` : 'No picture differs.');
  return rows.length;
}

function rowOf(name: string, told: string, pictures: readonly string[]): string {
  return `<h2>${name}: ${told}</h2>\n<p>${pictures.map((picture) => `<img loading="lazy" alt="" src="${picture}">`).join(' ')}</p>`;
}

function pageOf(title: string, rows: readonly string[]): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>${title}</title>
<style>
  body { font: 16px/1.45 system-ui, sans-serif; margin: 24px; }
  img { border: 1px solid #999; max-width: 32%; vertical-align: top; }
</style>
<h1>${title}</h1>
<p>Before, after, and what differs in red.</p>
${rows.join('\n')}
`;
}
