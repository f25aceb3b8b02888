import type { Browser } from '@playwright/test';
import type { Sandbox } from '@service-pay/sandbox';
import { countLeft, type Footprint, measureLeaks, watchLeaks } from '../../lab/leaks.ts';
import type { Figure } from '../support/figures.ts';
import { freshOptions } from './merchant-pages.ts';

const CYCLES = 100;

/**
 * B9 and B10: the popup's leftovers on a merchant's page after one opening, and after a hundred.
 * `browser` must not compile to machine code: that memory varies, and would be measured too.
 */
export async function measureLeftovers(
  browser: Browser,
  pagesUrl: string,
  service: Sandbox,
): Promise<Figure[]> {
  const { reference: paid, ...options } = freshOptions();
  await service.control.putCollection({
    reference: paid,
    amount: '10.00',
    currency: options.currency,
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await watchLeaks(page);
  await page.goto(`${pagesUrl}/popup`);
  const report = await measureLeaks(page, CYCLES, { options, paid });
  await context.close();

  const { untouched, once, after } = report;
  const heapLeft = ({ heapBytes }: Footprint) => (heapBytes - untouched.heapBytes) / 1_000_000;
  const left = countLeft(report).reduce((sum, [, count]) => sum + count, 0);
  const heap = {
    id: 'B9',
    unit: 'MB',
    direction: 'at most',
  } as const;
  return [
    {
      ...heap,
      name: 'heap left by one open and close, compiled code not counted',
      budget: 0.3,
      runs: [heapLeft(once)],
    },
    {
      ...heap,
      name: `heap left by ${CYCLES}, compiled code not counted`,
      budget: 0.35,
      runs: [heapLeft(after)],
    },
    {
      id: 'B10',
      name: `nodes, listeners, timers left after ${CYCLES}`,
      unit: '',
      budget: 0,
      direction: 'at most',
      runs: [left],
    },
  ];
}
