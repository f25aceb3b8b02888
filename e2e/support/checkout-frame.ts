import type { Frame, Page } from '@playwright/test';

/** The frame of an open popup, or undefined while there is none. */
export function findCheckoutFrame(page: Page): Frame | undefined {
  return page.frames().find((frame) => frame.url().includes('/checkout/v1/'));
}

/** The frame of an open popup. */
export function checkoutFrame(page: Page): Frame {
  return findCheckoutFrame(page)!;
}
