import { createHash, createHmac } from 'node:crypto';
import { expect, test } from '../stack.ts';
import { expectEnding, PAID } from '../support/expect-ending.ts';

test.describe('money that does not match', { tag: '@gate' }, () => {
  for (const [what, change] of [
    ['amount', { amount: '1.00' }],
    ['currency', { currency: 'MWK' }],
  ] as const) {
    test(`a paid payment with a tampered ${what} waits for a person and is never approved automatically (T1, D51)`, async ({
      page,
      popup,
      service,
      shop,
      site,
    }) => {
      const order = await shop.order();

      await site.pay(page, { ...order, ...change });
      await popup.payByCard('4242 4242 4242 4242');

      await expectEnding({ page, site, shop, service }, order.reference, {
        ...PAID,
        state: 'needs-review',
      });
      expect(await shop.verify(order.reference)).toMatchObject({
        status: 'pending',
        amount: order.amount,
        currency: order.currency,
      });
    });
  }

  test('a page that claims success without paying moves nothing (T2)', async ({
    service,
    shop,
  }) => {
    const order = await shop.order();

    expect(await shop.verify(order.reference)).toMatchObject({ status: 'pending' });

    expect(shop.stateOf(order.reference)).toBe('awaiting-payment');
    expect(await service.collectionOf(order.reference)).toBeUndefined();
  });
});

test.describe('the webhook and the page', { tag: '@gate' }, () => {
  test('the webhook alone marks the order as paid if the page never verifies', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();

    await site.pay(page, order);
    await popup.payByPhone({ network: 'MTN', phone: '0961111111' });

    await expect.poll(() => shop.stateOf(order.reference)).toBe('paid');
    expect(await service.deliveriesOf(order.reference)).toHaveLength(1);
    expect(shop.fulfilmentsOf(order.reference)).toBe(1);
  });

  test('webhooks that arrive after the page has confirmed change nothing, however many', async ({
    page,
    popup,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await service.setMerchant({ webhookUrl: null });
    await site.pay(page, order);
    await popup.payByCard('4242 4242 4242 4242');
    await expectEnding({ page, site, shop, service }, order.reference, PAID);

    const body = JSON.stringify({
      event: 'collection.successful',
      data: await service.collectionOf(order.reference),
    });
    const statuses = await Promise.all(
      Array.from({ length: 3 }, () => shop.deliver(body, signed(body))),
    );

    expect(statuses).toEqual([200, 200, 200]);
    expect(shop.stateOf(order.reference)).toBe('paid');
    expect(shop.fulfilmentsOf(order.reference)).toBe(1);
  });

  test('a webhook with a foreign signature is rejected and changes nothing', async ({
    service,
    shop,
  }) => {
    const order = await shop.order();
    const body = JSON.stringify({
      event: 'collection.successful',
      data: { reference: order.reference, status: 'successful' },
    });

    expect(await shop.deliver(body, signed(body, 'sec_sandbox_other'))).toBe(401);

    expect(shop.stateOf(order.reference)).toBe('awaiting-payment');
    expect(await service.collectionOf(order.reference)).toBeUndefined();
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
