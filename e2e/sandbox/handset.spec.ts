import { startSandbox } from '@service-pay/sandbox';

import { expect, expectAccessible, expectNoSideways, test } from '../support/sandbox-pages.ts';

test('a prompt appears by itself, is approved, and the phone says so', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
  await expect(page.getByRole('status')).toHaveText(
    'Nothing to approve. Prompts appear here as soon as they are sent.',
  );

  await (await customer('order-1')).byPhone('0960000000');
  await expect(page.getByRole('heading', { name: 'Pay Kabwata Market?' })).toBeVisible();
  await expect(page.getByRole('status')).toHaveText('A payment is waiting for your approval.');
  await expect(page.getByText('ZMW 149.50')).toBeVisible();
  await expect(page.getByText(/^[0-2]:[0-5][0-9] left$|^3:00 left$/)).toBeVisible();
  await page.getByRole('button', { name: 'Approve' }).click();

  await expect(page.getByRole('status')).toHaveText('Approved: ZMW 149.50. No other messages.');
  await expect(page.getByRole('button')).toHaveCount(0);
  await page
    .getByRole('region', { name: 'Earlier' })
    .getByRole('link', { name: 'order-1' })
    .click();
  await expect(page.getByRole('heading', { name: 'order-1' })).toBeVisible();
  await expect(page.locator('#story .headline')).toContainText('successful');
});

test('the phone has a PIN pad in the colour of its network, which takes any PIN and needs none', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.goto(`${servicePaySandbox.url}/phone/0970000000`);
  await expect(page.getByRole('region', { name: 'PIN pad' })).toHaveCount(0);
  await (await customer('order-1')).byPhone('0970000000', 'airtel');
  const pad = page.getByRole('region', { name: 'PIN pad' });

  for (const key of ['1', '2', '3', '4', '5', 'Delete the last digit'])
    await pad.getByRole('button', { name: key, exact: true }).click();

  await expect(page.getByRole('img', { name: 'PIN, 3 of 4 digits' })).toBeVisible();
  await expect(pad).toHaveCSS('background-color', 'rgb(200, 16, 46)');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByRole('status')).toHaveText('Approved: ZMW 149.50. No other messages.');
  await expect(pad).toHaveCount(0);
});

test("the PIN pad is in the newest prompt, and another prompt's digits are gone", async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
  await (await customer('order-1')).byPhone('0960000000');
  const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
  const pad = page.getByRole('region', { name: 'PIN pad' });
  await messages.locator(pad).getByRole('button', { name: '7' }).click();
  await expect(page.getByRole('img', { name: 'PIN, 1 of 4 digits' })).toBeVisible();

  await (await customer('order-2')).byPhone('0960000000');

  const newest = messages.filter({ hasText: 'order-2' });
  await expect(newest.locator(pad)).toBeVisible();
  await expect(newest.getByRole('img', { name: 'PIN, 0 of 4 digits' })).toBeVisible();
  await expect(pad).toHaveCount(1);
});

test('several prompts are answered separately, by keyboard alone', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
  await (await customer('order-1')).byPhone('0960000000');
  await (await customer('order-2', { amount: '20.00' })).byPhone('0960000000');
  await expect(page.getByRole('status')).toHaveText('2 messages are waiting.');
  await expect(page).toHaveTitle('(2) 0960000000');

  const second = page.getByRole('listitem').filter({ hasText: 'order-2' });
  await expect(page.getByRole('listitem').first()).toContainText('order-2');
  await page.keyboard.press('Tab');
  await expect(second.getByRole('link', { name: 'order-2' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(second.getByRole('button', { name: 'Decline' })).toBeFocused();
  await page.keyboard.press('Enter');

  await expect(page.getByRole('list', { name: 'Messages' }).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'order-1' })).toBeFocused();
  await expect(page.getByRole('region', { name: 'Earlier' })).toContainText('Declined: ZMW 20.00.');
});

test('phone and dashboard answer the prompt of the right merchant if two use one reference', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  const { control, url } = servicePaySandbox;
  const statusOf = async (merchant: string) =>
    (await control.collection(merchant, 'order-1')).collection?.status;
  for (const key of ['pub_sandbox_demo', 'pub_sandbox_other'])
    await (await customer('order-1', { key })).byPhone('0960000000');
  await page.goto(`${url}/phone/0960000000`);
  const prompt = page.getByRole('listitem').filter({ hasText: 'Kabwata Market' });

  await prompt.getByRole('button', { name: 'Decline' }).click();
  await expect(prompt).toBeHidden();
  expect(await statusOf('pub_sandbox_other')).toBe('pay-offline');
  await (await customer('order-2')).byPhone('0960000000');
  await (await customer('order-2', { key: 'pub_sandbox_other' })).byPhone('0960000000');
  await page.goto(`${url}/dashboard#/pub_sandbox_demo/order-2`);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();

  await expect(page.locator('#story .headline')).toContainText('successful');
});

test('an unanswered prompt counts down in the sandbox’s time and times out', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  const { control, url } = servicePaySandbox;
  await control.setClock({ mode: 'virtual' });
  await page.goto(`${url}/phone/0966666666`);
  await (await customer('order-1')).byPhone('0966666666');
  await expect(page.getByText('3:00 left')).toBeVisible();

  await control.advance(60);
  await expect(page.getByText('2:00 left')).toBeVisible();
  await control.advance(120);
  await expect(page.getByRole('status')).toHaveText('Timed out: ZMW 149.50. No other messages.');
});

test('a one-time code is shown, and disappears once it is used', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  const { url, control } = servicePaySandbox;
  await control.setClock({ mode: 'virtual' });
  await page.goto(`${url}/phone/0969999999`);
  const ada = await customer('order-1');
  await ada.byPhone('0969999999');

  await expect(page.getByText('Your one-time code for ZMW 149.50')).toBeVisible();
  await expect(page.getByText('000000', { exact: true })).toBeVisible();
  await ada.enterCode('000000');
  await expect(page.getByText('000000', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Pay Kabwata Market?' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Earlier' })).toContainText(
    'The code for ZMW 149.50 was used or has expired.',
  );
});

test('the phone polls if the sandbox has no event stream', async ({
  page,
  servicePaySandbox,
  customer,
  said,
}) => {
  await page.route('**/_sandbox/events', (route) => route.abort());
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);

  await (await customer('order-1')).byPhone('0960000000');

  await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible();
  said.length = 0;
});

test('the phone says that the sandbox does not respond, however long a call hangs', async ({
  page,
  servicePaySandbox,
}) => {
  await page.clock.install();
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
  await expect(page.getByRole('status')).toHaveText(/^Nothing to approve/);
  const requested = page.waitForRequest('**/_sandbox/phones/0960000000');
  await page.route('**/_sandbox/phones/0960000000', () => undefined);
  await page.clock.runFor(10_100);
  await requested;

  await page.clock.runFor(10_000);

  await expect(page.getByRole('status')).toHaveText('The sandbox does not respond. Trying again.');
  await page.unroute('**/_sandbox/phones/0960000000');
  await page.clock.runFor(10_100);
  await expect(page.getByRole('status')).toHaveText(/^Nothing to approve/);
});

test('a number of no network is shown as text and explained, even if it contains a script (T56)', async ({
  page,
  servicePaySandbox,
  said,
}) => {
  await page.goto(
    `${servicePaySandbox.url}/phone/${encodeURIComponent('<img src=x onerror=alert(1)>')}`,
  );

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<img src=x onerror=alert(1)>');
  await expect(page.getByRole('status')).toContainText('not a number of a known network');
  // The browser itself notes that the call was rejected.
  expect(said.splice(0).every((text) => /status of 400/.test(text))).toBe(true);
});

test('a sandbox open to other machines asks for its token first, until it is right (T54)', async ({
  page,
  said,
}) => {
  const sandbox = await startSandbox({ host: '0.0.0.0', token: 'a-token-of-this-test' });
  try {
    await page.goto(`${sandbox.url}/phone/0960000000`);
    for (const wrong of ['another-token', '“a-token-of-this-test”']) {
      await page.getByLabel('Sandbox token').fill(wrong);
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect(page.getByRole('status')).toHaveText(/^This token is wrong\./);
    }
    await page.getByLabel('Sandbox token').fill('a-token-of-this-test');
    await page.getByRole('button', { name: 'Continue' }).click();

    await expect(page.getByRole('status')).toHaveText(/^Nothing to approve/);
    expect(said.splice(0).every((text) => /status of 401/.test(text))).toBe(true);
  } finally {
    await page.close();
    await sandbox.close();
  }
});

test('a narrow screen is enough', async ({ page, servicePaySandbox, customer }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  const reference = 'a-reference-as-long-as-they-may-be-'.repeat(3);
  await (await customer(reference, { amount: '1234567.50' })).byPhone('0960000000');
  await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
  await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible();

  await expectNoSideways(page);
  const { height } = (await page.getByText('ZMW 1,234,567.50', { exact: true }).boundingBox())!;
  expect(height).toBeLessThan(45); // one line
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
  ]) {
    test.describe(`${colorScheme}, ${viewport.width} wide`, () => {
      test.use({ colorScheme, viewport });

      test('no axe violation: nothing out, a prompt, an answer', async ({
        page,
        servicePaySandbox,
        customer,
      }) => {
        await page.goto(`${servicePaySandbox.url}/phone/0960000000`);
        await expect(page.getByRole('status')).toHaveText(/^Nothing to approve/);
        await expectAccessible(page);
        await (await customer('order-1')).byPhone('0960000000');
        await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible();
        await expectAccessible(page);
        await expectNoSideways(page);
        await page.getByRole('button', { name: 'Approve' }).click();
        await expect(page.getByRole('region', { name: 'Earlier' })).toBeVisible();
        await expectAccessible(page);
      });
    });
  }
}
