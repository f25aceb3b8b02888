import { expect, test } from '../stack.ts';
import { PAID } from '../support/expect-ending.ts';
import { consoleOf } from '../support/trouble.ts';

test.describe('paying by mobile money on a third origin', () => {
  test('the collection says who paid, by which network, after a decline by card (D31, D45)', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await popup.payByPhone({ network: 'Airtel', phone: '0971111111' });

    await purchase.expectEnding(PAID);
    expect(await purchase.collection()).toMatchObject({
      type: 'mobile-money',
      amount: purchase.order.amount,
      cardDetails: null,
      reasonForFailure: null,
      mobileMoneyDetails: { country: 'zm', operator: 'airtel', phone: '0971111111' },
    });
  });

  for (const [network, phone] of [
    ['TNM', '0881111111'],
    ['Airtel', '0991111111'],
  ] as const) {
    test(`${network} of Malawi is offered for MWK and pays`, async ({
      page,
      popup,
      service,
      site,
    }) => {
      const reference = `mwk-${network}-${crypto.randomUUID()}`;

      await site.pay(page, {
        key: 'pub_sandbox_demo',
        email: 'mary@example.com',
        reference,
        amount: 1500,
        currency: 'MWK',
      });
      await popup.chooseChannel('mobile-money');
      await expect(popup.frame.getByRole('radio', { name: 'MTN' })).toHaveCount(0);
      await popup.payByPhone({ network, phone });

      await expect.poll(() => site.outcome(page)).toEqual({ outcome: 'success', reference });
      expect(await service.collectionOf(reference)).toMatchObject({
        currency: 'MWK',
        amount: '1500.00',
        status: 'successful',
      });
    });
  }

  test('a number of another network is reported at its field (T46)', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByPhone({ network: 'Airtel', phone: '0961111111' });

    await expect(popup.frame.getByLabel('Phone number')).toHaveAttribute('aria-invalid', 'true');
    expect(await purchase.collection()).toBeUndefined();
  });

  test('the customer bears the fee if the request says so: it is shown and charged (D36)', async ({
    popup,
    purchase,
  }) => {
    await purchase.open({ bearer: 'customer', channels: ['mobile-money'] });
    await expect(popup.frame.getByText('Fee', { exact: true })).toBeVisible();
    await expect(popup.frame.getByText('Total', { exact: true })).toBeVisible();
    await expect(popup.frame.getByRole('radio', { name: 'Card' })).toHaveCount(0);
    await popup.payByPhone({ network: 'MTN', phone: '0961111111' });

    await purchase.expectEnding(PAID);
    expect(await purchase.collection()).toMatchObject({
      bearer: 'customer',
      amount: purchase.order.amount,
    });
  });
});

test.describe('on a phone with Android', () => {
  const userAgent = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile';
  test.use({ userAgent, viewport: { width: 390, height: 800 } });

  test('the code to dial opens beside the form, which stays: policies of pages block it inside', async ({
    page,
    popup,
    purchase,
  }) => {
    const messages = consoleOf(page);
    await purchase.open();
    await popup.chooseChannel('mobile-money');
    await popup.frame.getByLabel('Phone number').fill('0966666666');
    await popup.payButton.click();

    await popup.frame.getByRole('link', { name: '*000#' }).click();
    await popup.frame.getByRole('button', { name: 'Use another number or pay by card' }).click();

    await expect(popup.frame.getByLabel('Phone number')).toBeVisible();
    expect(messages.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  });
});
