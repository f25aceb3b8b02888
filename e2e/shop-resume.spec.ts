import type { Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';

import type { ServiceControl } from './service-control.ts';
import { expect, test } from './stack.ts';

const HANDSET = '0960000000';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** References of the options the shop gave this page, in order. */
function givenReferences(page: Page): string[] {
  const references: string[] = [];
  page.on('response', async (response) => {
    if (!/\/api\/(orders|payments\/[^/]+\/retry)$/.test(new URL(response.url()).pathname)) return;
    const { data } = (await response.json()) as { data?: { reference: string } };
    if (data) references.push(data.reference);
  });
  return references;
}

/** Sends a prompt to the handset and leaves the window while it is out. */
async function leavePrompt(popup: PaymentPopup): Promise<void> {
  await popup.payByPhone({ network: 'MTN', phone: HANDSET });
  await expect(popup.frame.getByRole('heading', { name: 'Approve the payment on your phone' })).toBeVisible();
  await popup.close.click();
  await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
  await popup.expectClosed();
}

/** Declines the prompt and lets the session end, so that the first payment fails for good; then pays again and leaves that prompt, too. */
async function failAndPayAgain(page: Page, popup: PaymentPopup, service: ServiceControl): Promise<void> {
  await service.decline(HANDSET);
  await service.advance(40 * 60);
  await expect(heading(page)).toHaveText('Payment failed', { timeout: 30_000 });
  await button(page, 'Pay again').click();
  await leavePrompt(popup);
  await expect(heading(page)).toHaveText('Payment pending');
}

test.beforeEach(({ service }) => service.stopClock());

test('a reload after a second try resumes that try, and the order is paid once (T115)', async ({
  page,
  context,
  popup,
  service,
  shop,
  stack,
}) => {
  const given = givenReferences(page);
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await failAndPayAgain(page, popup, service);

  await page.reload();
  await expect(heading(page)).toHaveText('Payment pending');
  await expect(button(page, /^Pay/)).toHaveCount(0);
  const tab = await context.newPage();
  await tab.goto(stack.shopUrl);
  await expect(heading(tab)).toHaveText('Payment pending');
  await expect(button(tab, 'Continue this payment')).toBeVisible();
  await button(page, 'Continue this payment').click();
  await expect(popup.frame.getByRole('heading', { name: 'Approve the payment on your phone' })).toBeVisible();
  await service.approve(HANDSET);

  for (const one of [page, tab]) await expect(heading(one)).toHaveText('Order paid');
  const [first, second] = [...new Set(given)] as [string, string];
  expect(new Set(given).size).toBe(2);
  expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['failed', 'paid']);
});

test('the return page of the first, failed payment follows the second, and offers no third (T115, T116)', async ({
  page,
  popup,
  service,
  shop,
  stack,
}) => {
  const given = givenReferences(page);
  await page.goto(`${stack.shopUrl}/element`);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await expect(page).toHaveURL(/\/payments\/return\?reference=/);
  await failAndPayAgain(page, popup, service);

  await page.reload();
  await expect(heading(page)).toHaveText('Payment pending');
  await expect(button(page, 'Pay again')).toHaveCount(0);
  await button(page, 'Continue this payment').click();
  await expect(popup.frame.getByRole('heading', { name: 'Approve the payment on your phone' })).toBeVisible();
  await service.approve(HANDSET);

  await expect(heading(page)).toHaveText('Order paid');
  await page.reload();
  await expect(heading(page)).toHaveText('Order paid');
  const [first, second] = [...new Set(given)] as [string, string];
  expect(new Set(given).size).toBe(2);
  expect(page.url()).toContain(first);
  expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['failed', 'paid']);
});

for (const path of ['/', '/element']) {
  test(`a window closed without paying is offered again after a reload of ${path}, and Pay asks before it orders anew`, async ({
    page,
    popup,
    stack,
    shop,
  }) => {
    const given = givenReferences(page);
    await page.goto(stack.shopUrl + path);
    await button(page, /^Pay/).click();
    await popup.expectOpen();
    await popup.close.click();
    await popup.expectClosed();

    await page.reload();
    await expect(page.getByText(/^You have an unfinished payment of ZMW/)).toBeVisible();
    await expect(heading(page)).toHaveText('Your order');
    await button(page, /^Pay/).click();
    await expect(page.getByText(/you may pay for both/)).toBeVisible();
    await expect(popup.dialog).toHaveCount(0);
    expect(new Set(given).size).toBe(1);
    await button(page, 'Place a second order').click();
    await popup.payByCard('4242 4242 4242 4242');

    await expect(heading(page)).toHaveText('Order paid');
    const [first, second] = [...new Set(given)] as [string, string];
    expect(second).not.toBe(first);
    expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['awaiting-payment', 'paid']);
  });
}

test('a customer may go on shopping while a payment is pending, and finds it above the cart', async ({ page, popup, service, stack }) => {
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await page.getByRole('link', { name: 'Back to the shop' }).click();

  await expect(page.getByText(/^You have an unfinished payment/)).toBeVisible();
  await button(page, 'Continue this payment').click();
  await expect(popup.frame.getByRole('heading', { name: 'Approve the payment on your phone' })).toBeVisible();
  await service.approve(HANDSET);

  await expect(heading(page)).toHaveText('Order paid');
});

test('a browser that keeps nothing finds its open payment all the same', async ({ page, popup, stack }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('blocked', 'SecurityError');
        },
      });
    }
  });
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);

  await page.reload();

  await expect(heading(page)).toHaveText('Payment pending');
  await expect(button(page, 'Continue this payment')).toBeVisible();
});
