import { decimalsOf } from '@service-pay/contract/currency';
import type { ShopPayment } from '@service-pay/contract/shop-api';
import { must, prepare } from '../../must.ts';
import { type Chapter, rule } from '../../rule.ts';
import { placeAndPay, placeOrder } from '../order.ts';
import { SAYS_FAILED, type Shop } from '../shop.ts';

const MISMATCH = 'Never fulfil a payment with another amount or currency.';
const NOT_FINAL = ['pay-offline', 'otp-required', '3ds-auth-required', 'pending', 'under-review'];

export const VERIFY: Chapter<Shop> = {
  title: 'Paid or not',
  rules: [
    rule(
      'An order is pending until the service says paid',
      'A 404 or a timeout means "not known yet", never "failed": verify again later.',
      async (shop) => {
        const order = await placeOrder(shop);
        await order.mustBe('pending', 'before anyone has tried to pay');
        const finish = await order.startPaying();
        await order.mustBe('pending', 'while the payment is under way');
        await finish();
        const { amount, currency } = await order.mustBe('successful', 'after it was paid');
        const isAsPlaced = Number(amount) === Number(order.payable.amount);
        must(
          isAsPlaced && currency === order.payable.currency,
          `verify returned ${amount} ${currency} for an order of ${order.payable.amount} ${order.payable.currency}.`,
        );
      },
    ),
    rule(
      'A status that is not final is pending, also an unknown one',
      'Treat a status you do not know as not final.',
      async (shop) => {
        for (const status of NOT_FINAL) {
          const order = await placeOrder(shop);
          await order.put({ status });
          await order.mustBe('pending', `for the status "${status}"`);
          shop.unpaid.add(order);
        }
      },
    ),
    rule(
      'A payment that waits for the customer says so',
      'a prompt or challenge waits for the customer',
      async (shop) => {
        const order = await placeOrder(shop);
        await order.put({ status: 'pay-offline' });
        const shown = await shop.twice(
          () => order.mustBe('pending', 'during a prompt'),
          (one) => one.isWaitingForCustomer,
        );
        must(
          shown.isWaitingForCustomer,
          'isWaitingForCustomer is false while a prompt is on the phone.',
        );
      },
    ),
    rule(
      'An order is failed if the service says so',
      '`status` is `successful`, `failed` or `pending`.',
      async (shop) => {
        const order = await placeOrder(shop);
        await order.put({ status: 'failed' });
        await order.mustBe('failed', 'after the service said failed');
        shop.unpaid.add(order);
      },
    ),
    rule(
      'An order that failed is paid once the service says so',
      'So accept `successful` even after `failed`.',
      async (shop) => {
        const order = await placeAndPay(shop);
        await shop.sandbox.whileFaulty(SAYS_FAILED, () => order.known('failed'));
        const body = await order.webhookBody();
        await prepare(() => shop.deliver(body)); // a shop may wait for it
        const isPaid = ({ status }: ShopPayment) => status === 'successful';
        const shown = await shop.twice(() => order.shown(), isPaid);
        must(isPaid(shown), `verify returned "${shown.status}" after the service said successful.`);
      },
    ),
    rule('Another amount is never paid', MISMATCH, async (shop) => {
      for (const sign of [-1, 1]) {
        const order = await placeOrder(shop);
        const step = decimalsOf(order.payable.currency) ? 0.01 : 1; // the nearest amounts
        const amount = Number(order.payable.amount) + sign * step;
        if (amount < step) continue;
        await order.put({ amount: amount.toFixed(2) });
        shop.unpaid.add(order);
        await order.mustBe('pending', 'although another amount was paid');
      }
    }),
    rule('Another currency is never paid', MISMATCH, async (shop) => {
      const order = await placeOrder(shop);
      await order.putAnotherCurrency();
      shop.unpaid.add(order);
      await order.mustBe('pending', 'although another currency was paid');
    }),
    rule(
      'Paying one order pays no other',
      'only its own verify call makes an order paid',
      async (shop) => {
        const other = await placeOrder(shop);
        const order = await placeAndPay(shop, other.browser);
        await order.mustBe('successful', 'after it was paid');
        const { status } = await other.shown();
        must(
          status !== 'successful',
          'verify returned "successful" for an order that nobody paid.',
        );
        shop.unpaid.add(other);
      },
    ),
    rule(
      'A paid order stays paid, also while the service is away or says failed',
      '`successful` is final.',
      async (shop) => {
        const order = await placeAndPay(shop);
        await order.known('successful');
        for (const [trouble, what] of [
          [{ kind: 'status', status: 503 }, 'is away'],
          [SAYS_FAILED, 'says failed'],
        ] as const)
          await shop.sandbox.whileFaulty(trouble, async () => {
            await order.mustBe('successful', `for a paid order, while the service ${what}`);
          });
      },
    ),
  ],
};
