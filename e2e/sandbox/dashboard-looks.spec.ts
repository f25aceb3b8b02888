import { expect, expectAccessible, expectNoSideways, test } from '../support/sandbox-pages.ts';

const DIALOGS = [
  'Clock',
  'Scenarios',
  'Faults',
  'Phones',
  'Merchants',
  'Customer',
  'Place a collection',
  'Reset',
];

for (const [colorScheme, viewport] of [
  ['light', { width: 360, height: 740 }],
  ['dark', { width: 1280, height: 800 }],
] as const) {
  test.describe(`no axe violation, ${colorScheme}, ${viewport.width} wide`, () => {
    test.use({ colorScheme, viewport });

    test('in the dashboard: empty, many, a story with everything opened', async ({
      page,
      servicePaySandbox,
      customer,
      receiver,
    }) => {
      test.slow();
      const { control, url } = servicePaySandbox;
      await page.goto(`${url}/dashboard`);
      await expect(page.getByText('No collection yet.')).toBeVisible();
      await expectAccessible(page);
      await control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url });
      await control.setFaults({ webhooks: { tamper: 1 } });
      for (const status of ['successful', 'failed', 'pending', 'pay-offline'])
        await control.putCollection({ reference: `a-${status}`, status });
      await expect(page.getByRole('link', { name: 'a-pay-offline' }).first()).toBeVisible();
      await expectAccessible(page);
      const ada = await customer('order-1');
      await ada.byCard('4000 0000 0000 0002');
      await ada.byPhone('0960000000');
      await page.goto(`${url}/dashboard#/pub_sandbox_demo/order-1`);
      await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      const summaries = page.locator('#story summary');
      await expect(summaries).toHaveCount(2);
      for (const summary of await summaries.all()) await summary.click();
      await expectAccessible(page);
      await expectNoSideways(page);
    });

    test('in each dialog', async ({ page, servicePaySandbox }) => {
      test.slow();
      await servicePaySandbox.control.setFaults({
        merchantApi: { kind: 'status', rate: 1, status: 503 },
      });
      await page.goto(`${servicePaySandbox.url}/dashboard`);
      for (const name of DIALOGS) {
        await page.getByRole('region', { name: 'Controls' }).getByRole('button', { name }).click();
        await expect(page.getByRole('dialog')).toBeVisible();
        await expectAccessible(page);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
    });
  });
}

test('on a narrow screen the tools take one row, the page does not scroll sideways, and the story replaces the list', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const reference = 'a-reference-as-long-as-they-may-be-'.repeat(3);
  await (await customer(reference)).byCard('4242 4242 4242 4242');
  await page.goto(`${servicePaySandbox.url}/dashboard`);
  const link = page.getByRole('list', { name: 'Collections, newest first' }).getByRole('link');
  await expect(link).toBeVisible();
  await expectNoSideways(page);
  const tools = await page.getByRole('region', { name: 'Controls' }).getByRole('button').all();
  const rows = await Promise.all(tools.map(async (tool) => (await tool.boundingBox())?.y));
  expect(new Set(rows).size).toBe(1);

  await link.click();
  await expect(page.getByRole('heading', { name: reference })).toBeFocused();
  await expect(link).toBeHidden();
  await page.getByText('Collection as JSON').click();
  await expectNoSideways(page);
  await page.getByRole('link', { name: 'All collections' }).click();
  await expect(link).toBeFocused();
  await link.press('Enter');
  await expect(page.getByRole('heading', { name: reference })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(link).toBeFocused();
  await link.press('Enter');
  await expect(page.getByRole('heading', { name: reference })).toBeFocused();
  await page.getByRole('link', { name: 'Skip to the collections' }).press('Enter');
  await expect(link).toBeFocused();
  for (const name of DIALOGS) {
    await page.getByRole('region', { name: 'Controls' }).getByRole('button', { name }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.keyboard.press('Escape');
  }
});

test('the focus is visible in forced colours, and nothing moves with reduced motion', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await (await customer('order-1')).byPhone('0960000000');
  for (const path of ['/dashboard#/pub_sandbox_demo/order-1', '/phone/0960000000']) {
    await page.goto(servicePaySandbox.url + path);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await expect(approve).toBeVisible();
    await approve.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect(approve).toBeFocused();
    expect(await approve.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  }
});
