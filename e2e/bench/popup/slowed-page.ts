import type { Browser, CDPSession, Page } from '@playwright/test';

export const SLOWED = 4;

/** A mobile network as half of Africa knows it: 150 ms round trip, 1.6 Mbit/s down. */
export const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};

/** Opens a page of a phone, with an empty profile and a slowed processor. */
export async function openSlowedPage(
  browser: Browser,
): Promise<{ page: Page; devtools: CDPSession; close: () => Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  return { page, devtools, close: () => context.close() };
}
