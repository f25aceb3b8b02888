import type { Frame, FrameLocator, Page } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { test as base, expect } from '../../stack.ts';
import { PAID } from '../../support/expect-ending.ts';
import type { OwnPage } from '../../support/merchant-site.ts';
import type { Purchase } from '../../support/purchase.ts';
import { watchForTrouble } from '../../support/trouble.ts';

type Buy = (own: OwnPage, steps?: Partial<Steps>) => Promise<void>;

interface Steps {
  /** Playwright's mouse misses frames that are zoomed by CSS. */
  hands: 'mouse too' | 'keyboard';
  /** Playwright's mouse misses a button that the page's styles still move. */
  opens: 'by mouse' | 'by keyboard';
  beforePress(): Promise<void>;
  whileOpen(popup: PaymentPopup): Promise<void>;
}

/**
 * Playwright's `test` of the whole stack with `buy`: one whole payment on a page, and everything a
 * page may expect of one.
 */
export const test = base.extend<{ buy: Buy }>({
  buy: async ({ page, purchase }, use) => {
    await use(async (own, steps) => {
      const trouble = await watchForTrouble(page);
      await page.goto(purchase.addressOn(own));
      await steps?.beforePress?.();
      await expectPurchase(page, purchase, steps);
      expect(trouble).toEqual([]);
    });
  },
});

/**
 * Presses Pay and buys by mouse and keyboard. The window is in sight and on top, takes clicks and
 * typing, its Close can be pressed; page, shop and service agree on the outcome; afterwards the
 * focus is where it was and the page has the nodes it had.
 */
export async function expectPurchase(
  page: Page,
  purchase: Purchase,
  steps: Partial<Steps> = {},
  { place, within }: { place: Frame; within?: FrameLocator } = { place: page.mainFrame() },
): Promise<void> {
  const { hands = 'mouse too', opens = 'by mouse' } = steps;
  const popup = new PaymentPopup(within ?? page);
  const opener = (within ?? page).locator('button#pay, #pay [part=button]');
  const before = await countNodes(place);

  if (opens === 'by mouse') await opener.click();
  else await opener.press('Enter');
  await expect(popup.frame.getByLabel('Card number')).toBeFocused();
  await page.keyboard.type('4242424242424242');
  await expect(popup.frame.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242');
  await expectInSight(page, popup);
  if (hands === 'mouse too') await popup.close.click({ trial: true });
  await steps.whileOpen?.(popup);
  // A field that is complete leads on to the next.
  for (const [label, text] of [
    ['Expiry date', '1234'],
    ['Security code', '123'],
    ['Name on card', 'Mary Banda'],
  ] as const) {
    // The window of the test before may close late, and take the focus along.
    await page.bringToFront();
    await expect(popup.frame.getByLabel(label)).toBeFocused();
    await page.keyboard.type(text);
  }
  if (hands === 'mouse too') await popup.payButton.click();
  else await page.keyboard.press('Enter');

  await purchase.on(place).expectEnding(PAID);
  await expect(opener).toBeFocused();
  // Fewer, where a frame had been loaded ahead.
  await expect.poll(() => countNodes(place)).toBeLessThanOrEqual(before);
}

async function expectInSight(page: Page, { dialog }: PaymentPopup): Promise<void> {
  const box = (await dialog.boundingBox())!;
  const { width, height } = page.viewportSize()!;
  expect(box.width).toBeGreaterThanOrEqual(Math.min(320, width));
  expect(box.height).toBeGreaterThanOrEqual(Math.min(400, height));
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(width);
  expect(box.y + box.height).toBeLessThanOrEqual(height);
}

async function countNodes(place: Pick<Page, 'evaluate'>): Promise<number> {
  return place.evaluate(() => document.querySelectorAll('*').length);
}

export { expect };
