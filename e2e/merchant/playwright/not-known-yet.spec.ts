import { expect } from '@playwright/test';
import { TEST_PHONES } from '@service-pay/sandbox/playwright';

import { test } from './shop.ts';

test('a customer leaves while the prompt is out, approves, and the webhook makes the order paid', async ({
  page,
  popup,
  shop,
  servicePaySandbox,
}) => {
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Buy' }).click();
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.leave('keep-waiting');
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.leave('close-anyway');
  const status = page.getByRole('status');
  await expect(status).toHaveText('We are checking your payment.');
  const order = shop.orders.find(`${await status.getAttribute('data-reference')}`)!;

  await servicePaySandbox.control.approve(TEST_PHONES.waits.phone, order.reference);

  await expect.poll(() => order).toMatchObject({ state: 'paid', shipped: 1 });
});

test('the webhook is lost, and the shop finds the payment by polling', async ({
  page,
  popup,
  shop,
  servicePaySandbox,
}) => {
  const { control } = servicePaySandbox;
  await control.armScenario('webhook-lost');
  await page.goto(shop.url);
  await page.getByRole('button', { name: 'Buy' }).click();
  await popup.payByPhone(TEST_PHONES.waits);
  await popup.expectPromptFor(TEST_PHONES.waits);
  await popup.leave('close-anyway');
  const status = page.getByRole('status');
  await expect(status).toHaveText('We are checking your payment.');
  const order = shop.orders.find(`${await status.getAttribute('data-reference')}`)!;
  await control.approve(TEST_PHONES.waits.phone, order.reference);
  expect(await control.webhooks()).toMatchObject([
    { reference: order.reference, status: 'dropped' },
  ]);
  expect(order).toMatchObject({ state: 'open', shipped: 0 });

  await shop.orders.confirmOpen();

  expect(order).toMatchObject({ state: 'paid', shipped: 1 });
});
