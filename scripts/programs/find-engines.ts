import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { installDebianPackages } from './debian-packages.ts';

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

const DEBIAN_PACKAGES: Record<Engine, string[]> = {
  firefox: ['firefox-esr', 'fonts-dejavu-core'],
  webkit: ['webkit2gtk-driver', 'xvfb', 'fonts-dejavu-core'],
};

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

/**
 * Installs the missing engines if we are root on a Debian machine. Returns those still missing,
 * each with one sentence saying what to install.
 */
export function provideEngines(): Map<Engine, string> {
  const engines: Engine[] = ['firefox', 'webkit'];
  const wanted = engines
    .filter((engine) => !hasEngine(engine))
    .flatMap((engine) => DEBIAN_PACKAGES[engine]);
  if (wanted.length) installDebianPackages([...new Set(wanted)]);
  const missing = engines.filter((engine) => !hasEngine(engine));
  return new Map(
    missing.map((engine) => [
      engine,
      `not found: on Debian "apt-get install ${DEBIAN_PACKAGES[engine].join(' ')}"`,
    ]),
  );
}

function findCommand(names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}
