import type { Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';
import Database from 'better-sqlite3';
import { expect, type Stack, test } from '../stack.ts';
import { expectPrompt } from '../support/expect-prompt.ts';
import type { ServiceControl } from '../support/service-control.ts';

const HANDSET = '0960000000';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

function givenReferences(page: Page): string[] {
  const references: string[] = [];
  page.on('response', async (response) => {
    if (!/\/api\/(orders|payments\/[^/]+\/retry)$/.test(new URL(response.url()).pathname)) return;
    const { data } = (await response.json()) as { data?: { reference: string } };
    if (data) references.push(data.reference);
  });
  return references;
}

async function leavePrompt(popup: PaymentPopup): Promise<void> {
  await popup.payByPhone({ network: 'MTN', phone: HANDSET });
  await expectPrompt(popup);
  await popup.close.click();
  await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
  await popup.expectClosed();
}

/**
 * Declines the prompt and lets the session end, so that the first payment fails for good; then pays
 * again and leaves that prompt, too.
 */
async function failAndPayAgain(
  page: Page,
  popup: PaymentPopup,
  service: ServiceControl,
): Promise<void> {
  await service.decline(HANDSET);
  await service.advance(40 * 60);
  await expect(heading(page)).toHaveText('Payment failed', { timeout: 30_000 });
  await button(page, 'Try again').click();
  await leavePrompt(popup);
  await expect(heading(page)).toHaveText('Payment pending');
}

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

/** Puts a payment into a state that a person or the service brought about meanwhile. */
function setState({ databaseFile }: Stack, reference: string, state: string): void {
  const database = new Database(databaseFile);
  try {
    database
      .prepare('update service_pay_payments set state = ? where reference = ?')
      .run(state, reference);
  } finally {
    database.close();
  }
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
  await expect(tab.getByText(/^You have an unfinished payment of ZMW/)).toBeVisible();
  await expect(button(tab, 'Continue this payment')).toBeVisible();
  await button(page, 'Continue this payment').click();
  await expectPrompt(popup);
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
  await expect(button(page, 'Try again')).toHaveCount(0);
  await button(page, 'Continue this payment').click();
  await expectPrompt(popup);
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
  test(`a popup closed untouched leaves nothing unfinished: after a reload of ${path}, Pay opens the same payment`, async ({
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
    await expect(heading(page)).toHaveText('Your order');
    await expect(page.getByText(/unfinished payment/)).toBeHidden();
    await button(page, /^Pay ZMW/).click();
    await popup.payByCard('4242 4242 4242 4242');

    await expect(heading(page)).toHaveText('Order paid');
    expect(new Set(given).size).toBe(1);
    expect(shop.stateOf(given[0]!)).toBe('paid');
  });

  test(`another cart at ${path} is asked about while a payment is open, and is a second order then`, async ({
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
    await button(page, 'Add Miombo honey, 500 g').click();

    await button(page, /^Pay ZMW/).click();
    await expect(page.getByText(/you may pay for both/)).toBeVisible();
    expect(new Set(given).size).toBe(1);
    await popup.expectClosed();
    await button(page, 'Place a second order').click();
    await popup.payByCard('4242 4242 4242 4242');

    await expect(heading(page)).toHaveText('Order paid');
    const [first, second] = [...new Set(given)] as [string, string];
    expect([shop.stateOf(first), shop.stateOf(second)]).toEqual(['awaiting-payment', 'paid']);
  });
}

test('a payment approved after the customer went back to the shop turns the bar into Order paid (T136)', async ({
  page,
  popup,
  service,
  stack,
}) => {
  const given = givenReferences(page);
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await expect(page.getByText(/^You have an unfinished payment/)).toBeVisible();

  await service.approve(HANDSET);

  await expect(heading(page)).toHaveText('Order paid');
  expect(new Set(given).size).toBe(1);
});

test('a customer may go on shopping while a payment is pending, and finds it above the cart', async ({
  page,
  popup,
  service,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await page.getByRole('link', { name: 'Back to the shop' }).click();

  await expect(page.getByText(/^You have an unfinished payment/)).toBeVisible();
  await button(page, 'Continue this payment').click();
  await expectPrompt(popup);
  await service.approve(HANDSET);

  await expect(heading(page)).toHaveText('Order paid');
});

for (const path of ['/', '/element']) {
  test(`a second window with ${path} finds a payment that was started elsewhere, and offers no second order (T115)`, async ({
    page,
    context,
    popup,
    stack,
  }) => {
    const beside = await context.newPage();
    await beside.goto(stack.shopUrl + path);
    await expect(button(beside, /^Pay ZMW/)).toBeVisible();
    const given = givenReferences(beside);
    // Nothing is drawn in a tab behind another, and a press in its frame is lost.
    await page.bringToFront();
    await page.goto(stack.shopUrl);
    await button(page, /^Pay/).click();
    await leavePrompt(popup);

    await expect(beside.getByText(/^You have an unfinished payment of ZMW/)).toBeVisible();
    await beside.bringToFront();
    await button(beside, /^Pay ZMW/).click();
    await expect(beside.getByText(/you may pay for both/)).toBeVisible();
    expect(given).toEqual([]);
  });
}

test('the back button leads to the pending payment (T115)', async ({ page, popup, stack }) => {
  await page.goto(`${stack.shopUrl}/element`);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await expect(heading(page)).toHaveText('Payment pending');
  await page.goto(`${stack.shopUrl}/no/such/page`);

  await page.goBack();

  await expect(heading(page)).toHaveText('Payment pending');
});

test('Continue in the bar, pressed just after the payment was approved, shows the order as paid', async ({
  page,
  popup,
  service,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await page.getByRole('link', { name: 'Back to the shop' }).click();
  await expect(page.getByText(/^You have an unfinished payment/)).toBeVisible();

  await service.approve(HANDSET);
  await button(page, 'Continue this payment').click();

  await expect(heading(page)).toHaveText('Order paid');
});

test('a customer whose browser no longer owns the order sees that once, and gets back to the shop (D56)', async ({
  page,
  context,
  popup,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await expect(heading(page)).toHaveText('Payment pending');
  await context.clearCookies();
  await page.reload();
  await expect(heading(page)).toHaveText('We do not know this order here');

  await page.getByRole('link', { name: 'Back to the shop' }).click();

  await expect(button(page, /^Pay ZMW/)).toBeVisible();
});

test('a customer whose payment is in review sees that after a reload, and gets back to the shop', async ({
  page,
  popup,
  stack,
}) => {
  const given = givenReferences(page);
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  await expect(heading(page)).toHaveText('Payment pending');
  setState(stack, given[0]!, 'needs-review');
  await page.reload();
  await expect(page.getByText('Your payment arrived, and we are checking it.')).toBeVisible();

  await page.getByRole('link', { name: 'Back to the shop' }).click();

  await expect(button(page, /^Pay ZMW/)).toBeVisible();
  await button(page, /^Pay ZMW/).click();
  await popup.expectOpen();
});

for (const [state, isPaymentKept, pattern] of [
  ['offline', false, /^You are offline\. Nothing was sent, and you have not been charged\.$/],
  ['with an error', false, /^The shop could not take the order, and no payment was started\./],
  ['offline', true, /^You are offline, so the shop cannot tell whether this is paid\./],
  ['with an error', true, /^Right now the shop cannot tell whether this is paid\./],
] as const) {
  const who = isPaymentKept ? 'a customer with an open payment' : 'a customer who ordered nothing';
  test(`${who} reads ${isPaymentKept ? 'that it may be paid' : 'that nothing was charged'} if a press fails ${state}`, async ({
    page,
    context,
    popup,
    stack,
  }) => {
    await page.goto(stack.shopUrl);
    const press = button(page, isPaymentKept ? 'Continue this payment' : /^Pay ZMW/);
    if (isPaymentKept) {
      await button(page, /^Pay/).click();
      await leavePrompt(popup);
    }
    await expect(press).toBeVisible();
    if (state === 'offline') await context.setOffline(true);
    else await page.route('**/api/**', (route) => route.fulfill({ status: 500 }));

    await press.click();

    await expect(page.getByRole('alert')).toHaveText(pattern);
    await context.setOffline(false);
  });
}

test('a failed search for an unfinished payment is repeated before anything is ordered', async ({
  page,
  popup,
  stack,
}) => {
  await keepNothing(page);
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);
  const message = 'The shop cannot reach its records right now: try again in a moment.';
  await page.route('**/api/orders/open', (route) =>
    route.fulfill({ status: 503, json: { status: false, message, data: null } }),
  );
  await page.goto(stack.shopUrl);
  const given = givenReferences(page);

  await button(page, /^Pay ZMW/).click();
  await expect(page.getByRole('alert')).toHaveText(/no payment was started/);
  await page.unroute('**/api/orders/open');
  await button(page, /^Pay ZMW/).click();

  await expect(page.getByText(/^You have an unfinished payment of ZMW/)).toBeVisible();
  expect(given).toEqual([]);
});

test('a browser without storage still finds its open payment', async ({ page, popup, stack }) => {
  await keepNothing(page);
  await page.goto(stack.shopUrl);
  await button(page, /^Pay/).click();
  await leavePrompt(popup);

  await page.reload();

  await expect(heading(page)).toHaveText('Payment pending');
  await expect(button(page, 'Continue this payment')).toBeVisible();
});
