import type { Locator } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { expectEnding, PAID } from '../support/expect-ending.ts';

/** Fills a field as browsers and password managers do: without keys, a caret or the focus. */
async function autofill(field: Locator, text: string): Promise<void> {
  await field.evaluate((input: HTMLInputElement, value) => {
    input.value = value;
    for (const type of ['input', 'change', 'blur'])
      input.dispatchEvent(new Event(type, { bubbles: type !== 'blur', composed: true }));
  }, text);
}

test('a form that the browser fills with a saved card pays', async ({
  page,
  popup,
  service,
  shop,
  site,
}) => {
  const order = await shop.order();
  await site.pay(page, order);
  await popup.expectOpen();

  for (const [name, text] of [
    ['cardnumber', '4242424242424242'],
    ['exp-date', '12/2034'],
    ['cvc', '123'],
    ['ccname', 'Mary Banda'],
  ] as const)
    await autofill(popup.frame.locator(`[name=${name}]`), text);
  await expect(popup.frame.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242');
  await popup.payButton.click();

  await expectEnding({ page, site, shop, service }, order.reference, PAID);
});

test('a form that the browser fills with a saved phone finds its network, and pays', async ({
  page,
  popup,
  service,
  shop,
  site,
}) => {
  const order = await shop.order();
  await site.pay(page, order);
  await popup.chooseChannel('mobile-money');

  await autofill(popup.frame.getByLabel('Phone number'), '+260971111111');
  await expect(popup.frame.getByRole('radio', { name: 'Airtel' })).toBeChecked();
  await popup.payButton.click();

  await expectEnding({ page, site, shop, service }, order.reference, PAID);
});
