import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { startDemoPages } from '../scripts/demo-pages.ts';
import { test as base, expect } from './stack.ts';

/** The pages of `public/`, on an origin of their own, under the policy that the documents print. */
const test = base.extend<{ demoPages: string }>({
  demoPages: async ({ stack, service }, use) => {
    const pages = await startDemoPages({
      folder: fileURLToPath(new URL('../public', import.meta.url)),
      port: 0,
      scriptUrl: `${service.url}/js/v1/inline.js`,
      publicKey: 'pub_sandbox_demo',
      shopUrl: stack.shopUrl,
    });
    await use(pages.url);
    await pages.close();
  },
});

test('the script-tag page takes a payment by card and shows each thing it heard, once', async ({ page, popup, demoPages }) => {
  const complaints = complaintsOf(page);
  await page.goto(`${demoPages}/script-tag.html`);

  await page.getByRole('button', { name: /^Pay/ }).click();
  await popup.payByCard('4242 4242 4242 4242');

  await expect(page.getByRole('log')).toContainText('result success');
  await expect(page.getByRole('log').getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('log')).toContainText('onSuccess');
  expect(complaints).toEqual([]);
});

test('the element page takes a payment by mobile money, and the next press is a new payment', async ({ page, popup, demoPages }) => {
  const complaints = complaintsOf(page);
  await page.goto(`${demoPages}/element.html`);

  await page.getByRole('button', { name: /^Pay/ }).click();
  await popup.payByPhone('MTN', '0961111111');
  await expect(page.getByRole('log')).toContainText('service-pay-success');
  await popup.expectGone();
  await page.getByRole('button', { name: /^Pay/ }).click();
  await popup.expectReady();
  await popup.close.click();

  await expect(page.getByRole('log')).toContainText('service-pay-close');
  await expect(page.getByRole('log').getByRole('listitem')).toHaveCount(2);
  expect(complaints).toEqual([]);
});

test('the script-tag page says which option is wrong', async ({ page, demoPages }) => {
  await page.goto(`${demoPages}/script-tag.html`);

  await page.getByLabel('Amount').fill('10,75');
  await page.getByRole('button', { name: /^Pay/ }).click();

  await expect(page.getByRole('log')).toContainText('invalid_options');
  await expect(page.getByRole('log')).toContainText('amount');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`the demo pages, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width: 360, height: 740 } });

    for (const path of ['/', '/script-tag.html', '/element.html']) {
      test(`${path} has no axe violation, fits a phone and leaves the console empty`, async ({ page, demoPages }) => {
        const complaints = complaintsOf(page);
        await page.goto(demoPages + path);

        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
        expect(complaints).toEqual([]);
      });
    }
  });
}

/** Whatever the page writes on its console, which a page that takes money keeps empty. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}
