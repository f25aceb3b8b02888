import { expect, test } from '../stack.ts';
import { PAID } from '../support/expect-ending.ts';

test.describe('money that does not match', { tag: '@gate' }, () => {
  for (const [what, change] of [
    ['amount', { amount: '1.00' }],
    ['currency', { currency: 'MWK' }],
  ] as const) {
    test(`a paid payment with a tampered ${what} waits for a person and is never approved automatically (T1, D51)`, async ({
      popup,
      purchase,
      shop,
    }) => {
      await purchase.open(change);
      await popup.payByCard('4242 4242 4242 4242');

      await purchase.expectEnding({
        ...PAID,
        state: 'needs-review',
      });
      expect(await shop.verify(purchase.reference)).toMatchObject({
        status: 'pending',
        amount: purchase.order.amount,
        currency: purchase.order.currency,
      });
    });
  }
});

test('the webhook alone marks the order as paid if the page never verifies', {
  tag: '@gate',
}, async ({ popup, purchase, shop }) => {
  await purchase.open();
  await popup.payByPhone({ network: 'MTN', phone: '0961111111' });

  await expect.poll(() => shop.stateOf(purchase.reference)).toBe('paid');
  expect(await purchase.deliveries()).toHaveLength(1);
  expect(shop.fulfilmentsOf(purchase.reference)).toBe(1);
});
