import type { Page } from '@playwright/test';
import { expectStored } from '../support/expect-ending.ts';
import { EACH_CALLBACK, EACH_ENDING } from '../support/journeys.ts';
import type { CallbackName } from '../support/merchant-site.ts';
import { requestsOf, watchForTrouble } from '../support/trouble.ts';
import { expect, test } from './shop-page.ts';

/** Notes every callback or event of the popup in the tab's storage, which outlives the page. */
async function noteCalls(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noting = window as unknown as { noteCall: (name: string) => void };
    noting.noteCall = (name) => {
      const calls = JSON.parse(sessionStorage.getItem('calls') ?? '[]') as string[];
      sessionStorage.setItem('calls', JSON.stringify([...calls, name]));
    };
    document.addEventListener('service-pay-success', () => noting.noteCall('onSuccess'));
    document.addEventListener('service-pay-close', () => noting.noteCall('onClose'));
    document.addEventListener('service-pay-confirmation-pending', () =>
      noting.noteCall('onConfirmationPending'),
    );
  });
}

async function noteCallbacks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { noteCall, ServicePay } = window as unknown as {
      noteCall: (name: string) => void;
      ServicePay: { getPaid: (options: Record<string, unknown>) => unknown };
    };
    const { getPaid } = ServicePay;
    ServicePay.getPaid = (options) => {
      const noted: Record<string, unknown> = {};
      for (const name of ['onSuccess', 'onClose', 'onConfirmationPending']) {
        noted[name] = (...given: unknown[]) => {
          noteCall(name);
          return (options[name] as ((...given: unknown[]) => unknown) | undefined)?.(...given);
        };
      }
      return getPaid({ ...options, ...noted });
    };
  });
}

async function callsOf(page: Page): Promise<CallbackName[]> {
  return page.evaluate(() => JSON.parse(sessionStorage.getItem('calls') ?? '[]') as CallbackName[]);
}

const HEADINGS: Record<CallbackName, RegExp> = {
  onSuccess: /^Order paid$/,
  onClose: /^Your order$/,
  onConfirmationPending: /^Payment pending$/,
};

for (const [way, path] of [
  ['the script tag', '/'],
  ['the element', '/element'],
] as const) {
  test.describe(`the shop by ${way}`, () => {
    for (const { title, act, ending } of path === '/' ? EACH_ENDING : EACH_CALLBACK) {
      test(title, async ({ page, popup, service, shop, shopPage }) => {
        const trouble = await watchForTrouble(page);
        const requests = requestsOf(page);
        await noteCalls(page);
        await shopPage.open(path);
        if (path === '/') await noteCallbacks(page);

        await shopPage.pay.click();
        await act({ page, popup, service });

        await expect(shopPage.heading).toHaveText(HEADINGS[ending.callback]);
        await popup.expectClosed();
        expect(await callsOf(page)).toEqual([ending.callback]);
        const [reference] = shopPage.references as [string];
        await expectStored({ shop, service }, reference, ending);
        const verified = () => new Set(requests.filter((each) => each.endsWith('/verify')));
        await expect.poll(verified).toEqual(new Set([`/api/payments/${reference}/verify`]));
        // The address of a result shows it again after a reload.
        await expect
          .poll(() => new URL(page.url()).pathname)
          .toBe(ending.callback === 'onClose' ? path : '/payments/return');
        expect(trouble).toEqual([]);
      });
    }
  });

  test.describe(`around a payment, by ${way}`, { tag: path === '/' ? '@gate' : [] }, () => {
    test.beforeEach(({ shopPage }) => shopPage.open(path));

    test('what a customer has typed is still there after a reload', async ({ page, shopPage }) => {
      await page.getByLabel('E-mail').fill('thandiwe@example.com');

      await page.reload();

      await expect(shopPage.pay).toBeVisible();
      await expect(page.getByLabel('E-mail')).toHaveValue('thandiwe@example.com');
    });

    test('an e-mail address with marks that nobody sees is ordered with, without them (T128)', async ({
      page,
      popup,
      shopPage,
    }) => {
      await page.getByLabel('E-mail').fill('\u200emary\u200b@example.com\ufeff');
      const ordered = page.waitForRequest('**/api/orders');
      await shopPage.pay.click();

      expect((await ordered).postDataJSON().customer.email).toBe('mary@example.com');
      await popup.expectOpen();
    });

    test('closing leaves the cart as it was, and the next press pays', async ({
      popup,
      shop,
      shopPage,
    }) => {
      await shopPage.leaveUntouched();
      await expect(shopPage.heading).toHaveText('Your order');
      expect(shop.stateOf(shopPage.references[0]!)).toBe('awaiting-payment');

      await shopPage.pay.click();
      await popup.payByCard();

      await expect(shopPage.heading).toHaveText('Order paid');
    });

    test('Pay says so if the script does not load (U6)', async ({ page, shopPage }) => {
      await page.route('**/js/v1/inline.js', (route) => route.abort());
      await page.reload();

      await shopPage.button(/^Pay/).click();

      await expect(shopPage.alert).toContainText('The payment window could not be loaded');
    });

    test('a required field that is added and left empty is focused, and nothing is ordered', async ({
      page,
      shopPage,
    }) => {
      await addToForm(page, { Size: { tag: 'select', name: 'size', required: true } });
      const size = page.getByLabel('Size');
      const requests = requestsOf(page);

      await shopPage.pay.click();

      await expect(shopPage.alert).toHaveText('Please select an item in the list.');
      await expect(size).toBeFocused();
      await expect(size).toHaveAttribute('aria-invalid', 'true');
      expect(requests).not.toContain('/api/orders');
    });

    // the rest is the same code on both pages
    if (path !== '/') return;

    test('fields that are added to the form are sent with the order as they were filled in', async ({
      page,
      shopPage,
    }) => {
      await addToForm(page, {
        Phone: { name: 'phone', value: '0961111111' },
        'First name': { name: 'firstName' },
        Small: { name: 'size', type: 'radio', value: 'S' },
        Large: { name: 'size', type: 'radio', value: 'L' },
        'Gift wrap': { name: 'giftWrap', type: 'checkbox', value: 'yes' },
      });
      await page.getByLabel('Small').check();
      const ordered = page.waitForRequest('**/api/orders');

      await shopPage.pay.click();

      expect((await ordered).postDataJSON().customer).toEqual({
        email: 'mary.banda@example.com',
        phone: '0961111111',
        size: 'S',
      });
    });

    test('what a customer has chosen in fields that are added is still there after a reload', async ({
      page,
      shopPage,
    }) => {
      const added =
        '<select name="size"><option>S</option><option>M</option></select>' +
        '<input type="radio" name="colour" value="red"><input type="radio" name="colour" value="blue">' +
        '<input type="checkbox" name="gift"><input type="file" name="picture">' +
        '<textarea name="note"></textarea>';
      await page.route(/:\d+\/$/, async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('<label>E-mail', `${added}<label>E-mail`);
        await route.fulfill({ response, body });
      });
      await page.reload();
      await page.locator('select').selectOption('M');
      await page.locator('[value=blue]').check();
      await page.locator('[name=gift]').check();
      await page.locator('textarea').fill('By the gate');

      await page.reload();

      await expect(shopPage.pay).toBeVisible();
      await expect(page.locator('select')).toHaveValue('M');
      await expect(page.locator('[value=blue]')).toBeChecked();
      await expect(page.locator('[name=gift]')).toBeChecked();
      await expect(page.locator('textarea')).toHaveValue('By the gate');
    });

    test('an empty cart is not ordered, and stays empty', async ({ page, shopPage }) => {
      const requests = requestsOf(page);
      await shopPage.button(/^One less of/).click();

      await shopPage.button(/^Pay/).click();

      await expect(shopPage.alert).toContainText('Your order is empty.');
      expect(requests).not.toContain('/api/orders');
    });

    test('no console message before a payment, and nothing polls', async ({ page, shopPage }) => {
      const trouble = await watchForTrouble(page);
      const requests = requestsOf(page);

      await page.reload();
      await expect(shopPage.pay).toBeVisible();
      await page.waitForLoadState('networkidle');

      expect(requests.filter((path) => path.startsWith('/api/payments'))).toEqual([]);
      expect(trouble).toEqual([]);
    });
  });
}

test.describe('the return page', () => {
  test('an order of another browser is not shown on the return page (D56)', {
    tag: '@gate',
  }, async ({ page, shop, shopPage }) => {
    const { reference } = await shop.order();

    await shopPage.openReturn(reference);

    await expect(shopPage.heading).toHaveText('We do not know this order here');
    await expect(page.getByText(reference)).toHaveCount(0);
  });

  test('claims in the address of the return page are not read (T72)', async ({
    shop,
    shopPage,
  }) => {
    await shopPage.open('/element');
    await shopPage.leaveUntouched();
    const [reference] = shopPage.references as [string];

    await shopPage.openReturn(`${reference}&status=successful&amount=0`);

    await expect(shopPage.heading).toHaveText('Payment pending');
    expect(shop.stateOf(reference)).toBe('awaiting-payment');
  });
});

/** Adds fields to the form, each with a label around it. The page's policy forbids markup. */
async function addToForm(
  page: Page,
  fields: Record<string, { tag?: string; name: string; [property: string]: unknown }>,
): Promise<void> {
  await page.getByLabel('E-mail').evaluate((email, named) => {
    for (const [words, { tag = 'input', ...properties }] of Object.entries(named)) {
      const label = document.createElement('label');
      label.append(words, Object.assign(document.createElement(tag), properties));
      email.closest('form')!.prepend(label);
    }
  }, fields);
}
