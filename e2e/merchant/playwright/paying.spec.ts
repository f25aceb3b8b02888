import { expect } from '@playwright/test';
import { TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';

import { test } from './shop.ts';

test.beforeEach(async ({ page, shop }) => {
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Buy' }).click();
});

test('a customer pays by card', async ({ page, popup }) => {
  await popup.expectOpen({ amount: '138.75' });
  await popup.payByCard();
  await popup.expectSuccessful();

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});

test('a customer whose card is declined pays with another', async ({ page, popup }) => {
  await popup.payByCard(TEST_CARDS.notEnoughFunds);
  await popup.expectDeclined('Not enough funds');
  await popup.payByCard(TEST_CARDS.successfulMastercard);

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});

test('a customer pays on the phone', async ({ page, popup }) => {
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.approveOnPhone();
  await popup.expectSuccessful();

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});

test('a customer who declines on the phone can leave without having paid', async ({
  page,
  popup,
}) => {
  await popup.payByPhone(TEST_PHONES.waitsAirtel);
  await popup.declineOnPhone();
  await popup.expectDeclined();
  await popup.leave();

  await expect(page.getByRole('status')).toHaveText('You have not paid.');
});

test('a customer is asked for a one-time code', async ({ page, popup }) => {
  await popup.payByPhone(TEST_PHONES.oneTimeCode);
  await popup.enterOneTimeCode();

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});

for (const [answer, text] of [
  ['approve', 'Thank you. Your order is paid.'],
  ['decline', 'You have not paid.'],
] as const) {
  test(`a customer is asked by the bank, and answers ${answer}`, async ({ page, popup }) => {
    await popup.payByCard(TEST_CARDS.challenged);
    await popup.answerChallenge(answer);
    if (answer === 'decline') {
      await popup.expectDeclined('Card verification declined');
      await popup.leave();
    }

    await expect(page.getByRole('status')).toHaveText(text);
  });
}

test('a customer types the billing address where the card needs it', async ({ page, popup }) => {
  const billing = {
    streetAddress: '1 Cairo Road',
    city: 'Lusaka',
    postalCode: '10101',
    country: 'ZM',
  };
  await popup.payByCard(TEST_CARDS.billingAddress, { billing });

  await expect(page.getByRole('status')).toHaveText('Thank you. Your order is paid.');
});
