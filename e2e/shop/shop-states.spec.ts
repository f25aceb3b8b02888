import type { Page } from '@playwright/test';
import { findFreePort } from '../../scripts/programs/server-program.ts';
import { startShopProgram } from '../lab/shop-launcher.ts';
import { HANDSET } from '../support/expect-prompt.ts';
import { hold } from '../support/hold.ts';
import type { ServiceControl } from '../support/service-control.ts';
import { ShopClient } from '../support/shop-client.ts';
import { requestsOf } from '../support/trouble.ts';
import { test as base, expect, ShopPage } from './shop-page.ts';

interface Ordered {
  reference: string;
  amount: string;
  currency: string;
}

interface Fixtures {
  /** An order that this browser placed and has not paid. */
  order: Ordered;
}

const test = base.extend<Fixtures>({
  order: async ({ context, service: _reset, stack }, use) => {
    await use(await orderBy(new ShopClient(context.request, stack.shopUrl, stack.databaseFile)));
  },
});

async function orderBy(customer: ShopClient): Promise<Ordered> {
  const { reference, amount, currency } = await customer.order();
  return { reference, amount, currency };
}

/** Hides a page from its own script as a phone does that shows another app, or shows it again. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((now) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

interface World {
  page: Page;
  service: ServiceControl;
  shop: ShopClient;
  order: Ordered;
}

const STATES: {
  title: string;
  meet?: (world: World) => unknown;
  heading: string;
  says: (string | RegExp)[];
  button?: 'Try again' | 'Continue this payment';
}[] = [
  {
    title:
      'before the first response, that it checks the payment and nothing is charged twice (T72)',
    meet: ({ page }) => page.route('**/verify', () => {}),
    heading: 'We are checking your payment',
    says: ['Do not pay again. You will not be charged twice.'],
  },
  {
    title: 'while the payment is pending, the next step',
    heading: 'Payment pending',
    says: ['You will not be charged twice'],
    button: 'Continue this payment',
  },
  {
    title: 'in review, that the money arrived and a person is checking (D51, D57)',
    meet: ({ service, order }) => service.place({ ...order, amount: '1.00' }),
    heading: 'Payment pending',
    says: ['arrived, and we are checking it'],
  },
  {
    title: 'if the payment failed, why, and how to pay again (D57)',
    meet: ({ service, order }) => service.place({ ...order, status: 'failed' }),
    heading: 'Payment failed',
    says: ['did not go through'],
    button: 'Try again',
  },
  {
    title: 'if the payment expired, how to pay again (D57)',
    meet: ({ shop, order }) => shop.setState(order.reference, 'expired'),
    heading: 'Payment failed',
    says: ['You can still pay'],
    button: 'Try again',
  },
  {
    title:
      'if the shop refused the payment, to contact the shop with the reference, and offers no way to pay again (D57)',
    meet: ({ shop, order }) => shop.setState(order.reference, 'refused'),
    heading: 'Payment failed',
    says: [
      'Ask the shop about your money before you pay again.',
      'Tell the shop the reference below.',
    ],
  },
  {
    title: 'once it is paid, how and when',
    meet: ({ service, order }) => service.place(order),
    heading: 'Order paid',
    says: ['We have your order.', 'Airtel •• 1111', `${new Date().getFullYear()}`],
  },
];

test.describe('the return page explains the state', () => {
  test.describe.configure({ mode: 'parallel' });

  for (const { title, meet, heading, says, button } of STATES)
    test(`the return page says ${title}`, async ({ page, service, shop, shopPage, order }) => {
      await meet?.({ page, service, shop, order });
      await shopPage.openReturn(order.reference);

      await expect(shopPage.heading).toHaveText(heading);
      for (const words of says) await expect(shopPage.card).toContainText(words);
      await expect(shopPage.card.getByText(order.reference)).toBeVisible();
      await expect(shopPage.card.locator('.amount')).toHaveText(
        new RegExp(`^ZMW\\s${order.amount}$`),
      );
      for (const name of ['Try again', 'Continue this payment'])
        await expect(shopPage.button(name)).toHaveCount(name === button ? 1 : 0);
      await expect(shopPage.backToShop).toHaveCount(/checking your/.test(heading) ? 0 : 1);
    });

  test('the return page of a failed payment asks not to pay again, and has no button, if another payment of the order succeeded', async ({
    service,
    shop,
    shopPage,
    order,
  }) => {
    await service.place({ ...order, status: 'failed' });
    await shopPage.openReturn(order.reference);
    const again = shopPage.button('Try again');
    await expect(again).toBeEnabled();
    shop.setState(order.reference, 'needs-review');

    await again.click();

    await expect(shopPage.status).toContainText('Do not pay again: your order is kept.');
    await expect(again).toHaveCount(0);
    await expect(shopPage.backToShop).toBeVisible();
  });

  test('the return page of a failed payment says that none was started, and to try later, while another payment of the order is not known yet (D52)', async ({
    popup,
    service,
    shop,
    shopPage,
    order,
  }) => {
    await service.place({ ...order, status: 'failed' });
    await shopPage.openReturn(order.reference);
    const again = shopPage.button('Try again');
    await expect(again).toBeEnabled();
    shop.setState(order.reference, 'awaiting-payment');
    await service.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });

    await again.click();

    await expect(shopPage.alert).toHaveText(
      /whether this is paid\. No new payment was started: try again soon\./,
    );
    await expect(popup.dialog).toHaveCount(0);
    await service.setFaults({});
    await again.click();
    await expect(popup.dialog).toBeVisible();
  });

  test('an unknown address: the page says that the page does not exist, and links back', async ({
    page,
    shopPage,
  }) => {
    const response = page.waitForResponse(/\/no\/such\/page$/);
    await shopPage.open('/no/such/page');

    expect((await response).status()).toBe(404);
    await expect(shopPage.heading).toHaveText('There is no such page');
    await shopPage.backToShop.click();
    await expect(shopPage.heading).toHaveText('Your order');
  });

  test('not known yet: the return page says that the service does not respond, until it does (D52)', async ({
    service,
    shopPage,
    order,
  }) => {
    await service.place(order);
    await service.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });
    await shopPage.openReturn(order.reference);

    await expect(shopPage.heading).toHaveText('We are checking your payment');
    await expect(shopPage.status).toContainText('could not reach the payment service');
    await service.setFaults({});

    await expect(shopPage.heading).toHaveText('Order paid', { timeout: 45_000 });
  });

  test('the return page stops verifying an order that this browser no longer owns (D56)', async ({
    page,
    context,
    shopPage,
    order,
  }) => {
    await page.route('**/verify', async (route) => {
      await context.clearCookies();
      await route.continue();
    });
    await shopPage.openReturn(order.reference);

    await expect(shopPage.heading).toHaveText('We do not know this order here');
    await expect(shopPage.backToShop).toBeVisible();
  });

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false });

    test('without JavaScript: the return page says that the shop confirms the payment and paying needs JavaScript', async ({
      page,
      shopPage,
      order,
    }) => {
      const words = page.locator('noscript p'); // out of reach of `getByText`

      await shopPage.openReturn(order.reference);
      await expect(shopPage.heading).toHaveText('We are checking your payment');
      await expect(words).toContainText('The shop confirms your payment by itself');
      await expect(words).toBeVisible();
      await shopPage.open();
      await expect(words).toContainText('Paying here needs JavaScript');
      await expect(words).toBeVisible();
    });
  });
});

test.describe('a page that waits for a payment', () => {
  test('a waiting page gets the result of the webhook if verify does not respond', async ({
    page,
    service,
    shopPage,
    order,
  }) => {
    await page.route('**/verify', (route) => route.abort());
    const streaming = page.waitForResponse(/\/events$/);
    await shopPage.openReturn(order.reference);
    await streaming;

    await service.place({ ...order, notify: true });

    await expect(shopPage.heading).toHaveText('Order paid');
  });

  test('a waiting page shows the amount and the goods once it can load them', async ({
    page,
    shopPage,
    order,
  }) => {
    await page.route(`**/api/orders/${order.reference}`, (route) => route.abort(), { times: 1 });

    await expectPending(shopPage, order);

    await expect(shopPage.card.locator('.amount')).toHaveText(
      new RegExp(`^ZMW\\s${order.amount}$`),
    );
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
      shopPage,
      order,
    }) => {
      await page.route('**/events', (route) =>
        status ? route.fulfill({ status }) : route.abort(),
      );
      await expectPending(shopPage, order);

      await service.place(order);

      await expect(shopPage.heading).toHaveText('Order paid');
    });
  }

  test('a waiting page polls even if its stream sends nothing (T51)', async ({
    page,
    shopPage,
    order,
  }) => {
    await page.clock.install();
    const streaming = page.waitForResponse(/\/events$/);
    await expectPending(shopPage, order);
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
    shopPage,
    order,
  }) => {
    let verified = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/verify$/.test(request.url())) verified += 1;
    });
    await page.route('**/events', (route) => route.abort());
    await page.clock.install();
    await expectPending(shopPage, order);
    await setVisibility(page, 'hidden');
    const before = verified;
    await page.clock.runFor(5 * 60_000);
    expect(verified).toBe(before);

    await service.place(order);
    await setVisibility(page, 'visible');

    await expect(shopPage.heading).toHaveText('Order paid');
  });

  test('a waiting page polls at once when the browser brings it back as it was', async ({
    page,
    service,
    shopPage,
    order,
  }) => {
    await page.route('**/events', (route) => route.abort());
    await page.clock.install();
    await expectPending(shopPage, order);
    await service.place(order);

    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    );

    await expect(shopPage.heading).toHaveText('Order paid');
  });

  test('a waiting page says when it is offline, and notices when it is back', async ({
    context,
    service,
    shopPage,
    order,
  }) => {
    await expectPending(shopPage, order);

    await context.setOffline(true);
    await expect(shopPage.status).toContainText('cannot reach the shop right now');
    await expect(shopPage.heading).toHaveText('Payment pending');
    await service.place(order);
    await context.setOffline(false);

    await expect(shopPage.heading).toHaveText('Order paid');
  });

  test('a waiting page is right after the shop was restarted', async ({
    page,
    popup,
    context,
    service,
  }, testInfo) => {
    const port = await findFreePort();
    const shopUrl = `http://localhost:${port}`;
    const databaseFile = testInfo.outputPath('shop.db');
    const start = () =>
      startShopProgram(
        { databaseUrl: `file:${databaseFile}`, serviceUrl: service.url },
        { PORT: String(port) },
      );
    const first = await start();
    const order = await orderBy(new ShopClient(context.request, shopUrl, databaseFile));
    const shopPage = new ShopPage(page, popup, shopUrl);
    await expectPending(shopPage, order);

    await first.stop();
    await service.place(order);
    const second = await start();

    await expect(shopPage.heading).toHaveText('Order paid', { timeout: 45_000 });
    await second.stop();
  });
});

/** Opens the return page of an order, and waits until it says that the payment is pending. */
async function expectPending(shopPage: ShopPage, { reference }: Ordered): Promise<void> {
  await shopPage.openReturn(reference);
  await expect(shopPage.heading).toHaveText('Payment pending');
}

for (const [way, path] of [
  ['the script tag', '/'],
  ['the element', '/element'],
] as const) {
  test(`Pay comes back after a failure, and says what to do, by ${way}`, async ({
    page,
    popup,
    shopPage,
  }) => {
    await shopPage.open(path);
    await page.route('**/api/orders', (route) => route.abort());
    await shopPage.pay.click();
    await expect(page.locator('#problem')).toHaveText(
      'The shop could not take the order, and no payment was started. Try again soon.',
    );
    if (path === '/element') await popup.close.click();
    await page.unroute('**/api/orders');

    await shopPage.pay.click();

    await expect(popup.payButton).toBeVisible();
    await expect(page.locator('#problem')).toBeHidden();
  });
}

for (const [way, path] of [
  ['the script tag', '/'],
  ['the element', '/element'],
] as const) {
  test(`a shop whose goods do not load says so, orders nothing, and loads them at a press of Pay, by ${way}`, async ({
    page,
    popup,
    shopPage,
  }) => {
    const requests = requestsOf(page);
    const orders = () => requests.filter((path) => path === '/api/orders');
    await page.route('**/api/catalogue', (route) => route.fulfill({ status: 503 }));
    await shopPage.open(path);
    const words = 'The goods could not be loaded. Nothing was ordered. Try again soon.';
    await expect(shopPage.alert).toHaveText(words);

    const again = page.waitForResponse('**/api/catalogue');
    await shopPage.button('Pay').click();
    await again;
    await expect(shopPage.button('Pay')).toHaveAttribute('aria-busy', 'false');
    await expect(shopPage.alert).toHaveText(words);
    await expect(popup.dialog).toHaveCount(0);
    expect(orders()).toEqual([]);
    await page.unroute('**/api/catalogue');
    await shopPage.button('Pay').click();

    await popup.expectOpen();
    expect(orders()).toHaveLength(1);
    await expect(shopPage.button('Add Miombo honey, 500 g')).toHaveCount(1);
  });

  test(`a shop shows its goods before the script of the payment service has come, and Pay waits for it, by ${way}`, async ({
    page,
    popup,
    shopPage,
  }) => {
    const script = await hold(page, '**/js/v1/inline.js');
    const opening = shopPage.open(path);

    const ordered = page.waitForResponse('**/api/orders');
    await shopPage.pay.click();
    await ordered;
    await expect(shopPage.button('Opening…')).toBeVisible();
    script.goOn();

    await opening;
    await popup.expectOpen();
  });
}

test('the return page shows the result even if the script of the payment service does not come', async ({
  page,
  service,
  shopPage,
  order,
}) => {
  await service.place(order);
  const script = await hold(page, '**/js/v1/inline.js');
  const opening = shopPage.openReturn(order.reference);

  await expect(shopPage.heading).toHaveText('Order paid');
  script.goOn();
  await opening;
});

test('Pay says at once that it is opening, and ignores a second press', async ({
  page,
  popup,
  shopPage,
}) => {
  const requests = requestsOf(page);
  const orders = () => requests.filter((path) => path === '/api/orders');
  const ordering = await hold(page, '**/api/orders');
  await shopPage.open();
  await shopPage.pay.click();

  const opening = shopPage.button('Opening…');
  await expect(opening).toHaveAttribute('aria-busy', 'true');
  await expect(opening).toBeFocused();
  await opening.click();
  ordering.goOn();

  await popup.expectOpen();
  expect(orders()).toHaveLength(1);
  await popup.close.click();
  await expect(shopPage.pay).toBeFocused();
});

test('a pending payment shows within 5 s that nothing waits on the phone any more', async ({
  popup,
  service,
  shopPage,
}) => {
  await shopPage.open();
  await shopPage.leaveAtPrompt();
  await expect(shopPage.heading).toHaveText('Payment pending');
  await expect(shopPage.status).toContainText('Approve the payment on your phone');

  await service.decline(HANDSET);

  await expect(shopPage.status).toContainText('Nothing is waiting on your phone', {
    timeout: 5_000,
  });
  await shopPage.button('Continue this payment').click();
  await popup.payByCard();
  await expect(shopPage.heading).toHaveText('Order paid');
});

test('a paid order shows its items, amount, e-mail and a reference to copy, here and on the return page', async ({
  page,
  context,
  popup,
  shopPage,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await shopPage.open();
  await shopPage.button('Add Miombo honey, 500 g').click();
  await shopPage.pay.click();
  await popup.payByCard();

  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload();
    await expect(shopPage.heading).toHaveText('Order paid');
    const { card } = shopPage;
    await expect(card).toContainText('1 × Miombo honey, 500 g');
    await expect(card).toContainText('1 × Chitenge cloth, two yards');
    await expect(card.getByText('mary.banda@example.com')).toBeVisible();
    await expect(card.locator('.amount')).toHaveText(/^ZMW\s277\.50$/);
    await card.getByRole('button', { name: 'Copy' }).click();
    await expect(card.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shopPage.references[0]);
  }
});

test('a merchant whose catalogue has no pictures shows no broken ones', async ({
  page,
  shopPage,
}) => {
  await page.route('**/api/catalogue', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { picture?: string }[] };
    for (const item of body.data) delete item.picture;
    await route.fulfill({ response, json: body });
  });

  await shopPage.open();

  await expect(shopPage.button('Add Miombo honey, 500 g')).toBeVisible();
  await expect(page.locator('main img')).toHaveCount(0);
});

test('an empty cart has the currency of the goods', async ({ page, shopPage }) => {
  await page.route('**/api/catalogue', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { currency: string }[] };
    for (const item of body.data) item.currency = 'MWK';
    await route.fulfill({ response, json: body });
  });
  await shopPage.open();

  await shopPage.button(/^One less of/).click();

  await expect(page.locator('#total')).toHaveText(/^MWK\s0\.00$/);
});

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('prices of millions are shown whole, in the shop and on the result', async ({
    page,
    shopPage,
  }) => {
    const prices = { price: '1250000.50', amount: '20000008.00' };
    await page.route(/\/api\/(?:catalogue|orders\/shop-.*)$/, async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: any };
      for (const of of [data, data.lines ?? []].flat()) Object.assign(of, prices);
      await route.fulfill({ response, json: { data } });
    });
    await shopPage.open();
    for (let more = 1; more < 16; more++) await shopPage.button(/^One more of/).click();

    await expect(shopPage.pay).toHaveText(/20,000,008\.00$/);
    expect(await findCut(page)).toEqual([]);
    await shopPage.leaveAtPrompt();

    await expect(shopPage.card.locator('.amount')).toHaveText(/20,000,008\.00$/);
    expect(await findCut(page)).toEqual([]);
  });
});

/** Finds what reaches beyond the card around it, or beyond the window. */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.price, .amount, output, dd, .button')].flatMap((node) => {
      const text = document.createRange();
      text.selectNodeContents(node);
      const card = node.closest('.goods li, .card')!.getBoundingClientRect();
      const isCut = text.getBoundingClientRect().right > Math.min(card.right, 360);
      return isCut ? [`${node.className} ${node.textContent}`] : [];
    }),
  );
}

test('the keyboard focus stays in the cart while items are added and removed', async ({
  page,
  shopPage,
}) => {
  await shopPage.open();
  const less = shopPage.button('One less of Chitenge cloth, two yards');
  const more = shopPage.button('One more of Chitenge cloth, two yards');
  await more.focus();
  await page.keyboard.press('Enter');
  await expect(more).toBeFocused();
  await expect(shopPage.pay).toHaveText(/^Pay ZMW\s370\.00$/);

  await less.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');

  await expect(less).toBeHidden();
  await expect(page.getByText('Nothing yet. Add something from the market.')).toBeVisible();
  await expect(shopPage.button(/^Add Chitenge/)).toBeFocused();
});

test('a payment that the bank still works on is not said to have nothing under way', async ({
  popup,
  shopPage,
}) => {
  await shopPage.open();
  await shopPage.pay.click();
  await popup.payByCard('4000 0000 0000 0077');
  await expect(popup.frame.getByRole('heading', { name: 'Confirming your payment' })).toBeVisible();
  await popup.leave('close-anyway');

  await expect(shopPage.status).toContainText('If your bank still confirms the payment');
  await expect(shopPage.status).not.toContainText('at your bank right now');
});
