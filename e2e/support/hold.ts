import type { BrowserContext, Page } from '@playwright/test';

/** Keeps requests on their way, so that a test can see what a page shows meanwhile. */
export async function hold(
  page: Page | BrowserContext,
  where: string | RegExp,
): Promise<{ goOn: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(where, async (route) => {
    await promise;
    await route.continue();
  });
  return { goOn: resolve };
}
