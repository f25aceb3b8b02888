import { LANGUAGES } from '@service-pay/contract/languages';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';

import { expect, test } from '../stack.ts';

for (const [width, height] of [
  [360, 640],
  [360, 740],
  [1280, 800],
] as const) {
  test.describe(`at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test('the whole card form with Pay and foot fits without scrolling, in every language', async ({
      page,
      popup,
      shop,
      site,
    }) => {
      test.slow();
      for (const locale of LANGUAGES) {
        await site.pay(page, {
          ...(await shop.order()),
          label: 'Chitenge cloth, two yards',
          locale,
        });
        await expect(popup.frame.locator('button[type=submit]')).toBeVisible();
        await expect(popup.frame.locator('language-switch select')).toBeVisible();

        expect(await overflowOf(popup), locale).toBeLessThanOrEqual(0);
        const last = (await popup.frame.locator('.last').boundingBox())!;
        const card = (await popup.dialog.locator('.card').boundingBox())!;
        expect(last.y + last.height, locale).toBeLessThanOrEqual(card.y + card.height + 1);
        await popup.close.click();
        await popup.expectClosed();
      }
    });
  });
}

test.describe('held sideways', () => {
  test.use({ viewport: { width: 640, height: 360 } });

  test('head and Pay stay in sight, and the first row of fields is whole', async ({
    page,
    popup,
    shop,
    site,
  }) => {
    await site.pay(page, await shop.order());
    await popup.expectOpen();
    const boxOf = async (selector: string) => {
      const { y, height } = (await popup.frame.locator(selector).boundingBox())!;
      return { top: y, bottom: y + height };
    };

    for (const isScrolled of [false, true]) {
      if (isScrolled) await popup.frame.getByLabel('Name on card').focus();
      const [head, foot] = [await boxOf('.head'), await boxOf('.foot')];
      expect(head.top).toBeGreaterThanOrEqual(0);
      expect(foot.bottom).toBeLessThanOrEqual(360);
      const field = await boxOf(isScrolled ? '.field:has(#name)' : '.field:has(#number)');
      expect(field.top).toBeGreaterThanOrEqual(head.bottom - 1);
      expect(field.bottom).toBeLessThanOrEqual(foot.top + 1);
    }
  });
});

function overflowOf(popup: PaymentPopup): Promise<number> {
  return popup.frame.locator('html').evaluate((html) => html.scrollHeight - html.clientHeight);
}
