import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';

import { expect, test } from '../stack.ts';

const SOON = { timeoutMs: 100 };

test.describe('the error of a page object quotes what the popup shows', () => {
  test('instead of a decline, a prompt, a success, or without a popup', async ({
    page,
    purchase,
  }) => {
    const popup = new PaymentPopup(page);
    const hasty = new PaymentPopup(page, SOON);
    await purchase.open();
    await popup.expectOpen();

    await expect(hasty.expectSuccessful()).rejects.toThrow(
      /^Expected a successful payment, but the popup says .*“Pay ZMW [\d.]+”\.$/,
    );
    await expect(hasty.expectOpen({ amount: '1.00' })).rejects.toThrow(
      /^Expected a form for the amount 1\.00, but the popup says .*“Pay ZMW/,
    );
    await expect(hasty.payByPhone({ ...TEST_PHONES.successful, network: 'TNM' })).rejects.toThrow(
      /^Expected TNM as a choice, but/,
    );
    await popup.payByCard(TEST_CARDS.declined);
    await popup.expectDeclined();
    await expect(hasty.expectDeclined('Not enough funds')).rejects.toThrow(
      /^Expected a decline, “Not enough funds”, but the popup says .*“Your bank declined this card\. /,
    );
    await expect(hasty.leave('close-anyway')).rejects.toThrow(
      'Expected the question before leaving, but there is no popup on the page.',
    );
    await expect(hasty.leave()).rejects.toThrow(
      'Expected a popup to leave, but there is no popup on the page.',
    );
  });

  test('beside a field that rejects its value', async ({ page, purchase }) => {
    const popup = new PaymentPopup(page);
    const hasty = new PaymentPopup(page, SOON);
    await purchase.open();

    await popup.payByCard(TEST_CARDS.successful, { expiry: '01/20' });
    await expect(popup.frame.locator('[aria-invalid="true"]')).toHaveCount(1);

    await expect(hasty.expectSuccessful()).rejects.toThrow(
      /but the popup says .*“This card has expired\.”, “Pay ZMW [\d.]+”\.$/,
    );
  });

  test('during a payment, and after a successful one', async ({ page, purchase, service }) => {
    const popup = new PaymentPopup(page);
    const hasty = new PaymentPopup(page, SOON);
    await purchase.open();

    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);
    await expect(hasty.payByCard()).rejects.toThrow(
      'Expected an open payment form, but the popup says “Approve the payment on your phone”.',
    );
    await expect(hasty.expectPromptFor('0961234567')).rejects.toThrow(
      /^Expected a prompt for the phone ending 4567, but the popup says/,
    );
    await expect(hasty.approveOnPhone()).rejects.toThrow(
      'Name the phone: no phone has paid in this popup yet.',
    );
    await expect(hasty.leave()).rejects.toThrow(
      /^Expected the popup to close, but the popup says .*“Leave while we wait\?”/,
    );
    await service.approve(TEST_PHONES.waits.phone);
    await popup.expectSuccessful();
    await popup.expectClosed();

    await expect(popup.expectSuccessful()).resolves.toBeUndefined();
    await expect(new PaymentPopup(page, SOON).expectDeclined()).rejects.toThrow(
      'Expected a decline, but there is no popup on the page.',
    );
  });

  test('in another language than the expected one', async ({ page, purchase }) => {
    const popup = new PaymentPopup(page);
    await purchase.open({ locale: 'fr' });
    await popup.expectOpen({ amount: purchase.order.amount });

    await expect(new PaymentPopup(page, { ...SOON, locale: 'sw' }).expectOpen()).rejects.toThrow(
      /in “fr”\. Set locale to it\.$/,
    );
    expect(() => new PaymentPopup(page, { locale: 'de' as 'en' })).toThrow(
      'The popup supports en, fr, pt, sw, ar. Use one of them as locale.',
    );
    await popup.switchLanguage('ar');
    await popup.payByCard();
    await popup.expectSuccessful();
  });
});

test('a success screen that closes while a test is busy is still found', async ({
  popup,
  purchase,
  service,
}) => {
  await service.stopClock();
  await purchase.open();
  await popup.payByPhone(TEST_PHONES.successful);
  await popup.expectPromptFor(TEST_PHONES.successful);

  await service.advance(3);
  await popup.expectClosed();

  await popup.expectSuccessful();
});
