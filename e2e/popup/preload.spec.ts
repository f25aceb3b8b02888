import type { Page } from '@playwright/test';

import { expect, test } from '../stack.ts';
import { checkoutFrame, findCheckoutFrame } from '../support/checkout-frame.ts';

const PERSONAL = {
  email: 'mary.banda@example.com',
  reference: 'a-reference-to-keep',
  amount: '4711.50',
  label: 'A private matter',
  firstName: 'Chipo-Mary',
};

test.describe('the preloaded frame', () => {
  test('the preloaded frame gets only the public key and the origin before the press, and is then ready (T33)', async ({
    page,
    popup,
    service,
    site,
  }) => {
    const sent: string[] = [];
    const documents: string[] = [];
    page.on('request', (request) => {
      sent.push(
        JSON.stringify([request.method(), request.url(), request.headers(), request.postData()]),
      );
      if (request.resourceType() === 'document') documents.push(request.url());
    });
    await page.addInitScript(() => {
      const received: unknown[] = [];
      Object.assign(globalThis, { received });
      addEventListener('message', ({ data }) => received.push(data));
    });
    await page.goto(site.url);
    await placeElement(page);
    documents.length = 0;

    await page.getByRole('button', { name: 'Pay now' }).hover();
    await expect.poll(() => findCheckoutFrame(page)?.url()).toContain('/checkout/v1/');
    await checkoutFrame(page).waitForLoadState();

    const { searchParams } = new URL(checkoutFrame(page).url());
    expect(Object.fromEntries(searchParams)).toEqual({ key: 'pub_sandbox_demo', origin: site.url });
    expect(
      await checkoutFrame(page).evaluate(
        () => (globalThis as unknown as { received: unknown[] }).received,
      ),
    ).toEqual([]);
    for (const value of Object.values(PERSONAL)) expect(sent.join('\n')).not.toContain(value);
    expect(sent.filter((request) => /"POST"|\/sessions/.test(request))).toEqual([]);
    expect(documents).toHaveLength(1);

    await page.getByRole('button', { name: 'Pay now' }).click();
    await expect(popup.payButton).toContainText('4,711.50');
    expect(documents).toHaveLength(1);
    await popup.payByCard('4242 4242 4242 4242');
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { paid?: string }).paid))
      .toBe(PERSONAL.reference);
    expect(await service.collectionOf(PERSONAL.reference)).toMatchObject({
      status: 'successful',
      amount: PERSONAL.amount,
    });
    await expect(page.locator('iframe')).toHaveCount(0);
  });

  test('the preloaded frame is removed after five minutes without a press, and loaded again at the next sign of one', async ({
    page,
    site,
  }) => {
    await page.clock.install();
    await page.goto(site.url);
    await placeElement(page);
    const button = page.getByRole('button', { name: 'Pay now' });

    await button.hover();
    await expect(page.locator('iframe')).toHaveCount(1);
    await page.clock.fastForward('04:50');
    await expect(page.locator('iframe')).toHaveCount(1);
    await page.clock.fastForward('00:20');
    await expect(page.locator('iframe')).toHaveCount(0);

    await button.focus();
    await expect(page.locator('iframe')).toHaveCount(1);
  });

  test('the preloaded frame does no harm if the service was down when it was loaded (T17)', async ({
    page,
    popup,
    service,
    site,
  }) => {
    await page.clock.install();
    await service.setFaults({ checkoutPage: { rate: 1, kind: 'status', status: 503 } });
    await page.goto(site.url);
    await placeElement(page);
    await page.evaluate(() =>
      document.addEventListener('load', () => Object.assign(globalThis, { loaded: true }), {
        capture: true,
      }),
    );
    await page.getByRole('button', { name: 'Pay now' }).hover();
    await page.waitForFunction(() => 'loaded' in globalThis);
    await page.clock.fastForward('00:05');
    await service.setFaults({});

    await page.getByRole('button', { name: 'Pay now' }).click();

    await expect(popup.payButton).toContainText('4,711.50');
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('the preloaded frame leaves language and focus of a payment alone that opens before the frame has loaded all', async ({
    page,
    site,
  }) => {
    const [isRequested, isFree] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/\/assets\/lazy-/, async (route) => {
      isRequested.resolve();
      await isFree.promise;
      await route.continue();
    });
    await page.goto(site.url);
    await placeElement(page, { locale: 'ar' });
    await page.getByRole('button', { name: 'Pay now' }).hover();
    await isRequested.promise;
    await page.getByRole('button', { name: 'Pay now' }).click();
    const frame = page.frameLocator('iframe[title="دفع آمن"]');
    await expect(frame.getByLabel('رقم البطاقة')).toBeFocused();

    isFree.resolve();
    await expect(frame.getByRole('combobox', { name: 'اللغة' })).toBeVisible();

    await expect(frame.locator('html')).toHaveAttribute('lang', 'ar');
    await expect(frame.locator('html')).toHaveAttribute('dir', 'rtl');
    await expect(frame.getByLabel('رقم البطاقة')).toBeFocused();
  });
});

async function placeElement(page: Page, more: object = {}): Promise<void> {
  await page.evaluate(
    ({ firstName, ...attributes }) => {
      const element = Object.assign(document.createElement('service-pay'), attributes, {
        publicKey: 'pub_sandbox_demo',
        currency: 'ZMW',
        customer: { firstName },
      });
      element.addEventListener('service-pay-success', (event) =>
        Object.assign(globalThis, { paid: (event as Event & { reference: string }).reference }),
      );
      const button = document.createElement('button');
      button.textContent = 'Pay now';
      element.append(button);
      document.querySelector('main')!.append(element);
    },
    { ...PERSONAL, ...more },
  );
}
