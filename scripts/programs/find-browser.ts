import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const APT = '/usr/bin/apt-get';

/** Limits the installation: a mirror that does not answer must not hold up the tests. */
const PATIENCE_MS = 300_000;

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const INSTALLED_AT = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Finds the Chromium or Chrome to test with: `BROWSER_PATH`, then one on the machine, then
 * Playwright's own. Throws if `BROWSER_PATH` names no file, since a browser asked for by name must
 * not be swapped for another.
 */
function findBrowser(): string | undefined {
  const { BROWSER_PATH: browserPath, PATH: searchPath = '' } = process.env;
  if (browserPath) {
    if (existsSync(browserPath)) return browserPath;
    throw new Error(
      `BROWSER_PATH names ${browserPath}, which does not exist. Correct it, or unset it to use an installed browser.`,
    );
  }
  const folders = searchPath.split(delimiter).filter(Boolean);
  const named = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...named, ...INSTALLED_AT, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
}

/**
 * Returns a browser to test with, installing one if we are root on a Debian machine. Otherwise
 * throws one sentence that says what to install.
 */
export function requireBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync(APT)) installChromium();
  const installed = findBrowser();
  if (installed) return installed;
  throw new Error(
    'No Chromium or Chrome found. Install one (on Debian: apt-get install chromium), or set BROWSER_PATH to one.',
  );
}

/** Tries Debian's package. If it fails, apt-get has said why. */
function installChromium(): void {
  console.log('Installing chromium with apt-get.');
  const install = `${APT} -qq update; ${APT} -qq install --yes --no-install-recommends chromium fonts-dejavu-core`;
  spawnSync('sh', ['-c', install], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PATIENCE_MS,
  });
}
