import { measureLeaks, watchLeaks } from '../../scripts/test/leaks.ts';
import { expect, test } from '../stack.ts';

// The recorder of traces observes the page, too.
test.use({ trace: 'off' });

test('20 opens and closes of every kind leave no node, listener, timer, observer, port or scroll lock (N5, T15, B10)', async ({
  page,
  popup,
  shop,
  site,
}) => {
  test.slow();
  const paid = await shop.order();
  await watchLeaks(page);
  await site.pay(page, paid);
  await popup.payByCard('4242 4242 4242 4242');
  await expect.poll(async () => (await site.outcome(page))?.outcome).toBe('success');
  await page.goto('about:blank');
  await page.goto(site.url);

  const { untouched, once, after } = await measureLeaks(page, 20, {
    options: paid,
    paid: paid.reference,
  });

  const { heapBytes: _, ...nothing } = untouched;
  expect(nothing).toMatchObject({
    timers: 0,
    observers: 0,
    ports: 0,
    sheets: 0,
    documents: 1,
    frames: 1,
  });
  expect(once).toMatchObject(nothing);
  expect(after).toMatchObject(nothing);
});
