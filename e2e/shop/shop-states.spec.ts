import type { BrowserContext, Page } from '@playwright/test';
import Database from 'better-sqlite3';

import { findFreePort } from '../../scripts/programs/server-program.ts';
import { startShopProgram } from '../lab/shop-launcher.ts';
import { test as base, expect, type Stack } from '../stack.ts';
import { expectPrompt } from '../support/expect-prompt.ts';

interface Ordered {
  reference: string;
  amount: string;
  currency: string;
}

async function orderIn(context: BrowserContext, shopUrl: string): Promise<Ordered> {
  await context.request.get(shopUrl);
  const catalogue = (await (await context.request.get(`${shopUrl}/api/catalogue`)).json()) as {
    data: { sku: string }[];
  };
  const response = await context.request.post(`${shopUrl}/api/orders`, {
    data: {
      items: [{ sku: catalogue.data[0]?.sku, quantity: 1 }],
      customer: { email: 'mary@example.com' },
    },
    headers: { origin: shopUrl, 'sec-fetch-site': 'same-origin' },
  });
  const { data } = (await response.json()) as { data: Ordered };
  return { reference: data.reference, amount: data.amount, currency: data.currency };
}

interface Fixtures {
  /** An order that this browser placed and has not paid. */
  order: Ordered;
  /** Opens the page to which a payment of the order returns, here or in another tab. */
  openReturnPage: (tab?: Page) => Promise<unknown>;
}

const test = base.extend<Fixtures>({
  order: async ({ context, service: _service, stack }, use) => {
    await use(await orderIn(context, stack.shopUrl));
  },
  openReturnPage: async ({ page, stack, order }, use) => {
    await use((tab = page) => tab.goto(returnAddress(stack.shopUrl, order)));
  },
});

function returnAddress(shopUrl: string, { reference }: Ordered): string {
  return `${shopUrl}/payments/return?reference=${reference}`;
}

function setState({ databaseFile }: Stack, { reference }: Ordered, state: string): void {
  const database = new Database(databaseFile);
  try {
    database
      .prepare('update service_pay_payments set state = ? where reference = ?')
      .run(state, reference);
  } finally {
    database.close();
  }
}

function countVerifies(page: Page): () => number {
  let verified = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/verify$/.test(request.url())) verified += 1;
  });
  return () => verified;
}

/** Hides a page from its own script as a phone does that shows another app, or shows it again. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((now) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const words = (page: Page) => page.getByRole('status');

test.describe('the return page explains the state', () => {
  test.describe.configure({ mode: 'parallel' });

  test('before the first response: the return page says that the payment is being checked and nothing is charged twice (T72)', async ({
    page,
    order,
    openReturnPage,
  }) => {
    await page.route('**/verify', () => {});
    await openReturnPage();

    await expect(heading(page)).toHaveText('We are checking your payment');
    await expect(words(page)).toContainText('Do not pay again. You will not be charged twice.');
    await expect(page.getByText(order.reference)).toBeVisible();
  });

  test('while the payment is pending: the return page shows the next step and the amount', async ({
    page,
    order,
    openReturnPage,
  }) => {
    await openReturnPage();

    await expect(heading(page)).toHaveText('Payment pending');
    await expect(words(page)).toContainText('You will not be charged twice');
    await expect(page.getByText(order.reference)).toBeVisible();
    await expect(page.locator('.amount')).toHaveText(new RegExp(`^ZMW\\s${order.amount}$`));
  });

  test('in review: the return page says that the money arrived and a person is checking (D51, D57)', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    await service.place({ ...order, amount: '1.00' });
    await openReturnPage();

    await expect(heading(page)).toHaveText('Payment pending');
    await expect(words(page)).toContainText('arrived, and we are checking it');
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });

  for (const [state, sentence] of [
    ['failed', 'did not go through'],
    ['expired', 'You can still pay'],
  ] as const) {
    test(`${state}: the return page says why, and how to pay again (D57)`, async ({
      page,
      service,
      stack,
      order,
      openReturnPage,
    }) => {
      if (state === 'failed') await service.place({ ...order, status: 'failed' });
      else setState(stack, order, state);
      await openReturnPage();

      await expect(heading(page)).toHaveText('Payment failed');
      await expect(words(page)).toContainText(sentence);
      await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
    });
  }

  test('refused: the return page asks the customer to contact the shop with the reference, without a button to pay again (D57)', async ({
    page,
    stack,
    order,
    openReturnPage,
  }) => {
    setState(stack, order, 'refused');
    await openReturnPage();

    await expect(heading(page)).toHaveText('Payment failed');
    await expect(words(page)).toContainText('Ask the shop about your money before you pay again.');
    await expect(words(page)).toContainText('Tell the shop the reference below.');
    await expect(page.getByText(order.reference)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Back to the shop' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });

  test('failed, but another payment of the order succeeded: the return page asks not to pay again, and has no button', async ({
    page,
    service,
    stack,
    order,
    openReturnPage,
  }) => {
    await service.place({ ...order, status: 'failed' });
    await openReturnPage();
    await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled();
    setState(stack, order, 'needs-review');

    await page.getByRole('button', { name: 'Try again' }).click();

    await expect(page.getByRole('alert')).toContainText('Do not pay again');
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Back to the shop' })).toBeVisible();
  });

  test('failed, while another payment of the order is not known yet: the return page says that none was started, and to try later (D52)', async ({
    page,
    popup,
    service,
    stack,
    order,
    openReturnPage,
  }) => {
    await service.place({ ...order, status: 'failed' });
    await openReturnPage();
    const again = page.getByRole('button', { name: 'Try again' });
    await expect(again).toBeEnabled();
    setState(stack, order, 'awaiting-payment');
    await service.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });

    await again.click();

    await expect(page.getByRole('alert')).toHaveText(
      /whether this is paid\. No new payment was started: try again soon\./,
    );
    await expect(popup.dialog).toHaveCount(0);
    await service.setFaults({});
    await again.click();
    await expect(popup.dialog).toBeVisible();
  });

  test('an unknown address: the page says that the page does not exist, and links back', async ({
    page,
    service: _service,
    stack,
  }) => {
    const response = await page.goto(`${stack.shopUrl}/no/such/page`);

    expect(response?.status()).toBe(404);
    await expect(heading(page)).toHaveText('There is no such page');
    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await expect(heading(page)).toHaveText('Your order');
  });

  test('paid: the return page says how it was paid and when', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    await service.place(order);
    await openReturnPage();

    await expect(heading(page)).toHaveText('Order paid');
    await expect(words(page)).toContainText('We have your order.');
    await expect(page.locator('#result')).toContainText('Airtel •• 1111');
    await expect(page.locator('#result')).toContainText(`${new Date().getFullYear()}`);
  });

  test('not known yet: the return page says that the service does not respond, until it does (D52)', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    await service.place(order);
    await service.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });
    await openReturnPage();

    await expect(heading(page)).toHaveText('We are checking your payment');
    await expect(words(page)).toContainText('could not reach the payment service');
    await service.setFaults({});

    await expect(heading(page)).toHaveText('Order paid', { timeout: 45_000 });
  });

  test('the return page stops verifying an order that this browser no longer owns (D56)', async ({
    page,
    context,
    openReturnPage,
  }) => {
    await page.route('**/verify', async (route) => {
      await context.clearCookies();
      await route.continue();
    });
    await openReturnPage();

    await expect(heading(page)).toHaveText('We do not know this order here');
    await expect(page.getByRole('link', { name: 'Back to the shop' })).toBeVisible();
  });

  test('without JavaScript: the return page says that the shop confirms the payment and paying needs JavaScript', async ({
    browser,
    service: _service,
    stack,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const order = await orderIn(context, stack.shopUrl);

    await page.goto(returnAddress(stack.shopUrl, order));
    await expect(heading(page)).toHaveText('We are checking your payment');
    await expect(page.locator('noscript p')).toContainText(
      'The shop confirms your payment by itself',
    ); // out of reach of `getByText`
    await expect(page.locator('noscript p')).toBeVisible();
    await page.goto(stack.shopUrl);
    await expect(page.locator('noscript p')).toContainText('Paying here needs JavaScript');
    await expect(page.locator('noscript p')).toBeVisible();
    await context.close();
  });
});

test.describe('a page that waits for a payment', () => {
  test('a waiting page gets the result of the webhook if verify does not respond', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    await page.route('**/verify', (route) => route.abort());
    const streaming = page.waitForResponse(/\/events$/);
    await openReturnPage();
    await streaming;

    await service.place({ ...order, notify: true });

    await expect(heading(page)).toHaveText('Order paid');
  });

  test('a waiting page shows the amount and the goods once it can load them', async ({
    page,
    order,
    openReturnPage,
  }) => {
    await page.route(`**/api/orders/${order.reference}`, (route) => route.abort(), { times: 1 });

    await openReturnPage();

    await expect(heading(page)).toHaveText('Payment pending');
    await expect(page.locator('.amount')).toHaveText(new RegExp(`^ZMW\\s${order.amount}$`));
    await expect(page.getByText('mary@example.com')).toBeVisible();
  });

  for (const [failure, status] of [
    ['rejected (429)', 429],
    ['an error of a proxy (502)', 502],
    ['cut', undefined],
  ] as const) {
    test(`a waiting page gets the result by polling if its stream is ${failure} (T51)`, async ({
      page,
      service,
      order,
      openReturnPage,
    }) => {
      await page.route('**/events', (route) =>
        status ? route.fulfill({ status }) : route.abort(),
      );
      await openReturnPage();
      await expect(heading(page)).toHaveText('Payment pending');

      await service.place(order);

      await expect(heading(page)).toHaveText('Order paid');
    });
  }

  test('a waiting page polls even if its stream sends nothing (T51)', async ({
    page,
    openReturnPage,
  }) => {
    await page.clock.install();
    const streaming = page.waitForResponse(/\/events$/);
    await openReturnPage();
    await expect(heading(page)).toHaveText('Payment pending');
    await streaming;
    await page.clock.runFor(5_000);

    const [again] = await Promise.all([
      page.waitForRequest(/\/verify$/),
      page.clock.runFor(31_000),
    ]);

    expect(again.method()).toBe('POST');
  });

  test('a waiting page polls nothing while hidden, and at once when visible (T36)', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    const verified = countVerifies(page);
    await page.route('**/events', (route) => route.abort());
    await page.clock.install();
    await openReturnPage();
    await expect(heading(page)).toHaveText('Payment pending');
    await setVisibility(page, 'hidden');
    const before = verified();
    await page.clock.runFor(5 * 60_000);
    expect(verified()).toBe(before);

    await service.place(order);
    await setVisibility(page, 'visible');

    await expect(heading(page)).toHaveText('Order paid');
  });

  test('a waiting page polls at once when the browser brings it back as it was', async ({
    page,
    service,
    order,
    openReturnPage,
  }) => {
    await page.route('**/events', (route) => route.abort());
    await page.clock.install();
    await openReturnPage();
    await expect(heading(page)).toHaveText('Payment pending');
    await service.place(order);

    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    );

    await expect(heading(page)).toHaveText('Order paid');
  });

  test('a waiting page says when it is offline, and notices when it is back', async ({
    page,
    context,
    service,
    order,
    openReturnPage,
  }) => {
    await openReturnPage();
    await expect(heading(page)).toHaveText('Payment pending');

    await context.setOffline(true);
    await expect(words(page)).toContainText('cannot reach the shop right now');
    await expect(heading(page)).toHaveText('Payment pending');
    await service.place(order);
    await context.setOffline(false);

    await expect(heading(page)).toHaveText('Order paid');
  });

  test('a waiting page is correct in two tabs independently', async ({
    page,
    context,
    service,
    order,
    openReturnPage,
  }) => {
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await openReturnPage(tab);
      await expect(heading(tab)).toHaveText('Payment pending');
    }

    await service.place({ ...order, notify: true });

    for (const tab of [page, other]) await expect(heading(tab)).toHaveText('Order paid');
  });

  test('a waiting page is right after the shop was restarted', async ({
    page,
    context,
    service,
  }, testInfo) => {
    const port = await findFreePort();
    const shopUrl = `http://localhost:${port}`;
    const start = () =>
      startShopProgram(`file:${testInfo.outputPath('shop.db')}`, service.url, {
        PORT: String(port),
      });
    const first = await start();
    const order = await orderIn(context, shopUrl);
    await page.goto(returnAddress(shopUrl, order));
    await expect(heading(page)).toHaveText('Payment pending');

    await first.stop();
    await service.place(order);
    const second = await start();

    await expect(heading(page)).toHaveText('Order paid', { timeout: 45_000 });
    await second.stop();
  });
});

test.describe('Pay', () => {
  for (const [way, path] of [
    ['the script tag', '/'],
    ['the element', '/element'],
  ] as const) {
    test(`Pay comes back after a failure, and says what to do, by ${way}`, async ({
      page,
      popup,
      service: _service,
      stack,
    }) => {
      await page.goto(stack.shopUrl + path);
      const pay = page.getByRole('button', { name: /^Pay ZMW/ });
      await page.route('**/api/orders', (route) => route.abort());
      await pay.click();
      await expect(page.locator('#problem')).toHaveText(
        'The shop could not take the order, and no payment was started. Try again soon.',
      );
      if (path === '/element') await popup.close.click();
      await page.unroute('**/api/orders');

      await pay.click();

      await expect(popup.payButton).toBeVisible();
      await expect(page.locator('#problem')).toBeHidden();
    });
  }

  test('Pay says at once that it is opening, and ignores a second press', async ({
    page,
    popup,
    service: _service,
    stack,
  }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let orders = 0;
    await page.route('**/api/orders', async (route) => {
      orders++;
      await promise;
      await route.continue();
    });
    await page.goto(stack.shopUrl);
    await page.getByRole('button', { name: /^Pay ZMW/ }).click();

    const opening = page.getByRole('button', { name: 'Opening…' });
    await expect(opening).toHaveAttribute('aria-busy', 'true');
    await expect(opening).toBeFocused();
    await opening.click();
    resolve();

    await popup.expectOpen();
    expect(orders).toBe(1);
    await popup.close.click();
    await expect(page.getByRole('button', { name: /^Pay ZMW/ })).toBeFocused();
  });
});

test('a pending payment shows within 5 s that nothing waits on the phone any more', async ({
  page,
  popup,
  service,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await popup.payByPhone({ network: 'MTN', phone: '0960000000' });
  await expectPrompt(popup);
  await popup.close.click();
  await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
  await expect(heading(page)).toHaveText('Payment pending');
  await expect(words(page)).toContainText('Approve the payment on your phone');

  await service.decline('0960000000');

  await expect(words(page)).toContainText('Nothing is waiting on your phone', { timeout: 5_000 });
  await page.getByRole('button', { name: 'Continue this payment' }).click();
  await popup.payByCard('4242 4242 4242 4242');
  await expect(heading(page)).toHaveText('Order paid');
});

test('a paid order shows its items, amount, e-mail and a reference to copy, here and on the return page', async ({
  page,
  context,
  popup,
  service: _service,
  stack,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(stack.shopUrl);
  await page.getByRole('button', { name: 'Add Miombo honey, 500 g' }).click();
  const ordered = page.waitForResponse('**/api/orders');
  await page.getByRole('button', { name: /^Pay/ }).click();
  const { data } = (await (await ordered).json()) as { data: Ordered };
  await popup.payByCard('4242 4242 4242 4242');

  for (const path of ['/', `/payments/return?reference=${data.reference}`]) {
    if (path !== '/') await page.goto(stack.shopUrl + path);
    await expect(heading(page)).toHaveText('Order paid');
    const card = page.locator('#result');
    await expect(card).toContainText('1 × Miombo honey, 500 g');
    await expect(card).toContainText('1 × Chitenge cloth, two yards');
    await expect(card.getByText('mary.banda@example.com')).toBeVisible();
    await expect(card.locator('.amount')).toHaveText(/^ZMW\s277\.50$/);
    await card.getByRole('button', { name: 'Copy' }).click();
    await expect(card.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.reference);
  }
});

test('a merchant whose catalogue has no pictures shows no broken ones', async ({
  page,
  service: _service,
  stack,
}) => {
  await page.route('**/api/catalogue', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { picture?: string }[] };
    for (const item of body.data) delete item.picture;
    await route.fulfill({ response, json: body });
  });

  await page.goto(stack.shopUrl);

  await expect(page.getByRole('button', { name: 'Add Miombo honey, 500 g' })).toBeVisible();
  await expect(page.locator('main img')).toHaveCount(0);
});

test('the keyboard focus stays in the cart while items are added and removed', async ({
  page,
  service: _service,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  const less = page.getByRole('button', { name: 'One less of Chitenge cloth, two yards' });
  const more = page.getByRole('button', { name: 'One more of Chitenge cloth, two yards' });
  await more.focus();
  await page.keyboard.press('Enter');
  await expect(more).toBeFocused();
  await expect(page.getByRole('button', { name: /^Pay ZMW\s370\.00$/ })).toBeVisible();

  await less.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');

  await expect(less).toBeHidden();
  await expect(page.getByText('Nothing yet. Add something from the market.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Add Chitenge/ })).toBeFocused();
});

test('a payment that the bank still works on is not said to have nothing under way', async ({
  page,
  popup,
  service: _reset,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await popup.payByCard('4000 0000 0000 0077');
  await expect(popup.frame.getByRole('heading', { name: 'Confirming your payment' })).toBeVisible();
  await popup.close.click();
  await popup.frame.getByRole('button', { name: 'Close anyway' }).click();

  await expect(words(page)).toContainText('If your bank still confirms the payment');
  await expect(words(page)).not.toContainText('at your bank right now');
});
