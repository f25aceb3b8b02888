import { DECLINED, expectEnding, PAID } from './journey.ts';
import { expect, test } from './stack.ts';

test.describe('paying by mobile money on a third origin', () => {
  for (const [network, phone, operator] of [
    ['MTN', '0961111111', 'mtn'],
    ['Airtel', '0971111111', 'airtel'],
    ['Zamtel', '0951111111', 'zamtel'],
  ] as const) {
    test(`${network} pays after the prompt is approved`, async ({ page, popup, service, shop, site }) => {
      const order = await shop.order();

      await site.pay(page, order);
      await popup.payByPhone(network, phone);
      await expect(popup.heading('Approve the payment on your phone')).toBeVisible();

      await expectEnding({ page, site, shop, service }, order.reference, PAID);
      const collection = await service.collectionOf(order.reference);
      expect(collection).toMatchObject({ type: 'mobile-money', amount: order.amount, cardDetails: null });
      expect(collection?.mobileMoneyDetails).toMatchObject({ country: 'zm', operator, phone });
    });
  }

  for (const [network, phone] of [
    ['TNM', '0881111111'],
    ['Airtel', '0991111111'],
  ] as const) {
    test(`${network} of Malawi is offered for MWK and pays`, async ({ page, popup, service, site }) => {
      const reference = `mwk-${network}-${crypto.randomUUID()}`;

      await site.pay(page, { key: 'pub_sandbox_demo', email: 'mary@example.com', reference, amount: 1500, currency: 'MWK' });
      await popup.chooseChannel('Mobile money');
      await expect(popup.frame.getByRole('radio', { name: 'MTN' })).toHaveCount(0);
      await popup.payByPhone(network, phone);

      await expect.poll(() => site.outcome(page)).toEqual({ outcome: 'success', reference });
      expect(await service.collectionOf(reference)).toMatchObject({ currency: 'MWK', amount: '1500.00', status: 'successful' });
    });
  }

  for (const [network, phone, reason] of [
    ['MTN', '0962222222', 'Not enough funds'],
    ['Airtel', '0975555555', 'Not enough funds'],
    ['MTN', '0963333333', 'Withdrawal amount limit exceeded'],
    ['MTN', '0964444444', 'Transaction unauthorized'],
    ['MTN', '0965555555', 'Transaction unauthorized'],
    ['Airtel', '0972222222', 'Incorrect Pin'],
  ] as const) {
    test(`${network} ${phone} is declined with "${reason}"`, async ({ page, popup, service, shop, site }) => {
      const order = await shop.order();

      await site.pay(page, order);
      await popup.payByPhone(network, phone);
      await popup.expectDeclined(reason);
      await popup.close.click();

      await expectEnding({ page, site, shop, service }, order.reference, DECLINED);
    });
  }

  for (const [network, phone] of [
    ['MTN', '0966666666'],
    ['Airtel', '0977777777'],
  ] as const) {
    test(`${network} ${phone} never answers: declined after three minutes of the service's clock`, async ({
      page,
      popup,
      service,
      shop,
      site,
    }) => {
      const order = await shop.order();
      await service.stopClock();

      await site.pay(page, order);
      await popup.payByPhone(network, phone);
      await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
      await service.advance(181);

      await popup.expectDeclined('Transaction Timed Out');
      await popup.close.click();
      await expectEnding({ page, site, shop, service }, order.reference, DECLINED);
    });
  }

  test('the right one-time code leads to the prompt and pays', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0969999999');
    await popup.enterOneTimeCode('000000');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a wrong one-time code may be corrected; three wrong ones decline', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0969999999');
    for (const code of ['111111', '222222']) {
      await popup.enterOneTimeCode(code);
      await expect(popup.frame.getByLabel('One-time code')).toHaveAttribute('aria-invalid', 'true');
    }
    await popup.enterOneTimeCode('333333');
    await expect(popup.alert).toBeVisible();
    await popup.close.click();

    await expectEnding({ page, site, shop, service }, order.reference, DECLINED);
  });

  test('the handset approves the prompt on its own page', async ({ context, page, popup, service, shop, site }) => {
    const order = await shop.order();
    const handset = await context.newPage();

    await site.pay(page, order);
    await popup.payByPhone('MTN', '0960000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await handset.goto(`${service.url}/phone/0960000000`);
    await handset.getByRole('button', { name: 'Approve' }).click();
    await page.bringToFront();

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('the handset declines the prompt, and the form is there for another try', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('Airtel', '0970000000');
    await expect(popup.heading('Approve the payment on your phone')).toBeVisible();
    await service.decline('0970000000');
    await expect(popup.alert).toBeVisible();
    await popup.payByPhone('Airtel', '0971111111');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a number of another network is told at its field (T46)', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone('Airtel', '0961111111');

    await expect(popup.frame.getByLabel('Phone number')).toHaveAttribute('aria-invalid', 'true');
    expect(await service.collectionOf(order.reference)).toBeUndefined();
  });

  test('the customer bears the fee where the request says so: it is shown and charged (D36)', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();

    await site.pay(page, { ...order, bearer: 'customer', channels: ['mobile-money'] });
    await expect(popup.frame.getByText('Fee', { exact: true })).toBeVisible();
    await expect(popup.frame.getByText('Total', { exact: true })).toBeVisible();
    await expect(popup.frame.getByRole('radio', { name: 'Card' })).toHaveCount(0);
    await popup.payByPhone('MTN', '0961111111');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
    expect(await service.collectionOf(order.reference)).toMatchObject({ bearer: 'customer', amount: order.amount });
  });
});
