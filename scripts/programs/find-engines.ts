import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Engine = 'firefox' | 'webkit';

/**
 * WebKit as GTK programs have it: the driver, a small browser of the same build, and a virtual
 * screen.
 */
export interface WebKitPrograms {
  driver: string;
  browser: string;
  screen: string;
}

/** Programs that `test:all` uses if they are there, with their Debian packages. */
const OPTIONAL: [name: string, isThere: () => boolean, debianPackages: string][] = [
  ['Firefox', () => hasEngine('firefox'), 'firefox-esr'],
  ['WebKit', () => hasEngine('webkit'), 'webkit2gtk-driver xvfb'],
  ['nginx', () => existsSync('/usr/sbin/nginx') || findCommand(['nginx']) !== undefined, 'nginx'],
  ['promtool', () => findCommand(['promtool']) !== undefined, 'prometheus'],
];

const FIREFOX_COMMANDS = ['firefox-esr', 'firefox'];

const FIREFOX_INSTALLED_AT = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Folders of WebKitGTK in the distributions. Debian has one for each processor. */
const WEBKIT_FOLDERS = [
  ...['x86_64', 'aarch64', 'arm', 'i386'].map(
    (processor) => `/usr/lib/${processor}-linux-gnu${processor === 'arm' ? 'eabihf' : ''}`,
  ),
  '/usr/lib64',
  '/usr/libexec',
  '/usr/lib',
];

export function findFirefox(): string | undefined {
  return findCommand(FIREFOX_COMMANDS) ?? FIREFOX_INSTALLED_AT.find((path) => existsSync(path));
}

export function findWebKit(): WebKitPrograms | undefined {
  const driver = findCommand(['WebKitWebDriver']);
  const screen = findCommand(['Xvfb']);
  const browser = WEBKIT_FOLDERS.map((folder) => join(folder, 'webkit2gtk-4.1/MiniBrowser')).find(
    (path) => existsSync(path),
  );
  return driver && screen && browser ? { driver, browser, screen } : undefined;
}

export function hasEngine(engine: Engine): boolean {
  return Boolean(engine === 'firefox' ? findFirefox() : findWebKit());
}

/** Names each optional program that is missing, and how to install it. */
export function findMissing(): string[] {
  return OPTIONAL.filter(([, isThere]) => !isThere()).map(
    ([name, , debianPackages]) =>
      `${name} is not installed (on Debian: apt-get install ${debianPackages})`,
  );
}

function findCommand(names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}
