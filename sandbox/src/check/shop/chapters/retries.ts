import { must, mustMatch, prepare } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import { isShownAs, placeAndPay, placeOrder } from '../order.ts';
import { openPaymentOf, payableOf } from '../responses.ts';
import { SAYS_FAILED, type Shop } from '../shop.ts';

const OPEN_PAYMENT = "200 with the options of the order's open payment, however old it is";
const NEW_PAYMENT =
  '201 with those of a new one, only after the service has reported the first as `failed`';
const AT_ONCE = 50;

export const RETRIES: Chapter<Shop> = {
  title: 'Paying again',
  rules: [
    rule('retry returns the open payment', OPEN_PAYMENT, async (shop) => {
      const order = await placeOrder(shop);
      const untried = await order.retry();
      must(untried.status === 200, `${untried.what} before anyone has tried to pay, expected 200.`);
      mustMatch('retry', payableOf(untried), { reference: order.reference });
      await order.put({ status: 'pay-offline' });
      const response = await order.retry();
      must(response.status === 200, `${response.what} while a payment is open, expected 200.`);
      mustMatch('retry', payableOf(response), { reference: order.reference });
    }),
    rule(
      'After a failure, retry makes one new payment, also fifty times at once',
      NEW_PAYMENT,
      async (shop) => {
        const order = await placeOrder(shop);
        await order.put({ status: 'failed' });
        await order.waitUntilVerifiedAgain();
        const { reference, amount, currency } = order.payable;
        const responses = await Promise.all(
          Array.from({ length: AT_ONCE }, () => order.call('retry')),
        );
        const payables = responses.map(payableOf);
        const references = new Set(payables.map((one) => one.reference));
        must(references.size === 1, `${AT_ONCE} calls of retry made ${references.size} payments.`);
        must(!references.has(reference), 'retry returned the payment that has failed.');
        mustMatch('The new payment', payables[0]!, { amount, currency });
        const open = openPaymentOf(await shop.open(order.browser));
        must(open?.reference !== reference, 'open named the payment that has failed.');
      },
    ),
    rule(
      'verify reports on the whole order, and its newest payment can be paid',
      "returns `{ payment, isNew }`: the order's open payment",
      async (shop) => {
        const order = await placeOrder(shop);
        const first = order.reference;
        await order.put({ status: 'failed' });
        await order.paysAgain();
        await order.mustBe('pending', 'after retry made a new payment');
        await order.pay();
        const paid = await order.mustBe('successful', 'after the new payment was paid');
        mustMatch('verify', paid, { reference: order.reference });
        const response = await order.verify(first);
        must(
          isShownAs(response, 'successful'),
          `${response.what} of the first payment of a paid order, expected "successful".`,
        );
      },
    ),
    rule(
      'An earlier payment that is paid late pays the order',
      'So accept `successful` even after `failed`.',
      async (shop) => {
        const order = await placeAndPay(shop);
        const { reference } = order;
        const body = await order.webhookBody();
        await shop.sandbox.whileFaulty(SAYS_FAILED, async () => {
          await order.known('failed');
          await order.paysAgain();
        });
        await prepare(() => shop.deliver(body)); // a shop may wait for it
        const response = await shop.twice(
          () => order.verify(reference),
          (one) => isShownAs(one, 'successful'),
        );
        must(
          isShownAs(response, 'successful'),
          `${response.what} of a payment that was paid after retry made another, expected "successful".`,
        );
      },
    ),
    rule(
      'Nothing can be paid after the order is paid, or while it is in review',
      '400 if the order is paid or in review, or was tried too often',
      async (shop) => {
        const paid = await placeAndPay(shop);
        await paid.shown();
        const retried = await paid.retry();
        must(retried.status === 400, `${retried.what} after the order was paid, expected 400.`);
        const inReview = await placeOrder(shop);
        await inReview.putAnotherCurrency();
        shop.unpaid.add(inReview);
        await inReview.shown();
        const { what, status } = await inReview.retry();
        must(status === 400, `${what} after another currency was paid, expected 400.`);
      },
    ),
  ],
};
