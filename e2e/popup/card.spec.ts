import { expect, test } from '../stack.ts';
import { PAID } from '../support/expect-ending.ts';

test.describe('paying by card on a third origin', () => {
  for (const number of ['4242 4242 4242 4242', '5555 5555 5555 4444']) {
    test(`${number} leaves a collection with first six and last four digits, and no more (D34)`, async ({
      popup,
      purchase,
    }) => {
      await purchase.open();
      await popup.payByCard(number);

      await purchase.expectEnding(PAID);
      const collection = await purchase.collection();
      expect(collection).toMatchObject({
        amount: purchase.order.amount,
        currency: 'ZMW',
        type: 'card',
        source: 'api',
        mobileMoneyDetails: null,
      });
      expect(collection?.cardDetails).toMatchObject({
        last4: number.slice(-4),
        bin: number.replaceAll(' ', '').slice(0, 6),
      });
      expect(JSON.stringify(collection)).not.toContain(number.replaceAll(' ', ''));
    });
  }

  test('the popup waits for a card that takes the bank 20 s', async ({
    popup,
    purchase,
    service,
  }) => {
    await service.stopClock();

    await purchase.open();
    await popup.payByCard('4000 0000 0000 0077');
    await expect.poll(async () => (await purchase.collection())?.status).toBe('pending');
    await service.advance(21);

    await purchase.expectEnding(PAID);
  });

  test('a card that needs the billing address asks for it, prefilled, and then pays', async ({
    popup,
    purchase,
  }) => {
    await purchase.open({ billing: { city: 'Lusaka', country: 'ZM' } });
    await expect(popup.frame.getByLabel('City')).toHaveCount(0);
    await popup.payByCard('4000 0000 0000 0010');
    await expect(popup.frame.getByLabel('City')).toHaveValue('Lusaka');
    await expect(popup.frame.getByLabel('Billing country')).toHaveValue('ZM');
    await popup.frame.getByLabel('Street address').fill('1 Cairo Road');
    await popup.frame.getByLabel('State or province').fill('Lusaka');
    await popup.frame.getByLabel('Postal code').fill('10101');
    await popup.frame.getByLabel('Security code').fill('123');
    await popup.payButton.click();

    await purchase.expectEnding(PAID);
  });

  test('a real card is rejected at its field (T44)', async ({ popup, purchase }) => {
    await purchase.open();
    await popup.payByCard('4111 1111 1111 1111');

    await expect(popup.frame.getByLabel('Card number')).toHaveAttribute('aria-invalid', 'true');
    await expect(popup.frame.getByLabel('Card number')).toHaveValue('4111 1111 1111 1111');
    expect(await purchase.collection()).toBeUndefined();
  });
});
