import { describe, expect, test } from 'vitest';

import { findBrowser } from './find-browser.ts';

const nothing = { browserPath: undefined, searchPath: '/usr/local/bin:/usr/bin' };

describe('finding a browser', () => {
  test('takes the one that BROWSER_PATH names before any other', () => {
    expect(findBrowser({ ...nothing, browserPath: '/opt/browser', exists: () => true })).toBe('/opt/browser');
  });

  test('refuses a BROWSER_PATH that is no file instead of taking another browser', () => {
    expect(() => findBrowser({ ...nothing, browserPath: '/opt/browser', exists: () => false })).toThrow(/BROWSER_PATH is \/opt\/browser/);
  });

  test('takes Chromium before Chrome, wherever each is installed', () => {
    const installed = ['/usr/local/bin/google-chrome', '/usr/bin/chromium'];

    expect(findBrowser({ ...nothing, exists: (path) => installed.includes(path) })).toBe('/usr/bin/chromium');
  });

  test("falls back to Playwright's own browser", () => {
    expect(findBrowser({ ...nothing, exists: (path) => path.includes('ms-playwright') })).toContain('ms-playwright');
  });

  test('finds nothing where there is nothing', () => {
    expect(findBrowser({ ...nothing, exists: () => false })).toBeUndefined();
  });
});
