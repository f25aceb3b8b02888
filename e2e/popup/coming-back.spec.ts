import type { Page } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { DECLINED, PAID, unsure } from '../support/expect-ending.ts';
import { expectPrompt, reachPrompt } from '../support/expect-prompt.ts';
import type { Purchase } from '../support/purchase.ts';
import { consoleOf } from '../support/trouble.ts';

test.use({ needs: 'whole browser' });

const CHECKOUT_PAGE = /\/checkout\/v1\/\?/;
const WAITING = unsure('pay-offline');

test.describe('two tabs with one payment', () => {
  test("two tabs with one payment show each other's steps without a reload, and pay once (T35, T42)", {
    tag: '@gate',
  }, async ({ context, page, popup, purchase, service }) => {
    const second = await context.newPage();
    const other = new PaymentPopup(second);
    await purchase.open();
    await purchase.on(second).open();
    await other.expectOpen();

    await page.bringToFront();
    await popup.payByPhone({ network: 'MTN', phone: '0960000000' });
    await expectPrompt(other);
    await service.decline('0960000000');
    await popup.expectDeclined('Transaction unauthorized');
    await expect(other.alert).toContainText('declined');
    await second.bringToFront();
    await other.payByCard('4242 4242 4242 4242');

    await purchase.expectEnding(PAID);
    await purchase.on(second).expectEnding(PAID);
    expect(await purchase.deliveries()).toHaveLength(1);
  });
});

test('seven tabs of one customer, each with a prompt out, all load and pay (T50)', async ({
  context,
  purchase,
  service,
}) => {
  test.slow();
  const tabs: { page: Page; bought: Purchase }[] = [];
  for (let opened = 0; opened < 7; opened++) {
    const page = await context.newPage();
    const bought = await purchase.another(page);
    await bought.open();
    await reachPrompt(new PaymentPopup(page));
    tabs.push({ page, bought });
  }

  for (const _ of tabs) await service.approve('0960000000');

  for (const { page, bought } of tabs) {
    await page.bringToFront();
    await bought.expectEnding(PAID);
  }
});

test.describe('back and forth', () => {
  test('a page restored from the back/forward cache works and shows the right state, with one outcome (T15, T35)', async ({
    playwright,
    launchOptions,
    purchase,
    service,
    site,
  }) => {
    const browser = await playwright.chromium.launch({
      ...launchOptions,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
    const page = await browser.newPage();
    const popup = new PaymentPopup(page);
    await page.goto(site.sameSiteUrl);
    await page.evaluate(() =>
      addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted })),
    );
    await purchase.on(page).open({}, site.sameSiteUrl);
    await reachPrompt(popup);

    // Playwright's own contexts do not come back with a page that does; the protocol's do.
    const restored = await page.context().newCDPSession(page);
    const evaluate = async (expression: string) =>
      (await restored.send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
    await page.goto(site.url);
    await service.approve('0960000000');
    await evaluate('void setTimeout(() => history.back())');

    await expect(async () => expect(await evaluate('window.persisted')).toBe(true)).toPass({
      timeout: 15_000,
    }); // it throws while the page navigates
    await expect
      .poll(() => evaluate('window.outcome'))
      .toEqual({ outcome: 'success', reference: purchase.reference });
    expect(await evaluate('calls.map(({ name }) => name)')).toEqual(['onSuccess']);
    expect(
      await evaluate('[document.adoptedStyleSheets.length, window.length, hasDialog()]'),
    ).toEqual([0, 0, false]);
    await purchase.expectStored(PAID);
    await browser.close();
  });

  test('a page opened again after leaving it resumes the payment where it was (D17, T35)', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await purchase.open({}, site.sameSiteUrl);
    await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
    await expect(popup.frame.getByLabel('One-time code')).toBeVisible();

    await page.goto(site.url);
    await page.goBack();
    await purchase.open({}, site.sameSiteUrl);
    await popup.enterOneTimeCode('000000');

    await purchase.expectEnding(PAID);
  });

  test('a frame that navigates away is noticed, and Try again resumes the payment (T28)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    await page.clock.install();
    await purchase.open();
    await reachPrompt(popup);

    await checkoutFrame(page).goto('about:blank');
    await page.clock.runFor(15_000);
    await expect(page.getByRole('alert')).toContainText('the shop will confirm');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectPrompt(popup);
    await service.approve('0960000000');
    await page.clock.runFor(5_000);

    await purchase.expectEnding(PAID);
  });

  test('a callback that throws is reported once, without other effects (D2, T12)', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    const thrown: string[] = [];
    page.on('pageerror', (error) => thrown.push(error.message));
    await page.goto(site.url);
    await page.evaluate((options) => {
      const { ServicePay } = window as unknown as {
        ServicePay: { getPaid(options: object): { result: Promise<object> } };
      };
      const calls: string[] = [];
      const throwing = (name: string) => () => {
        calls.push(name);
        throw new Error(`thrown by ${name}`);
      };
      const { result } = ServicePay.getPaid({
        ...options,
        onSuccess: throwing('onSuccess'),
        onClose: throwing('onClose'),
      });
      void result.then((outcome) => Object.assign(window, { ended: { outcome, calls } }));
    }, purchase.order);

    await popup.payByCard('4242 4242 4242 4242');
    await popup.expectClosed();

    await expect.poll(() => thrown).toEqual(['thrown by onSuccess']);
    expect(await page.evaluate(() => (window as unknown as { ended: object }).ended)).toEqual({
      outcome: { outcome: 'success', reference: purchase.reference },
      calls: ['onSuccess'],
    });
    expect((await purchase.collection())?.status).toBe('successful');
  });
});

test.describe('a payment left during a prompt', () => {
  for (const storage of ['kept', 'blocked'] as const) {
    test(`a reload whose frame does not load is onConfirmationPending, and approving pays: the frame's storage ${storage} (D13, T118)`, async ({
      page,
      popup,
      purchase,
      service,
      site,
    }) => {
      const url = storage === 'kept' ? site.sameSiteUrl : site.url;
      await purchase.open({}, url);
      await reachPrompt(popup);

      await page.reload();
      expect(await page.evaluate(() => Object.entries(sessionStorage))).toEqual([
        ['service-pay unconfirmed', `${service.url}/${purchase.reference}`],
      ]);
      await page.route(CHECKOUT_PAGE, (route) => route.abort('connectionrefused'));
      await purchase.open({}, url);
      await expect(page.getByRole('alert')).toContainText('Please don’t pay again');
      await expect(page.getByRole('alert')).not.toContainText('You have not been charged');
      await popup.close.click();

      await purchase.expectEnding(WAITING);
      await service.approve('0960000000');
      await purchase.expectStored(PAID);
    });
  }

  test('a reload that gets error 04 is onConfirmationPending, and approving pays (D19, T118)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    await purchase.open();
    await reachPrompt(popup);

    await page.reload();
    await purchase.open({ amount: '1.00' });
    await expect(
      popup.frame.getByRole('heading', { name: 'This payment can’t be continued' }),
    ).toBeVisible();
    await expect(
      popup.frame.getByText('Your earlier payment may have gone through (error 04).'),
    ).toBeVisible();
    await popup.close.click();

    await purchase.expectEnding(WAITING);
    await service.approve('0960000000');
    await purchase.expectStored(PAID);
  });

  test('after success, another amount under the same reference is rejected: the customer reads not to pay again, and the console says why (D19)', async ({
    page,
    popup,
    purchase,
  }) => {
    const texts = consoleOf(page);
    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);

    await purchase.open({ amount: '1.00' });

    await expect(
      popup.frame.getByText(
        'Your earlier payment may have gone through (error 04). Do not pay again yet.',
      ),
    ).toBeVisible();
    expect(texts.filter((text) => text.startsWith('ServicePay:'))).toEqual([
      `ServicePay: the service does not open ${purchase.reference}: This reference was used with another amount or currency. Start a new order.`,
    ]);
    await popup.close.click();
    await popup.expectClosed();
    await purchase.expectOutcome('confirmation-pending');
  });

  test('a payment left during a prompt is forgotten after the decline: after a reload whose frame does not load, closing is onClose (D13, D16)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    await purchase.open();
    await reachPrompt(popup);
    await service.decline('0960000000');
    await popup.expectDeclined('Transaction unauthorized');

    await page.reload();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.route(CHECKOUT_PAGE, (route) => route.abort('connectionrefused'));
    await purchase.open();
    await expect(page.getByRole('alert')).toContainText('You have not been charged.');
    await popup.close.click();

    await purchase.expectEnding(DECLINED);
  });
});
