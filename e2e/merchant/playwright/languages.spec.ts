import { expect } from '@playwright/test';
import {
  type Language,
  PaymentPopup,
  TEST_CARDS,
  TEST_PHONES,
} from '@service-pay/sandbox/playwright';

import { test } from './shop.ts';

for (const locale of ['fr', 'pt', 'sw', 'ar'] satisfies Language[]) {
  test(`a customer pays in “${locale}”`, async ({ page, shop, servicePaySandbox }) => {
    const popup = new PaymentPopup(page, { locale, control: servicePaySandbox.control });
    await page.goto(`${shop.url}/?locale=${locale}`);
    await page.getByRole('button', { name: 'Buy' }).click();

    await popup.expectOpen({ amount: '138.75' });
    await popup.payByCard(TEST_CARDS.declined);
    await popup.expectDeclined('Card declined');
    await popup.payByPhone(TEST_PHONES.waitsAirtel);
    await popup.expectPromptFor(TEST_PHONES.waitsAirtel);
    await popup.leave('keep-waiting');
    await popup.approveOnPhone();
    await popup.expectSuccessful();

    await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
  });
}

test('a customer chooses another language', async ({ page, popup, shop }) => {
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Buy' }).click();

  await popup.expectOpen();
  await popup.switchLanguage('sw');
  await popup.payByCard();
  await popup.expectSuccessful();

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});
