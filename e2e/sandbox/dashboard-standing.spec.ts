import type { Page } from '@playwright/test';
import { startSandbox } from '@service-pay/sandbox';

import { hold } from '../support/hold.ts';
import { expect, openDashboard, test } from '../support/sandbox-pages.ts';

const standing = (page: Page) => page.locator('#story .standing');
const happened = (page: Page) =>
  page.getByRole('list', { name: 'What happened last, newest first' }).getByRole('listitem');

test('the dashboard says at the top of a story what state the payment is in and what comes next', async ({
  page,
  servicePaySandbox,
  customer,
  receiver,
}) => {
  const { control, url } = servicePaySandbox;
  const show = (reference: string) => page.goto(`${url}/dashboard#/pub_sandbox_demo/${reference}`);
  await (await customer('not-notified')).byCard('4242 4242 4242 4242');
  await show('not-notified');
  await expect(standing(page)).toHaveText(/^Paid\. The sandbox sent no webhook/);

  await control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url });
  const ada = await customer('declined');
  await show('declined');
  await expect(standing(page)).toHaveText(/^The customer has not tried to pay yet/);
  await ada.byCard('4000 0000 0000 0002');
  await expect(standing(page)).toHaveText(
    'Nothing was charged. The customer can try again in the popup: 4 attempts are left.',
  );
  await expect(page.locator('#story .headline .status')).toHaveText('Pending');
  await ada.byPhone('0960000000');
  await expect(standing(page)).toHaveText(/^The phone shows a prompt\. .* It expires in \d min\.$/);
  await control.approve('0960000000');
  await expect(standing(page)).toHaveText('Paid, and the shop acknowledged the webhook.');

  for (const [card, words] of [
    ['4000 0000 0000 3220', /^The bank asks the customer to confirm/],
    ['4000 0000 0000 0077', /^The network is processing the payment\./],
  ] as const) {
    const reference = `by-${card.slice(-4)}`;
    await (await customer(reference)).byCard(card);
    await show(reference);
    await expect(standing(page)).toHaveText(words);
  }
  await (await customer('code')).byPhone('0969999999');
  await show('code');
  await expect(standing(page)).toHaveText(/^The phone shows a one-time code\./);
  await expect(page.getByRole('link', { name: 'Phone 0969999999' })).toBeVisible();
});

test('the dashboard says of a paid payment which webhooks the shop got', async ({
  page,
  servicePaySandbox,
  customer,
  receiver,
}) => {
  const { control, url } = servicePaySandbox;
  const show = (reference: string) => page.goto(`${url}/dashboard#/pub_sandbox_demo/${reference}`);
  await control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url });
  for (const [reference, faults] of [
    ['lost', { drop: 1 }],
    ['forged', { tamper: 1 }],
    ['late', { delaySeconds: 600 }],
  ] as const) {
    await control.setFaults({ webhooks: faults });
    await (await customer(reference)).byCard('4242 4242 4242 4242');
  }
  await control.clearFaults();
  await control.putMerchant('pub_sandbox_demo', { events: ['collection.failed'] });
  await (await customer('unwanted')).byCard('4242 4242 4242 4242');
  await control.putMerchant('pub_sandbox_demo', { events: ['collection.successful'] });

  await show('unwanted');
  await expect(standing(page)).toHaveText(
    'Paid. The sandbox sent no webhook: the merchant has no webhook URL or does not want this event, or the test did not request one.',
  );
  await show('lost');
  await expect(standing(page)).toHaveText(/^Paid\. A fault dropped the webhook/);
  await show('forged');
  await expect(standing(page)).toHaveText(/^Paid, but the shop acknowledged a tampered webhook/);
  await show('late');
  await expect(standing(page)).toHaveText(/^Paid\. The sandbox sends the webhook in \d+ min\.$/);
  receiver.response = { status: 500, body: '' };
  await (await customer('rejected')).byCard('4242 4242 4242 4242');
  await show('rejected');
  await expect(standing(page)).toHaveText(
    /^Paid, but the shop has not acknowledged the webhook: it responded with 500\. The sandbox retries in/,
  );
  await control.advance(2 * 86_400);
  await expect(standing(page)).toHaveText(/^Paid, but the shop never acknowledged the webhook\./);
  // Steps of another day say which.
  const [first, second] = [new Date(Date.now()), new Date(Date.now() + 86_400_000)].map((day) =>
    day.toISOString().slice(0, 10),
  );
  const times = await page
    .getByRole('list', { name: 'Timeline' })
    .locator('li > time')
    .allTextContents();
  expect(times[0]).not.toContain(first!);
  expect(times.filter((time) => time.startsWith(second!))).toHaveLength(1);
});

test('the dashboard offers nothing for a placed collection that no customer pays', async ({
  page,
  servicePaySandbox,
}) => {
  await servicePaySandbox.control.putCollection({ reference: 'placed', status: 'pay-offline' });

  await openDashboard(page, servicePaySandbox, '#/pub_sandbox_demo/placed');

  await expect(standing(page)).toHaveText(
    'A test placed this collection as it is. Nothing happens next.',
  );
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toHaveCount(0);
});

test('the activity names the day of events on an earlier day than the one above', async ({
  page,
  servicePaySandbox,
}) => {
  const { control } = servicePaySandbox;
  const today = (await control.setClock({ mode: 'virtual' })).now.slice(0, 10);
  for (const reference of ['order-1', 'order-2']) await control.putCollection({ reference });
  await control.advance(86_400);
  await openDashboard(page, servicePaySandbox);

  const times = page
    .getByRole('list', { name: 'What happened last, newest first' })
    .locator('li > time');

  await expect(times).toHaveText([/^\d\d:/, new RegExp(`^${today} \\d\\d:`), /^\d\d:/, /^\d\d:/]);
});

test('the dashboard shows recent events to a page that opens late, and starts over with another sandbox', async ({
  page,
  said,
}) => {
  const first = await startSandbox();
  const port = Number(new URL(first.url).port);
  await first.control.putCollection({ reference: 'before' });
  await openDashboard(page, first);
  await expect(
    happened(page).filter({ hasText: 'A control call placed a collection' }),
  ).toHaveCount(1);

  await first.close();
  const second = await startSandbox({ port });
  try {
    await second.control.putCollection({ reference: 'after' });
    await expect(happened(page).getByRole('link')).toHaveText(['after']);
    said.length = 0;
  } finally {
    await page.close();
    await second.close();
  }
});

test('the dashboard keeps its content while the sandbox is down, and dims a list it waits for', async ({
  page,
  servicePaySandbox,
  said,
}) => {
  const { control } = servicePaySandbox;
  for (const reference of ['order-1', 'order-2']) await control.putCollection({ reference });
  await openDashboard(page, servicePaySandbox, '#/pub_sandbox_demo/order-1');
  await expect(page.locator('#story .headline')).toContainText('successful');
  const list = page.getByRole('list', { name: 'Collections, newest first' });
  await expect(list.getByRole('link')).toHaveCount(2);
  const listing = await hold(page, '**/_sandbox/collections?*');

  await page.getByRole('search').getByLabel('Status').selectOption('failed');
  await expect(list).toHaveAttribute('aria-busy', 'true');
  listing.goOn();
  await expect(page.getByText('No collection matches.')).toBeVisible();
  await expect(list).toHaveAttribute('aria-busy', 'false');

  // Requested and cut off: the story stays.
  await page.route('**/_sandbox/collections/**', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await control.setClock({ mode: 'virtual' });
  await failed;
  await page.unroute('**/_sandbox/collections/**');
  await control.putMerchant('pub_sandbox_demo', { name: 'Shop' });
  await expect(page.locator('.facts')).toContainText('Shop (pub_sandbox_demo)');
  await expect(page.locator('#story .headline')).toContainText('successful');
  said.length = 0;
});
