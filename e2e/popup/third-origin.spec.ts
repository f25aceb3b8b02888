import { test } from '../stack.ts';
import { JOURNEYS } from '../support/journeys.ts';

test.describe('on a page of a third origin, under the strict policy', () => {
  for (const { title, act, ending } of JOURNEYS) {
    test(title, { tag: '@gate' }, async ({ page, popup, purchase, service }) => {
      await purchase.open();
      await act({ page, popup, service });

      await purchase.expectEnding(ending);
    });
  }
});
