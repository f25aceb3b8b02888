import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { PAID } from '../support/expect-ending.ts';

test.use({ needs: 'whole browser' });

/** Fills a field as browsers and password managers do: without keys, a caret or the focus. */
async function autofill(field: Locator, text: string): Promise<void> {
  await field.evaluate((input: HTMLInputElement, value) => {
    input.value = value;
    for (const type of ['input', 'change', 'blur'])
      input.dispatchEvent(new Event(type, { bubbles: type !== 'blur', composed: true }));
  }, text);
}

/** Has Chromium fill in a saved card, as if it were chosen from the list under the field. */
async function fillSavedCard(page: Page): Promise<void> {
  const frame = checkoutFrame(page);
  const inFrame = await page.context().newCDPSession(frame);
  const onPage = await page.context().newCDPSession(page);
  const { frameTree } = await inFrame.send('Page.getFrameTree');
  await inFrame.send('DOM.enable');
  const { nodes } = await inFrame.send('DOM.getFlattenedDocument', { depth: -1, pierce: true });
  const field = nodes.find(({ attributes }) => attributes?.includes('cc-number'))!;
  await onPage.send('Autofill.trigger', {
    frameId: frameTree.frame.id,
    fieldId: field.backendNodeId,
    card: {
      number: '4242424242424242',
      name: 'Mary Banda',
      expiryMonth: '12',
      expiryYear: '2034',
      cvc: '123',
    },
  });
}

for (const way of ['tag', 'element'] as const) {
  test(`a form that the browser fills with a saved card pays, by ${way}`, async ({
    page,
    popup,
    purchase,
  }) => {
    await page.goto(purchase.addressOn({ way }));
    await page.locator('button#pay, #pay [part=button]').click();
    await popup.expectOpen();

    await popup.frame.getByLabel('Card number').click();
    // the browser looks for forms at moments of its own choice
    await expect(async () => {
      await fillSavedCard(page);
      await expect(popup.frame.getByLabel('Card number')).not.toHaveValue('', { timeout: 1_000 });
    }).toPass();
    await expect(popup.frame.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242');
    await popup.payButton.click();

    await purchase.expectEnding(PAID);
  });
}

test('a form that the browser fills with a saved phone finds its network, and pays', async ({
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.chooseChannel('mobile-money');

  await autofill(popup.frame.getByLabel('Phone number'), '+260971111111');
  await expect(popup.frame.getByRole('radio', { name: 'Airtel' })).toBeChecked();
  await popup.payButton.click();

  await purchase.expectEnding(PAID);
});
