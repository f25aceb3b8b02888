import type { Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';
import { expect, test } from '../stack.ts';
import { Announcements } from '../support/announcements.ts';
import { PAID } from '../support/expect-ending.ts';

test.describe('by keyboard alone', () => {
  test('a card pays: the focus enters the popup, stays there and returns', {
    tag: '@gate',
  }, async ({ page, popup, purchase, site }) => {
    await page.goto(site.url);
    await page.locator('#before').focus();
    await purchase.open();

    await expect(popup.frame.getByLabel('Card number')).toBeFocused();
    await expectFocusKept(page);
    await popup.frame.getByLabel('Card number').focus();
    await typeCard(page, popup, '4242424242424242');
    await page.keyboard.press('Tab');
    await expect(popup.frame.getByLabel('Expiry date')).toHaveValue('12/34');
    await expect(popup.payButton).toBeFocused();
    await page.keyboard.press('Enter');

    await purchase.expectEnding(PAID);
    await expect(page.locator('#before')).toBeFocused();
  });

  test('a Tab right after a field has led on does not skip the next one', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    for (const [label, text] of [
      ['Card number', '4242424242424242'],
      ['Expiry date', '1234'],
      ['Security code', '123'],
      ['Name on card', 'Mary Banda'],
    ] as const) {
      await expect(popup.frame.getByLabel(label)).toBeFocused();
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await expect(popup.payButton).toBeFocused();
    await page.keyboard.press('Enter');

    await purchase.expectEnding(PAID);
  });

  test('mobile money pays: arrows choose the channel and the network', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await expect(popup.frame.getByLabel('Card number')).toBeFocused();

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await pressUntil(page, 'Tab', () =>
      popup.frame.getByRole('radio', { name: 'MTN' }).evaluate((radio) => radio.matches(':focus')),
    );
    await page.keyboard.press('ArrowRight');
    await expect(popup.frame.getByRole('radio', { name: 'Airtel' })).toBeChecked();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('0971111111');
    await page.keyboard.press('Enter');

    await purchase.expectEnding(PAID);
  });

  test('a card that is mistyped, declined, then challenged pays, and every change is announced once', async ({
    page,
    popup,
    purchase,
  }) => {
    test.slow();
    await purchase.open();
    await expect(popup.frame.getByLabel('Card number')).toBeFocused();
    const announced = await Announcements.in(page);

    await page.keyboard.press('Enter');
    await announced.expect('politely: Check these fields Enter the card number.');
    await typeOver(page, '4242424242424241');
    await announced.expect('politely: Check the card number.');
    await typeCard(page, popup, '4000000000000002');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await announced.expect(
      /^politely: Sending your payment/,
      /^at once: Your bank declined this card\. You have not been charged\./,
    );
    await expect(popup.payButton).toBeFocused();

    await pressUntil(page, 'Shift+Tab', () =>
      popup.frame.getByLabel('Card number').evaluate((input) => input.matches(':focus')),
    );
    // The number that was declined is selected.
    await page.keyboard.type('4000000000003220');
    await pressUntil(page, 'Tab', () =>
      popup.frame.getByLabel('Security code').evaluate((input) => input.matches(':focus')),
    );
    await page.keyboard.type('123');
    await page.keyboard.press('Enter');
    await announced.expect(/^politely: Sending your payment/, 'focus: Confirm with your bank');

    // The bank's page has the focus and takes Escape, so Tab must lead to Close.
    const bank = popup.frame.frameLocator('iframe[title="Card verification"]');
    await bank.getByRole('button', { name: 'Decline' }).focus();
    await pressUntil(page, 'Tab', () => popup.close.evaluate((button) => button.matches(':focus')));
    await expectFocusKept(page);
    await popup.close.focus();
    await page.keyboard.press('Escape');
    await announced.expect('focus: Leave without finishing?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await announced.expect('focus: Confirm with your bank');
    await pressUntil(page, 'Tab', () =>
      bank.getByRole('button', { name: 'Approve' }).evaluate((button) => button.matches(':focus')),
    );
    await page.keyboard.press('Enter');
    await announced.expect('focus: Payment successful');
    await purchase.expectEnding(PAID);
  });

  test('mobile money with a wrong code and a slow customer pays, and every change is announced once', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    test.slow();
    await service.stopClock();
    await purchase.open();
    await popup.chooseChannel('mobile-money');
    await popup.frame.getByRole('radio', { name: 'MTN' }).check();
    const announced = await Announcements.in(page);
    await popup.frame.getByLabel('Phone number').focus();

    await page.keyboard.press('Enter');
    await announced.expect('politely: Enter the phone number.');
    await page.keyboard.type('0969999999');
    await page.keyboard.press('Enter');
    await announced.expect(/^politely: Sending your payment/, 'focus: One-time code');
    await page.keyboard.type('111111');
    await page.keyboard.press('Enter');
    await announced.expect(/^politely: Checking your code/, 'politely: Wrong code. 2 tries left.');
    await typeOver(page, '000000');
    await page.keyboard.press('Enter');
    await announced.expect(
      /^politely: Checking your code/,
      'focus: Approve the payment on your phone',
    );

    await expectFocusKept(page);
    await popup.close.focus();
    await page.keyboard.press('Enter');
    await announced.expect('focus: Leave while we wait?');
    await expectFocusKept(page);
    await popup.frame.getByRole('button', { name: 'Keep waiting' }).focus();
    await page.keyboard.press('Enter');
    await announced.expect('focus: Approve the payment on your phone');
    await service.advance(2);
    await service.advance(2);
    await announced.expect('focus: Payment successful');
    await purchase.expectEnding(PAID);
  });
});

test.describe('with a keyboard that composes', () => {
  test('a keyboard that composes: card number, date and code are what was typed, and the card pays (T157)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    for (const [label, text, shown] of [
      ['Card number', '4242424242424242', '4242 4242 4242 4242'],
      ['Expiry date', '1234', '12/34'],
      ['Security code', '123', '123'],
      ['Name on card', 'Mary Banda', 'Mary Banda'],
    ] as const) {
      await expect(popup.frame.getByLabel(label)).toBeFocused();
      await compose(page, text);
      await expect(popup.frame.getByLabel(label)).toHaveValue(shown);
    }
    await page.keyboard.press('Enter');

    await purchase.expectEnding(PAID);
  });

  test('a keyboard that composes: phone and one-time code are what was typed, and mobile money pays (T157)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.chooseChannel('mobile-money');
    await popup.frame.getByLabel('Phone number').focus();
    await compose(page, '0969999999');
    await expect(popup.frame.getByLabel('Phone number')).toHaveValue('96 999 9999');
    await page.keyboard.press('Enter');

    await popup.frame.getByLabel('One-time code').focus();
    await compose(page, '000000');
    await expect(popup.frame.getByLabel('One-time code')).toHaveValue('000000');
    await page.keyboard.press('Enter');

    await purchase.expectEnding(PAID);
  });
});

/** Types as a composing input method does: shows each state of the text, then commits it. */
async function compose(page: Page, text: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  for (let end = 1; end <= text.length; end++) {
    await devtools.send('Input.imeSetComposition', {
      text: text.slice(0, end),
      selectionStart: end,
      selectionEnd: end,
    });
  }
  await devtools.send('Input.insertText', { text });
  await devtools.detach();
}

/** Tab goes round in the window and through the browser's own controls, but never to the page. */
async function expectFocusKept(page: Page): Promise<void> {
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab');
    expect(['in the window', "on the browser's own controls"]).toContain(await placeOfFocus(page));
  }
}

async function pressUntil(page: Page, key: string, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 12 && !(await isThere()); presses++)
    await page.keyboard.press(key);
  expect(await isThere()).toBe(true);
}

/** Types a card into the field that has the focus: a field that is complete leads on by itself. */
async function typeCard(page: Page, popup: PaymentPopup, number: string): Promise<void> {
  for (const [label, text] of [
    ['Card number', number],
    ['Expiry date', '1234'],
    ['Security code', '123'],
    ['Name on card', 'Mary Banda'],
  ] as const) {
    await expect(popup.frame.getByLabel(label)).toBeFocused();
    await typeOver(page, text);
  }
}

async function typeOver(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

async function placeOfFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement, body } = document;
    if (activeElement === body) return "on the browser's own controls";
    return activeElement?.closest('service-pay-popup') ? 'in the window' : 'on the page';
  });
}
