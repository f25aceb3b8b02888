import { setTimeout } from 'node:timers/promises';

import { CHECKOUT_PATHS } from '@service-pay/contract/checkout-api';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { expect, test } from '../stack.ts';
import { PAID, UNTOUCHED } from '../support/expect-ending.ts';
import { requestsOf, watchForTrouble } from '../support/trouble.ts';

test.describe('what strangers send', () => {
  test('forged messages on the page have no effect, and the payment continues (T2, T23, T24, T30)', {
    tag: '@gate',
  }, async ({ page, popup, purchase }) => {
    await purchase.open();
    await popup.expectOpen();

    await page.evaluate(() => {
      const { port2 } = new MessageChannel();
      const forged: unknown[] = [
        { type: 'service-pay:ready', versions: [1] },
        { type: 'money', state: 'paid' },
        { type: 'succeeded', reference: 'anything' },
        { type: 'close' },
        { type: '__proto__' },
        'service-pay:ready',
        null,
      ];
      for (const message of forged) window.postMessage(message, '*');
      window.postMessage({ type: 'service-pay:ready', versions: [1] }, '*', [port2]);
    });
    await popup.payByCard('4242 4242 4242 4242');

    await purchase.expectEnding(PAID);
  });

  test('a frame of another origin that pretends to be the service gets no response (T23)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.expectOpen();
    await page.evaluate(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => Object.assign(window, { responded: true });
      window.dispatchEvent(
        new MessageEvent('message', {
          data: { type: 'service-pay:ready', versions: [1] },
          origin: 'https://pay.example.evil.example',
          source: window,
          ports: [channel.port2],
        }),
      );
    });

    await popup.close.click();
    await purchase.expectEnding(UNTOUCHED);
    expect(await page.evaluate(() => 'responded' in window)).toBe(false);
  });

  test("endless junk from the frame's own window is dropped, and Close works (T30)", async ({
    page,
    popup,
    purchase,
    service,
    site,
  }) => {
    const trouble = await watchForTrouble(page);
    await purchase.open();
    await popup.expectOpen();

    const frame = page.frames().find((each) => each.url().startsWith(service.url))!;
    await frame.evaluate((origin) => {
      let deep: unknown = { type: 'money', state: 'paid' };
      for (let level = 0; level < 1_000; level++) deep = [deep];
      const junk = [
        null,
        'x'.repeat(5_000_000),
        deep,
        { type: '__proto__' },
        { type: 'service-pay:ready', versions: deep },
      ];
      for (let sent = 0; sent < 10_000; sent++)
        parent.postMessage(junk[sent < 50 ? sent % 5 : 3], origin);
    }, new URL(site.url).origin);

    await popup.close.click();
    await purchase.expectEnding(UNTOUCHED);
    expect(trouble).toEqual([]);
  });

  test("a foreign page that frames the shop gets no form and no session, the merchant's own page does (T26)", async ({
    page,
    purchase,
    service,
    site,
  }) => {
    const calls = requestsOf(page);
    const around = site.publish({
      headers: {},
      body: `<iframe id="shop" width="700" height="680" src="${site.url}/"></iframe>`,
    });
    const within = page.frameLocator('#shop');
    const openIn = async (outer: string) => {
      await page.goto(outer + around);
      await within.locator('#pay').waitFor();
      await site.pay(
        page.frames().find((each) => each.parentFrame() === page.mainFrame())!,
        purchase.order,
      );
    };
    await service.setMerchant({ allowedOrigins: [site.url] });

    await openIn(site.sameSiteUrl);
    await expect(within.getByRole('alert')).toContainText('The payment form did not open', {
      timeout: 20_000,
    });
    expect(calls.filter((path) => path.endsWith('/sessions'))).toEqual([]);

    await openIn(site.url);
    await new PaymentPopup(within).expectOpen();
  });

  test('markup, bidi marks and endless names are shown as shortened text (T32)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    const trouble = await watchForTrouble(page);
    const markup = '<img src=x onerror=alert(1)>\u202e\u0000';
    await service.setMerchant({ name: `${markup} Kabwata Market` });

    await purchase.open({
      label: markup + 'L'.repeat(10_000),
      customer: { firstName: markup, lastName: markup },
    });

    await popup.expectOpen();
    await expect(popup.frame.getByText('Kabwata Market').first()).toContainText(
      '<img src=x onerror=alert(1)>',
    );
    await expect(popup.frame.getByText(/L{60}/)).toHaveText(/L{60,119}…?.?$/);
    await expect(popup.frame.locator('img')).toHaveCount(1);
    await expect(popup.frame.locator('img')).toHaveClass('tile');
    await popup.close.click();
    await popup.expectClosed();
    expect(trouble).toEqual([]);
  });

  test("a visitor who keeps opening someone else's payment does not keep the customer from paying, even with a one-time code (D25, T40)", async ({
    popup,
    purchase,
    service,
  }) => {
    await purchase.open();
    await popup.expectOpen();
    let openings = 0;
    let isOut = false;
    let isPaid = false;
    const openAgain = async () => {
      while (!isPaid) {
        const { status } = await fetch(service.url + CHECKOUT_PATHS.sessions, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(purchase.order),
        });
        openings += Number(status === 201);
        if (!isOut) await setTimeout(100);
      }
    };
    const stranger = openAgain();

    await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
    await expect(popup.frame.getByLabel('One-time code')).toBeVisible();
    isOut = true;
    const openingsBefore = openings;
    await expect.poll(() => openings).toBeGreaterThan(openingsBefore + 100);
    await popup.enterOneTimeCode('000000');

    await purchase.expectOutcome('success');
    isPaid = true;
    await stranger;
  });

  test('the checkout page framed by a foreign page, or opened by itself, shows no form and creates no session (T26)', async ({
    page,
    service,
  }) => {
    const calls = requestsOf(page);

    await page.goto(
      `${service.url}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(service.url)}`,
    );
    await page.waitForLoadState('networkidle');

    await expect(page.getByLabel('Card number')).toHaveCount(0);
    expect(calls.filter((path) => path.endsWith('/sessions'))).toEqual([]);
  });

  test('a site the merchant did not register cannot open the form (T26, T27)', {
    tag: '@gate',
  }, async ({ page, popup, service, site }) => {
    await service.setMerchant({ allowedOrigins: ['https://shop.example'] });

    await site.pay(page, {
      key: 'pub_sandbox_demo',
      email: 'mary@example.com',
      reference: crypto.randomUUID(),
      amount: 10,
    });

    await expect(page.getByRole('alert')).toContainText('You have not been charged.', {
      timeout: 20_000,
    });
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await popup.close.click();
    await expect
      .poll(async () => (await site.calls(page)).map(({ name }) => name))
      .toEqual(['onClose']);
  });

  test('a frame with the origin of another shop of the merchant connects to no page here, and shows no form (T27)', async ({
    page,
    service,
    site,
  }) => {
    await service.setMerchant({ allowedOrigins: [site.url, 'https://shop.example'] });
    const calls = requestsOf(page);
    await page.goto(site.url + site.publish({ headers: {}, body: '<iframe id="frame"></iframe>' }));
    await page.evaluate(() => {
      const received: string[] = [];
      Object.assign(window, { received });
      addEventListener('message', ({ data }) => received.push(data.type));
    });
    const received = () =>
      page.evaluate(() => (window as unknown as { received: string[] }).received);
    const show = (origin: string) =>
      page.locator('#frame').evaluate(
        (frame: HTMLIFrameElement, src) => {
          frame.src = src;
        },
        `${service.url}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(origin)}`,
      );

    await show('https://shop.example');
    await expect.poll(() => page.frames()[1]?.url()).toContain('shop.example');
    await page.waitForLoadState('networkidle');
    await expect(page.frameLocator('#frame').locator('body')).toBeAttached();
    await expect(page.frameLocator('#frame').getByLabel('Card number')).toHaveCount(0);
    expect(await received()).toEqual([]);

    await show(site.url);
    await expect.poll(received).toEqual(['service-pay:ready']);
    expect(calls.filter((path) => path.endsWith('/sessions'))).toEqual([]);
  });

  test("two merchants cannot see each other's collections, even with the same reference (T39, T63)", async ({
    popup,
    purchase,
    service,
    shop,
  }) => {
    await purchase.open({ key: 'pub_sandbox_other' });
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectOutcome('success');

    expect(await purchase.collection()).toBeUndefined();
    expect(await service.collectionOf(purchase.reference, 'sec_sandbox_other')).toMatchObject({
      status: 'successful',
    });
    await shop.verify(purchase.reference);
    expect(shop.stateOf(purchase.reference)).toBe('awaiting-payment');
  });
});

test.describe('options that break a rule', () => {
  for (const [what, change, path] of [
    ['no reference', { reference: undefined }, 'reference'],
    ['an amount of three decimals', { amount: 10.001 }, 'amount'],
    ['a secret as key', { key: 'sec_sandbox_demo' }, 'key'],
  ] as const) {
    test(`${what}: an error that names "${path}", no window, no callback, no request (D4)`, async ({
      page,
      popup,
      site,
    }) => {
      const requests: string[] = [];
      await page.goto(site.url);
      page.on('request', (request) => requests.push(request.url()));

      const error = await page.evaluate(
        (options) => {
          try {
            (window as unknown as { pay(o: object): void }).pay(options);
            return undefined;
          } catch (thrown) {
            const { name, code, problems, message } = thrown as {
              name: string;
              code: string;
              problems: { path: string }[];
              message: string;
            };
            return {
              name,
              code,
              paths: problems.map((problem) => problem.path),
              text: message + JSON.stringify(problems),
            };
          }
        },
        {
          key: 'pub_sandbox_demo',
          email: 'mary@example.com',
          reference: 'r-1',
          amount: 10,
          ...change,
        },
      );

      expect(error).toMatchObject({
        name: 'ServicePayError',
        code: 'invalid_options',
        paths: [path],
      });
      expect(error?.text).not.toContain('sec_sandbox_demo');
      await popup.expectClosed();
      expect(await site.calls(page)).toEqual([]);
      expect(requests).toEqual([]);
    });
  }
});
