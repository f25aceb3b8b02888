import type { Page } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { expectStored } from '../support/expect-ending.ts';
import { reachPrompt } from '../support/expect-prompt.ts';
import { EACH_CALLBACK, EACH_ENDING } from '../support/journeys.ts';
import type { CallbackName } from '../support/merchant-site.ts';

function verifiedReferences(page: Page): string[] {
  const references: string[] = [];
  page.on('request', (request) => {
    const [, reference] =
      /\/api\/payments\/([^/]+)\/verify$/.exec(new URL(request.url()).pathname) ?? [];
    if (reference && request.method() === 'POST') references.push(reference);
  });
  return references;
}

function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`error: ${error.message}`));
  return lines;
}

async function nextReference(page: Page): Promise<string> {
  const response = await page.waitForResponse((each) =>
    /\/api\/(orders|payments\/[^/]+\/retry)$/.test(new URL(each.url()).pathname),
  );
  const { data } = (await response.json()) as { data: { reference: string } };
  return data.reference;
}

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
      test(title, async ({ page, popup, service, shop, stack }) => {
        const lines = consoleOf(page);
        const verified = verifiedReferences(page);
        await noteCalls(page);
        await page.goto(stack.shopUrl + path);
        if (path === '/') await noteCallbacks(page);
        const ordered = nextReference(page);

        await page.getByRole('button', { name: /^Pay/ }).click();
        const reference = await ordered;
        await act({ page, popup, service });

        await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADINGS[ending.callback]);
        await popup.expectClosed();
        expect(await callsOf(page)).toEqual([ending.callback]);
        await expectStored({ shop, service }, reference, ending);
        await expect.poll(() => [...new Set(verified)]).toEqual([reference]);
        // The address of a result shows it again after a reload.
        await expect
          .poll(() => new URL(page.url()).pathname)
          .toBe(ending.callback === 'onClose' ? path : '/payments/return');
        expect(lines).toEqual([]);
      });
    }
  });

  test.describe(`around a payment, by ${way}`, { tag: path === '/' ? '@gate' : [] }, () => {
    test.beforeEach(async ({ page, stack }) => {
      await page.goto(stack.shopUrl + path);
    });

    test('what a customer has typed is still there after a reload', async ({ page }) => {
      await page.getByLabel('E-mail').fill('thandiwe@example.com');

      await page.reload();

      await expect(page.getByRole('button', { name: /^Pay ZMW/ })).toBeVisible();
      await expect(page.getByLabel('E-mail')).toHaveValue('thandiwe@example.com');
    });

    test('an e-mail address with marks that nobody sees is ordered with, without them (T128)', async ({
      page,
      popup,
    }) => {
      await page.getByLabel('E-mail').fill('\u200emary\u200b@example.com\ufeff');
      const ordered = page.waitForRequest((request) => request.url().endsWith('/api/orders'));
      await page.getByRole('button', { name: /^Pay/ }).click();

      expect((await ordered).postDataJSON().customer.email).toBe('mary@example.com');
      await popup.expectOpen();
    });

    test('closing leaves the cart as it was, and the next press pays', async ({
      page,
      popup,
      shop,
    }) => {
      const first = nextReference(page);
      await page.getByRole('button', { name: /^Pay/ }).click();
      const reference = await first;
      await popup.expectOpen();
      await popup.close.click();
      await popup.expectClosed();
      await expect(
        page.getByRole('heading', {
          name: /Order paid|Payment failed|Payment pending|We are checking/,
        }),
      ).toHaveCount(0);
      expect(shop.stateOf(reference)).toBe('awaiting-payment');

      await page.getByRole('button', { name: /^Pay/ }).click();
      await popup.payByCard('4242 4242 4242 4242');

      await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
    });

    test('Pay says so if the script does not load (U6)', async ({ page }) => {
      await page.route('**/js/v1/inline.js', (route) => route.abort());
      await page.reload();

      await page.getByRole('button', { name: /^Pay/ }).click();

      await expect(page.getByRole('alert')).toContainText('The payment window could not be loaded');
    });

    test('a required field that is added and left empty is focused, and nothing is ordered', async ({
      page,
    }) => {
      await addToForm(page, { Size: { tag: 'select', name: 'size', required: true } });
      const size = page.getByLabel('Size');
      const calls: string[] = [];
      page.on('request', (request) => calls.push(request.url()));

      await page.getByRole('button', { name: /^Pay/ }).click();

      await expect(page.getByRole('alert')).toHaveText('Please select an item in the list.');
      await expect(size).toBeFocused();
      await expect(size).toHaveAttribute('aria-invalid', 'true');
      expect(calls.filter((url) => url.endsWith('/api/orders'))).toEqual([]);
    });

    // the rest is the same code on both pages
    if (path !== '/') return;

    test('leaving during a prompt shows Payment pending, and the page learns when it is paid', async ({
      page,
      popup,
      service,
    }) => {
      await page.getByRole('button', { name: /^Pay/ }).click();
      await reachPrompt(popup);
      await popup.close.click();
      await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
      await expect(
        page.getByRole('heading', { name: /Payment pending|We are checking your payment/ }),
      ).toBeVisible();

      await service.approve('0960000000');

      await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
    });

    test('fields that are added to the form are sent with the order as they were filled in', async ({
      page,
    }) => {
      await addToForm(page, {
        Phone: { name: 'phone', value: '0961111111' },
        'First name': { name: 'firstName' },
        Small: { name: 'size', type: 'radio', value: 'S' },
        Large: { name: 'size', type: 'radio', value: 'L' },
        'Gift wrap': { name: 'giftWrap', type: 'checkbox', value: 'yes' },
      });
      await page.getByLabel('Small').check();
      const ordered = page.waitForRequest((request) => request.url().endsWith('/api/orders'));

      await page.getByRole('button', { name: /^Pay/ }).click();

      expect((await ordered).postDataJSON().customer).toEqual({
        email: 'mary.banda@example.com',
        phone: '0961111111',
        size: 'S',
      });
    });

    test('an empty cart is not ordered, and stays empty', async ({ page }) => {
      const calls: string[] = [];
      page.on('request', (request) => calls.push(request.url()));
      await page.getByRole('button', { name: /^One less of/ }).click();

      await page.getByRole('button', { name: /^Pay/ }).click();

      await expect(page.getByRole('alert')).toContainText('Your order is empty.');
      expect(calls.filter((url) => url.endsWith('/api/orders'))).toEqual([]);
    });

    test('no console message before a payment, and nothing polls', async ({ page }) => {
      const lines = consoleOf(page);
      const calls: string[] = [];
      page.on('request', (request) => calls.push(new URL(request.url()).pathname));

      await page.reload();
      await expect(page.getByRole('button', { name: /^Pay/ })).toBeVisible();
      await page.waitForLoadState('networkidle');

      expect(calls.filter((path) => path.startsWith('/api/payments'))).toEqual([]);
      expect(lines).toEqual([]);
    });
  });
}

test.describe('the return page', () => {
  test('an order of another browser is not shown on the return page (D56)', {
    tag: '@gate',
  }, async ({ page, purchase, stack }) => {
    await page.goto(`${stack.shopUrl}/payments/return?reference=${purchase.reference}`);

    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'We do not know this order here',
    );
    await expect(page.getByText(purchase.reference)).toHaveCount(0);
  });

  test('claims in the address of the return page are not read (T72)', async ({
    page,
    shop,
    stack,
  }) => {
    await page.goto(`${stack.shopUrl}/element`);
    const ordered = nextReference(page);
    await page.getByRole('button', { name: /^Pay/ }).click();
    const reference = await ordered;

    await page.goto(
      `${stack.shopUrl}/payments/return?reference=${reference}&status=successful&amount=0`,
    );

    await expect(page.getByRole('heading', { name: 'Payment pending' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Order paid' })).toHaveCount(0);
    expect(shop.stateOf(reference)).toBe('awaiting-payment');
  });
});

test.describe('a payment that fails for good', () => {
  test('a failed payment says Payment failed, and trying again pays with a new reference', {
    tag: '@gate',
  }, async ({ page, popup, service, shop, stack }) => {
    await page.goto(stack.shopUrl);
    await service.stopClock();
    const ordered = nextReference(page);
    await page.getByRole('button', { name: /^Pay/ }).click();
    const reference = await ordered;
    await reachPrompt(popup);
    await popup.close.click();
    await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
    await service.advance(40 * 60);
    await expect.poll(async () => (await service.collectionOf(reference))?.status).toBe('failed');

    await expect(page.getByRole('heading', { name: 'Payment failed' })).toBeVisible({
      timeout: 30_000,
    });
    expect(shop.stateOf(reference)).toBe('failed');
    const retried = nextReference(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    const second = await retried;
    await popup.payByCard('4242 4242 4242 4242');

    await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
    expect(second).not.toBe(reference);
    expect(shop.stateOf(second)).toBe('paid');
    expect(shop.stateOf(reference)).toBe('failed');
    expect(shop.fulfilmentsOf(second)).toBe(1);
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
