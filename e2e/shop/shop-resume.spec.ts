import type { Page } from '@playwright/test';
import { expectPrompt, HANDSET } from '../support/expect-prompt.ts';
import { expect, test } from './shop-page.ts';

/** Takes away what a browser that blocks storage does not give to a page. */
async function keepNothing(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('blocked', 'SecurityError');
        },
      });
    }
  });
}

test.beforeEach(({ service }) => service.stopClock());

for (const path of ['/', '/element']) {
  test(`a second try after a failed payment is found again by a reload of ${path} and by another tab, offers no third, and is paid once (T115, T116)`, {
    tag: '@gate',
  }, async ({ page, context, popup, service, shop, shopPage }) => {
    await shopPage.open(path);
    await shopPage.leaveAtPrompt();
    await service.decline(HANDSET);
    await service.advance(40 * 60);
    await expect(shopPage.heading).toHaveText('Payment failed', { timeout: 30_000 });
    await shopPage.leaveAtPrompt(shopPage.button('Try again'));
    await expect(shopPage.heading).toHaveText('Payment pending');

    await page.reload();
    await expect(shopPage.heading).toHaveText('Payment pending');
    await expect(shopPage.button(/^(?:Pay|Try again)/)).toHaveCount(0);
    const tab = shopPage.in(await context.newPage());
    await tab.open();
    await expect(tab.unfinished).toBeVisible();
    await expect(tab.button('Continue this payment')).toBeVisible();
    await page.bringToFront();
    await shopPage.button('Continue this payment').click();
    await expectPrompt(popup);
    await service.approve(HANDSET);

    for (const one of [shopPage, tab]) await expect(one.heading).toHaveText('Order paid');
    await page.reload();
    await expect(shopPage.heading).toHaveText('Order paid');
    const [first, second] = shopPage.references as [string, string];
    expect(shopPage.references).toHaveLength(2);
    expect(page.url()).toContain(first);
    expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['failed', 'paid']);
    expect(shop.fulfilmentsOf(second)).toBe(1);
  });

  test(`a popup closed untouched leaves nothing unfinished: after a reload of ${path}, Pay opens the same payment`, async ({
    page,
    popup,
    shop,
    shopPage,
  }) => {
    await shopPage.open(path);
    await shopPage.leaveUntouched();

    await page.reload();
    await expect(shopPage.heading).toHaveText('Your order');
    await expect(shopPage.unfinished).toBeHidden();
    await shopPage.pay.click();
    await popup.payByCard();

    await expect(shopPage.heading).toHaveText('Order paid');
    expect(shopPage.references).toHaveLength(1);
    expect(shop.stateOf(shopPage.references[0]!)).toBe('paid');
  });

  test(`another cart at ${path} is asked about while a payment is open, and is a second order then`, async ({
    page,
    popup,
    shop,
    shopPage,
  }) => {
    await shopPage.open(path);
    await shopPage.leaveUntouched();
    await shopPage.button('Add Miombo honey, 500 g').click();

    await shopPage.pay.click();
    await expect(page.getByText(/you may pay for both/)).toBeVisible();
    expect(shopPage.references).toHaveLength(1);
    await popup.expectClosed();
    await shopPage.button('Place a second order').click();
    await popup.payByCard();

    await expect(shopPage.heading).toHaveText('Order paid');
    const [first, second] = shopPage.references as [string, string];
    expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['awaiting-payment', 'paid']);
  });

  test(`a second window with ${path} finds a payment that was started elsewhere, and offers no second order (T115)`, async ({
    page,
    context,
    shopPage,
  }) => {
    const window = await context.newPage();
    const beside = shopPage.in(window);
    await beside.open(path);
    await expect(beside.pay).toBeVisible();
    // Nothing is drawn in a tab behind another, and a press in its frame is lost.
    await page.bringToFront();
    await shopPage.open();
    await shopPage.leaveAtPrompt();

    await expect(beside.unfinished).toBeVisible();
    await window.bringToFront();
    await beside.pay.click();
    await expect(window.getByText(/you may pay for both/)).toBeVisible();
    expect(beside.references).toEqual([]);
  });
}

test.describe('after Back to the shop, with a prompt on the phone', () => {
  test.beforeEach(async ({ shopPage }) => {
    await shopPage.open();
    await shopPage.leaveAtPrompt();
    await shopPage.backToShop.click();
    await expect(shopPage.unfinished).toBeVisible();
  });

  test('a payment that is approved then turns the bar above the cart into Order paid (T136)', async ({
    service,
    shopPage,
  }) => {
    await service.approve(HANDSET);

    await expect(shopPage.heading).toHaveText('Order paid');
    expect(shopPage.references).toHaveLength(1);
  });

  test('Continue in the bar above the cart shows the prompt again', async ({ popup, shopPage }) => {
    await shopPage.button('Continue this payment').click();

    await expectPrompt(popup);
  });

  test('Continue in the bar, pressed just after the payment was approved, shows the order as paid', async ({
    service,
    shopPage,
  }) => {
    await service.approve(HANDSET);
    await shopPage.button('Continue this payment').click();

    await expect(shopPage.heading).toHaveText('Order paid');
  });
});

test.describe('with Payment pending on the screen', () => {
  test.beforeEach(async ({ shopPage }) => {
    await shopPage.open('/element');
    await shopPage.leaveAtPrompt();
    await expect(shopPage.heading).toHaveText('Payment pending');
  });

  test('the back button leads to the pending payment (T115)', async ({ page, shopPage }) => {
    await shopPage.open('/no/such/page');

    await page.goBack();

    await expect(shopPage.heading).toHaveText('Payment pending');
  });

  test('a customer whose browser no longer owns the order sees that once, and gets back to the shop (D56)', async ({
    page,
    context,
    shopPage,
  }) => {
    await context.clearCookies();
    await page.reload();
    await expect(shopPage.heading).toHaveText('We do not know this order here');

    await shopPage.backToShop.click();

    await expect(shopPage.pay).toBeVisible();
  });

  test('the bar above the cart says that the shop no longer knows the payment in this browser, and offers no way to continue it (D64)', async ({
    context,
    popup,
    shopPage,
  }) => {
    await context.clearCookies();
    await shopPage.open();
    await expect(shopPage.unfinished).toContainText('no longer knows in this browser');
    await expect(shopPage.button(/^(?:Continue|Opening)/)).toHaveCount(0);

    await shopPage.pay.click();
    const second = shopPage.button('Place a second order');
    await expect(second).toBeFocused();
    await second.click();

    await popup.expectOpen();
  });

  test('a customer whose payment is in review sees that after a reload and at a press of Pay, and may order another cart', async ({
    page,
    popup,
    shop,
    shopPage,
  }) => {
    shop.setState(shopPage.references[0]!, 'needs-review');
    for (const lookAgain of [() => page.reload(), () => shopPage.pay.click()]) {
      await lookAgain();
      await expect(shopPage.status).toContainText('Your payment arrived, and we are checking it.');
      await shopPage.backToShop.click();
    }

    await shopPage.button('Add Miombo honey, 500 g').click();
    await shopPage.pay.click();

    await popup.expectOpen();
  });
});

for (const [cause, isPaymentKept, pattern] of [
  [
    'the customer is offline',
    false,
    /^You are offline\. Nothing was sent, and you have not been charged\.$/,
  ],
  [
    'the customer is offline',
    true,
    /^You are offline, so the shop cannot tell whether this is paid\./,
  ],
  ['the shop returns an error', true, /^Right now the shop cannot tell whether this is paid\./],
] as const) {
  const says = isPaymentKept
    ? 'Continue says that the payment may be paid'
    : 'Pay says that nothing was charged';
  test(`${says} if ${cause}`, async ({ page, context, shopPage }) => {
    await shopPage.open();
    if (isPaymentKept) await shopPage.leaveAtPrompt();
    const press = isPaymentKept ? shopPage.button('Continue this payment') : shopPage.pay;
    await expect(press).toBeVisible();
    if (/offline/.test(cause)) await context.setOffline(true);
    else await page.route('**/api/**', (route) => route.fulfill({ status: 500 }));

    await press.click();

    await expect(shopPage.alert).toHaveText(pattern);
    await context.setOffline(false);
  });
}

test('a browser without storage repeats a failed search for its unfinished payment before it orders anything', async ({
  page,
  shopPage,
}) => {
  await keepNothing(page);
  await shopPage.open();
  await shopPage.leaveAtPrompt();
  const message = 'The shop cannot reach its records right now: try again in a moment.';
  await page.route('**/api/orders/open', (route) =>
    route.fulfill({ status: 503, json: { status: false, message, data: null } }),
  );
  await shopPage.open();

  await shopPage.pay.click();
  await expect(shopPage.alert).toHaveText(/no payment was started/);
  await page.unroute('**/api/orders/open');
  await shopPage.pay.click();

  await expect(shopPage.unfinished).toBeVisible();
  expect(shopPage.references).toHaveLength(1);
});
