import { test } from '../stack.ts';
import { expectEnding } from '../support/expect-ending.ts';
import { JOURNEYS } from '../support/journeys.ts';

test.describe('on a page of a third origin, under the strict policy', () => {
  for (const { title, act, ending } of JOURNEYS) {
    test(title, { tag: '@gate' }, async ({ page, popup, service, shop, site }) => {
      const order = await shop.order();

      await site.pay(page, order);
      await act({ page, popup, service });

      await expectEnding({ page, site, shop, service }, order.reference, ending);
    });
  }
});
