import { createHash, createHmac } from 'node:crypto';
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

  test('a page that claims success without paying moves nothing (T2)', async ({
    purchase,
    shop,
  }) => {
    expect(await shop.verify(purchase.reference)).toMatchObject({ status: 'pending' });

    expect(shop.stateOf(purchase.reference)).toBe('awaiting-payment');
    expect(await purchase.collection()).toBeUndefined();
  });
});

test.describe('the webhook and the page', { tag: '@gate' }, () => {
  test('the webhook alone marks the order as paid if the page never verifies', async ({
    popup,
    purchase,
    shop,
  }) => {
    await purchase.open();
    await popup.payByPhone({ network: 'MTN', phone: '0961111111' });

    await expect.poll(() => shop.stateOf(purchase.reference)).toBe('paid');
    expect(await purchase.deliveries()).toHaveLength(1);
    expect(shop.fulfilmentsOf(purchase.reference)).toBe(1);
  });

  test('webhooks that arrive after the page has confirmed change nothing, however many', async ({
    popup,
    purchase,
    service,
    shop,
  }) => {
    await service.setMerchant({ webhookUrl: null });
    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);

    const body = JSON.stringify({
      event: 'collection.successful',
      data: await purchase.collection(),
    });
    const statuses = await Promise.all(
      Array.from({ length: 3 }, () => shop.deliver(body, signed(body))),
    );

    expect(statuses).toEqual([200, 200, 200]);
    expect(shop.stateOf(purchase.reference)).toBe('paid');
    expect(shop.fulfilmentsOf(purchase.reference)).toBe(1);
  });

  test('a webhook with a foreign signature is rejected and changes nothing', async ({
    purchase,
    shop,
  }) => {
    const body = JSON.stringify({
      event: 'collection.successful',
      data: { reference: purchase.reference, status: 'successful' },
    });

    expect(await shop.deliver(body, signed(body, 'sec_sandbox_other'))).toBe(401);

    expect(shop.stateOf(purchase.reference)).toBe('awaiting-payment');
    expect(await purchase.collection()).toBeUndefined();
  });
});

/**
 * Computes the signature of D41 independently, so that the service's own signer does not test the
 * shop.
 */
function signed(body: string, token = 'sec_sandbox_demo'): string {
  return createHmac('sha512', createHash('sha256').update(token).digest('hex'))
    .update(body)
    .digest('hex');
}
