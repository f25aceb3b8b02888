import { startSandbox } from '@service-pay/sandbox';
import { describe, expect, test, vi } from 'vitest';

import { DATABASES } from './test-database.ts';
import { PATIENT, startTestShop } from './test-shop.ts';

describe.each(DATABASES)('an order on %s', (kind) => {
  test('is placed, paid and handed over', async () => {
    const sandbox = await startSandbox();
    const shop = await startTestShop(sandbox.url, {}, {}, kind);
    const browser = shop.browser();
    const reference = await browser.order();
    await sandbox.control.putCollection({ reference, amount: '92.50' });

    expect((await browser.verify(reference)).json.data.status).toBe('successful');
    await vi.waitFor(
      async () => expect(await shop.rows('select state from fulfilments where reference = ?', reference)).toEqual([{ state: 'done' }]),
      PATIENT,
    );

    await shop.close();
    await sandbox.close();
  });
});
