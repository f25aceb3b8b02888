import { describe, expect, test } from 'vitest';

import { findFirefox, findWebKit } from './find-engines.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
const MINI_BROWSER = '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

function machineWith(...installed: string[]) {
  return { searchPath: '/usr/local/bin:/usr/bin', exists: (path: string) => installed.includes(path) };
}

describe('finding Firefox', () => {
  test('takes the long-lived release before the other, wherever each is installed', () => {
    expect(findFirefox(machineWith('/usr/local/bin/firefox', '/usr/bin/firefox-esr'))).toBe('/usr/bin/firefox-esr');
  });

  test('finds nothing where there is nothing', () => {
    expect(findFirefox(machineWith())).toBeUndefined();
  });
});

describe('finding WebKitGTK', () => {
  test("gives driver, browser and screen, from the folder of the machine's own processor", () => {
    expect(findWebKit(machineWith(DRIVER, SCREEN, MINI_BROWSER))).toEqual({ driver: DRIVER, browser: MINI_BROWSER, screen: SCREEN });
  });

  for (const [missing, rest] of [
    ['driver', [SCREEN, MINI_BROWSER]],
    ['browser', [DRIVER, SCREEN]],
    ['screen', [DRIVER, MINI_BROWSER]],
  ] as const) {
    test(`finds nothing where the ${missing} alone is missing`, () => {
      expect(findWebKit(machineWith(...rest))).toBeUndefined();
    });
  }
});
