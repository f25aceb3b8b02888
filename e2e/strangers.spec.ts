import { expectEnding, PAID, UNTOUCHED } from './ending.ts';
import { expect, test } from './stack.ts';

test.describe('what strangers send', () => {
  test('forged messages on the page move nothing, and the payment goes on (T2, T23, T24, T30)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await popup.expectReady();

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

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a frame of another origin that greets in the name of the service is not answered (T23)', async ({
    page,
    popup,
    shop,
    service,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await popup.expectReady();
    await page.evaluate(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => Object.assign(window, { answered: true });
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
    await expectEnding({ page, site, shop, service }, order.reference, UNTOUCHED);
    expect(await page.evaluate(() => 'answered' in window)).toBe(false);
  });

  test('the checkout page opened by a stranger, or by itself, shows no form and makes no session (T26)', async ({ page, service }) => {
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));

    await page.goto(`${service.url}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(service.url)}`);
    await page.waitForLoadState('networkidle');

    await expect(page.getByLabel('Card number')).toHaveCount(0);
    expect(calls.filter((path) => path.endsWith('/sessions'))).toEqual([]);
  });

  test('a site the merchant did not register cannot open the form (T26, T27)', async ({ page, popup, service, site }) => {
    await service.setMerchant({ allowedOrigins: ['https://shop.example'] });

    await site.pay(page, { key: 'pub_sandbox_demo', email: 'mary@example.com', reference: crypto.randomUUID(), amount: 10 });

    await expect(page.getByRole('alert')).toBeVisible({ timeout: 20_000 });
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await popup.close.click();
    await expect.poll(async () => (await site.calls(page)).map(({ name }) => name)).toEqual(['onClose']);
  });

  test("two merchants cannot see each other's collections, and one reference is two payments (T39, T63)", async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(page, { ...order, key: 'pub_sandbox_other' });
    await popup.payByCard('4242 4242 4242 4242');
    await expect.poll(async () => (await site.outcome(page))?.outcome).toBe('success');

    expect(await service.collectionOf(order.reference)).toBeUndefined();
    expect(await service.collectionOf(order.reference, 'sec_sandbox_other')).toMatchObject({ status: 'successful' });
    await shop.verify(order.reference);
    expect(shop.stateOf(order.reference)).toBe('awaiting-payment');
  });
});

test.describe('options that break a rule', () => {
  for (const [what, change, path] of [
    ['no reference', { reference: undefined }, 'reference'],
    ['a slash in the reference', { reference: 'a/b' }, 'reference'],
    ['an amount of zero', { amount: 0 }, 'amount'],
    ['an amount of three decimals', { amount: 10.001 }, 'amount'],
    ['a secret as key', { key: 'sec_sandbox_demo' }, 'key'],
    ['a currency in small letters', { currency: 'zmw' }, 'currency'],
    ['an unknown channel', { channels: ['bank'] }, 'channels'],
  ] as const) {
    test(`${what}: an error that names "${path}", no window, no callback, no request (D4)`, async ({ page, popup, site }) => {
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
            return { name, code, paths: problems.map((problem) => problem.path), text: message + JSON.stringify(problems) };
          }
        },
        { key: 'pub_sandbox_demo', email: 'mary@example.com', reference: 'r-1', amount: 10, ...change },
      );

      expect(error).toMatchObject({ name: 'ServicePayError', code: 'invalid_options', paths: [path] });
      expect(error?.text).not.toContain('sec_sandbox_demo');
      await popup.expectGone();
      expect(await site.calls(page)).toEqual([]);
      expect(requests).toEqual([]);
    });
  }
});
