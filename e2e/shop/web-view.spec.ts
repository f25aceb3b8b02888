import type { Page } from '@playwright/test';

import { expect, test } from '../stack.ts';
import { expectPrompt } from '../support/expect-prompt.ts';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

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
  test.beforeEach(async ({ page, stack }) => {
    await beWebView(page);
    await page.goto(stack.shopUrl);
    await page.getByRole('button', { name: /^Pay/ }).click();
  });

  test('a card with a challenge in the frame is paid', async ({ page, popup }) => {
    await popup.payByCard('4000 0000 0000 3220');
    await popup.answerChallenge('approve');
    await popup.expectClosed();

    await expect(heading(page)).toHaveText('Order paid');
    expect(page.context().pages()).toHaveLength(1);
  });

  test('a payment at its prompt is found again after a reload and paid once approved', async ({
    page,
    popup,
    service,
  }) => {
    await popup.payByPhone({ network: 'MTN', phone: '0960000000' });
    await expectPrompt(popup);
    await page.reload(); // as an app does whose view was ended meanwhile
    await expect(page.getByText(/^You have an unfinished payment of ZMW/)).toBeVisible();

    await service.approve('0960000000');

    await expect(heading(page)).toHaveText('Order paid');
  });
});
