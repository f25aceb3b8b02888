import type { Page } from '@playwright/test';
import { test as base, expect } from '../stack.ts';
import {
  buildApps,
  checkTypes,
  FRAMEWORKS,
  installApps,
  type ServedApps,
  serveApps,
} from '../support/framework-apps.ts';
import { hold } from '../support/hold.ts';

const test = base.extend<{ openShop: (framework: string) => Promise<void> }, { apps: ServedApps }>({
  apps: [
    async ({ stack }, use) => {
      await installApps();
      await buildApps(stack.service.url);
      const apps = await serveApps(stack.shopUrl);
      await use(apps);
      await apps.close();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  openShop: async ({ page, apps, service: _reset }, use) => {
    const said: string[] = [];
    page.on('pageerror', (error) => said.push(error.message));
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) said.push(message.text());
    });
    await use(async (framework) => {
      await page.goto(`${apps.url}${framework}/`);
      await expect
        .poll(() =>
          page
            .locator('service-pay')
            .first()
            .evaluate((element) => 'prepare' in element && !!element.prepare),
        )
        .toBe(true);
    });
    expect(said, 'the console of the page').toEqual([]);
  },
});

// One worker installs and builds, for all of them.
test.describe.configure({ mode: 'default' });

for (const framework of FRAMEWORKS) {
  test.describe(`a shop made with ${framework}, from the packed package`, () => {
    test(`the package has types for ${framework} that accept correct code and reject mistakes`, async ({
      apps: _installed,
    }) => {
      test.setTimeout(120_000);

      const { errors, mistake } = await checkTypes(framework);

      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(mistake);
    });

    test(`a page of ${framework} buys with the element and with getPaid, and its server confirms both (U7)`, async ({
      page,
      popup,
      openShop,
      service,
    }) => {
      await openShop(framework);
      const ordered = page.waitForResponse('**/api/orders');
      await page.getByRole('button', { name: 'Buy Coffee' }).click();
      await popup.payByCard('4242 4242 4242 4242');
      await expect(page.getByRole('status')).toHaveText('Order paid.');
      const { data } = await (await ordered).json();
      expect(await service.collectionOf(data.reference)).toMatchObject({
        status: 'successful',
        amount: '138.75',
      });

      await page.getByRole('button', { name: 'Buy both' }).click();
      await expect(popup.payButton).toContainText('231.25');
      await popup.close.click();
      await popup.expectClosed();
      await page.getByRole('button', { name: 'Buy both' }).click();
      await popup.payByCard('4242 4242 4242 4242');
      await expect(page.getByRole('status')).toHaveText('Order paid.');
    });

    test(`a page of ${framework} removes the element while its popup is open or loading, and resumes when it is back (T15, D17)`, async ({
      page,
      popup,
      openShop,
    }) => {
      await openShop(framework);
      await changeQuantity(page, 2);
      await page.getByRole('button', { name: 'Buy Coffee' }).click();
      await expect(popup.payButton).toContainText('277.50');
      await changeQuantity(page, 3);
      await expect(popup.payButton).toContainText('277.50');
      await popup.close.click();
      await popup.expectClosed();

      await changeQuantity(page, 2);
      await page.getByRole('button', { name: 'Buy Coffee' }).click();
      await expect(popup.payButton).toContainText('277.50');
      await popup.frame.getByLabel('Card number').fill('4242');
      await pressOpen(page);
      await popup.expectClosed();
      await expect(page.locator('iframe, service-pay')).toHaveCount(0);

      await pressOpen(page);
      await changeQuantity(page, 2);
      const ordering = await hold(page, '**/api/orders');
      const responded = page.waitForResponse('**/api/orders');
      await page.getByRole('button', { name: 'Buy Coffee' }).click();
      await expect(popup.dialog).toBeVisible();
      await pressOpen(page);
      ordering.goOn();
      await responded;
      await expect(page.locator('dialog, iframe, service-pay')).toHaveCount(0);

      await pressOpen(page);
      await changeQuantity(page, 2);
      await page.getByRole('button', { name: 'Buy Coffee' }).click();
      await expect(popup.payButton).toContainText('277.50');
      await popup.payByCard('4242 4242 4242 4242');
      await expect(page.getByRole('status')).toHaveText('Order paid.');
    });
  });
}

// The quick starts play this in React, Vue and Svelte.
test('a plain shop finds the order of the same cart after a reload, and asks before it makes another for another cart (T135)', async ({
  page,
  popup,
  openShop,
}) => {
  const order = async (name: string, amount: string) => {
    const ordered = page.waitForResponse('**/api/orders');
    await page.getByRole('button', { name }).click();
    await expect(popup.payButton).toContainText(amount);
    return (await (await ordered).json()).data.reference;
  };
  await openShop('plain');
  const honey = await order('Buy Honey', '92.50');
  await popup.close.click();
  await popup.expectClosed();

  await openShop('plain');
  await expect(page.getByRole('status')).toHaveText('You have an unfinished payment.');
  expect(await order('Buy Honey', '92.50')).toBe(honey);
  await popup.close.click();
  await page.getByRole('button', { name: 'Buy Coffee' }).click();
  expect(await order('Place a second order', '138.75')).not.toBe(honey);
  await popup.payByCard('4242 4242 4242 4242');
  await expect(page.getByRole('status')).toHaveText('Order paid.');
});

test('React renders <service-pay> on the server and hydrates it', async ({ apps, request }) => {
  const html = await (await request.get(`${apps.url}react/`)).text();

  expect(html).toMatch(
    /<service-pay public-key="pub_sandbox_demo" label="1 × Coffee"><button type="button">Buy/,
  );
});

/** Types the number without a click: the popup covers the page. */
async function changeQuantity(page: Page, quantity: number): Promise<void> {
  await page
    .getByLabel('How many: Coffee', { exact: true })
    .evaluate((input: HTMLInputElement, text) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }, `${quantity}`);
}

async function pressOpen(page: Page): Promise<void> {
  await page.locator('input[type=checkbox]').evaluate((box: HTMLInputElement) => box.click());
}
