import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { expect, test } from './stack.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Waits for moving things to stand still, then asks axe about page and frames. */
async function expectAccessible(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    await frame.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))));
  }
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual([]);
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
  ]) {
    test.describe(`no axe violation, ${colorScheme}, ${viewport.width} wide`, () => {
      test.use({ colorScheme, viewport });

      test('in the card journey: empty, errors, brand, decline, challenge, leaving, success', async ({ page, popup, shop, site }) => {
        test.slow();
        await site.pay(page, await shop.order());
        await popup.expectReady();
        await expectAccessible(page);
        await popup.payButton.click();
        await expect(popup.frame.getByLabel('Card number')).toHaveAttribute('aria-invalid', 'true');
        await expectAccessible(page);
        await popup.payByCard('4000 0000 0000 0002');
        await popup.expectDeclined('Card declined');
        await expectAccessible(page);
        await popup.payByCard('4000 0000 0000 3220');
        await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
        await expectAccessible(page);
        await popup.close.click();
        await popup.expectAsking();
        await expectAccessible(page);
        await popup.frame.getByRole('button', { name: 'Keep waiting' }).click();
        await popup.answerChallenge('Approve');
        await expect(popup.heading('Payment successful')).toBeVisible();
      });

      test('in the mobile money journey: empty, errors, code, wrong code, prompt', async ({ page, popup, shop, site }) => {
        test.slow();
        await site.pay(page, { ...(await shop.order()), bearer: 'customer' });
        await popup.chooseChannel('Mobile money');
        await expect(popup.frame.getByLabel('Phone number')).toBeVisible();
        await expectAccessible(page);
        await popup.payButton.click();
        await expect(popup.frame.getByLabel('Phone number')).toHaveAttribute('aria-invalid', 'true');
        await expectAccessible(page);
        await popup.payByPhone('MTN', '0969999999');
        await expect(popup.frame.getByLabel('One-time code')).toBeVisible();
        await expectAccessible(page);
        await popup.enterOneTimeCode('111111');
        await expect(popup.frame.getByLabel('One-time code')).toHaveAttribute('aria-invalid', 'true');
        await expectAccessible(page);
        await popup.enterOneTimeCode('000000');
        await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
        await expectAccessible(page);
      });

      test('in the billing form and where the session is over', async ({ page, popup, service, shop, site }) => {
        await service.stopClock();
        await site.pay(page, await shop.order());
        await popup.payByCard('4000 0000 0000 0010');
        await expect(popup.frame.getByLabel('Street address')).toBeVisible();
        await expectAccessible(page);
        await service.advance(31 * 60);
        await expect(popup.payButton).toHaveCount(0);
        await expectAccessible(page);
      });

      test('where the service does not know the key', async ({ page, popup, site }) => {
        await site.pay(page, { key: 'pub_nobody', email: 'mary@example.com', reference: crypto.randomUUID(), amount: 10 });
        await expect(popup.frame.getByRole('heading')).toBeVisible();
        await expect(popup.payButton).toHaveCount(0);
        await expectAccessible(page);
      });

      test('in the shop: cart, element page, return page', async ({ page, popup, stack }) => {
        for (const path of ['/', '/element', '/payments/return?reference=unknown']) {
          await page.goto(stack.shopUrl + path);
          await page.waitForLoadState('networkidle');
          await expectAccessible(page);
        }
        await page.goto(stack.shopUrl);
        await page.getByRole('button', { name: /^Pay/ }).click();
        await popup.payByCard('4242 4242 4242 4242');
        await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
        await expectAccessible(page);
      });
    });
  }
}
