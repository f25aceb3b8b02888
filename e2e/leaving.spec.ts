import { DECLINED, expectEnding, PAID, UNTOUCHED } from './journey.ts';
import { expect, test } from './stack.ts';

const WAITING = { callback: 'onConfirmationPending', state: 'awaiting-payment', collection: 'pay-offline' } as const;

test.describe('leaving the window', () => {
  for (const way of ['Close', 'Escape on the page', 'Escape in the frame'] as const) {
    test(`${way} before anything is sent is onClose`, async ({ page, popup, service, shop, site }) => {
      const order = await shop.order();

      await site.pay(page, order);
      await popup.expectReady();
      if (way === 'Close') await popup.close.click();
      else {
        if (way === 'Escape in the frame') await popup.frame.getByLabel('Card number').focus();
        else await popup.close.focus();
        await page.keyboard.press('Escape');
      }

      await popup.expectGone();
      await expectEnding({ page, site, shop, service }, order.reference, UNTOUCHED);
    });
  }

  test('half a form typed is no reason to ask: onClose', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.fillCard('4242 4242 4242 4242');
    await popup.close.click();

    await expectEnding({ page, site, shop, service }, order.reference, UNTOUCHED);
  });

  test('the prompt is out: asked once, Keep waiting stays, Close anyway is onConfirmationPending (D15)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0960000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await popup.close.click();
    await popup.expectAsking();
    await popup.frame.getByRole('button', { name: 'Keep waiting' }).click();
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await popup.close.click();
    await popup.frame.getByRole('button', { name: 'Close anyway' }).click();

    await expectEnding({ page, site, shop, service }, order.reference, WAITING);
  });

  test('Escape three times while the prompt is out leaves the question standing (T20)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0960000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    for (let times = 0; times < 3; times++) {
      await popup.close.focus();
      await page.keyboard.press('Escape');
      await popup.expectAsking();
    }
    await expect(popup.dialog).toBeVisible();
    expect(await site.calls(page)).toEqual([]);
    await popup.frame.getByRole('button', { name: 'Close anyway' }).click();

    await expectEnding({ page, site, shop, service }, order.reference, WAITING);
  });

  test('the payment lands while the customer is being asked: onSuccess', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0960000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await popup.close.click();
    await popup.expectAsking();
    await service.approve('0960000000');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a challenge that is open asks, and closing is onConfirmationPending (D15)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByCard('4000 0000 0000 3220');
    await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
    await popup.close.click();
    await popup.expectAsking();
    await popup.frame.getByRole('button', { name: 'Close anyway' }).click();

    await expectEnding({ page, site, shop, service }, order.reference, { ...WAITING, collection: '3ds-auth-required' });
  });

  test('closing while success is shown is onSuccess, not onClose (D1)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByCard('4242 4242 4242 4242');
    await expect(popup.heading('Payment successful')).toBeVisible();
    await popup.close.click();

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('the merchant closes by the handle while an attempt is out: onConfirmationPending without a question (T13)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0960000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await page.evaluate(() => (window as unknown as { handle: { close(): void } }).handle.close());

    await popup.expectGone();
    await expectEnding({ page, site, shop, service }, order.reference, WAITING);
  });

  test('focus comes back to what opened the window', async ({ page, popup, shop, site }) => {
    const order = await shop.order();

    await page.goto(site.url);
    await page.locator('#before').focus();
    await site.pay(page, order);
    await popup.expectReady();
    await popup.close.click();

    await popup.expectGone();
    await expect(page.locator('#before')).toBeFocused();
  });
});

test.describe('coming back', () => {
  for (const storage of ['kept', 'blocked'] as const) {
    test(`a reload while the prompt is out resumes it, and approving pays once: storage ${storage} (D17, T33)`, async ({
      page,
      popup,
      service,
      shop,
      site,
    }) => {
      const order = await shop.order();
      const url = storage === 'kept' ? site.sameSiteUrl : site.url;

      await site.pay(page, order, url);
      await popup.payByPhone('MTN', '0960000000');
      await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
      await page.reload();
      await site.pay(page, order, url);
      await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
      await service.approve('0960000000');

      await expectEnding({ page, site, shop, service }, order.reference, PAID);
      expect(await service.deliveriesOf(order.reference)).toHaveLength(1);
    });
  }

  test('a reload while the challenge is open shows the challenge again (D17)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order, site.sameSiteUrl);
    await popup.payByCard('4000 0000 0000 3220');
    await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
    await page.reload();
    await site.pay(page, order, site.sameSiteUrl);
    await popup.answerChallenge('Approve');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a reference already paid says so and is onSuccess again, without a second charge (D18)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await popup.payByCard('4242 4242 4242 4242');
    await expectEnding({ page, site, shop, service }, order.reference, PAID);
    const first = await service.collectionOf(order.reference);

    await page.reload();
    await site.pay(page, order);

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
    expect((await service.collectionOf(order.reference))?.completedAt).toBe(first?.completedAt);
  });

  test('closed after a decline and opened again: the form, attempts counted on (T35)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await popup.close.click();
    await expectEnding({ page, site, shop, service }, order.reference, DECLINED);

    await page.reload();
    await site.pay(page, order);
    await popup.payByCard('4242 4242 4242 4242');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('the reference of a failed payment is told to be used up, and closing is onClose (D19)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await service.stopClock();
    await site.pay(page, order);
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await service.advance(31 * 60);
    await expect(popup.payButton).toHaveCount(0);

    await page.reload();
    await site.pay(page, order);
    await expect(popup.frame.getByRole('heading')).toBeVisible();
    await expect(popup.payButton).toHaveCount(0);
    await popup.close.click();

    await expectEnding({ page, site, shop, service }, order.reference, { callback: 'onClose', state: 'failed', collection: 'failed' });
  });

  test('the same reference with another amount is refused, and closing is onClose (D19, T39)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await page.reload();

    await site.pay(page, { ...order, amount: '1.00' });
    await expect(popup.frame.getByRole('heading')).toBeVisible();
    await expect(popup.payButton).toHaveCount(0);
    await popup.close.click();

    await expectEnding({ page, site, shop, service }, order.reference, DECLINED);
  });
});
