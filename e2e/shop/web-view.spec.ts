import type { Page } from '@playwright/test';

import { HANDSET, reachPrompt } from '../support/expect-prompt.ts';
import { expect, test } from './shop-page.ts';

/** Takes away what a web view does not have until its app switches it on. */
async function beWebView(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'open'])
      Object.defineProperty(window, name, { value: null }); // Android's, without DOM storage
    Object.defineProperty(navigator, 'locks', { value: undefined });
    addEventListener('click', (event) => {
      const [target] = event.composedPath();
      if (target instanceof HTMLAnchorElement && target.target === '_blank') event.preventDefault();
    });
  });
}

test.describe('in a web view without storage, locks and windows', () => {
  test.beforeEach(async ({ page, shopPage }) => {
    await beWebView(page);
    await shopPage.open();
    await shopPage.pay.click();
  });

  test('a card with a challenge in the frame is paid', async ({ page, popup, shopPage }) => {
    await popup.payByCard('4000 0000 0000 3220');
    await popup.answerChallenge('approve');
    await popup.expectClosed();

    await expect(shopPage.heading).toHaveText('Order paid');
    expect(page.context().pages()).toHaveLength(1);
  });

  test('a payment at its prompt is found again after a reload and paid once approved', async ({
    page,
    popup,
    service,
    shopPage,
  }) => {
    await reachPrompt(popup);
    await page.reload(); // as an app does whose view was ended meanwhile
    await expect(shopPage.unfinished).toBeVisible();

    await service.approve(HANDSET);

    await expect(shopPage.heading).toHaveText('Order paid');
  });
});
