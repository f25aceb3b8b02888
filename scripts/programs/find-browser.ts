import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const APT = '/usr/bin/apt-get';

/** Limits the installation: a mirror that does not respond must not hold up the tests. */
const PATIENCE_MS = 300_000;

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const INSTALLED_AT = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Finds the Chromium or Chrome to test with: `BROWSER_PATH`, then one on the machine, then
 * Playwright's own. Throws if `BROWSER_PATH` names no file, since a browser chosen by name must
 * not be swapped for another.
 */
function findBrowser(): string | undefined {
  const { BROWSER_PATH: browserPath } = process.env;
  if (browserPath) {
    if (existsSync(browserPath)) return browserPath;
    throw new Error(
      `BROWSER_PATH names ${browserPath}, which does not exist. Correct it, or unset it to use an installed browser.`,
    );
  }
  return [...COMMANDS.map(findCommand), ...INSTALLED_AT, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
}

function findCommand(command: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
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

/**
 * Returns Chromium's headless shell, for tests that need no whole browser: it draws no window, and
 * takes two thirds of the time. Returns the browser of `requireBrowser` if there is no shell, or if
 * `BROWSER_PATH` chooses a browser by name.
 */
export function requireHeadlessShell(): string {
  const { HEADLESS_SHELL_PATH, BROWSER_PATH } = process.env;
  if (HEADLESS_SHELL_PATH) return HEADLESS_SHELL_PATH;
  const browser = requireBrowser();
  return BROWSER_PATH ? browser : (findCommand('chromium-headless-shell') ?? browser);
}

/** Tries Debian's packages. If the first fails, apt-get has said why. */
function installChromium(): void {
  console.log('Installing chromium with apt-get.');
  const install = `${APT} -qq install --yes --no-install-recommends`;
  const script = `${APT} -qq update; ${install} chromium fonts-dejavu-core; ${install} chromium-headless-shell 2>/dev/null`;
  spawnSync('sh', ['-c', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PATIENCE_MS,
  });
}
