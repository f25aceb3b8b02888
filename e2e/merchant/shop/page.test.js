// @vitest-environment jsdom

import { stubPayment } from '@service-pay/widget/testing';
import { afterEach, expect, test } from 'vitest';

let restore;
afterEach(() => restore?.());

test('says that nothing was paid when the customer closes the popup', async () => {
  restore = stubPayment('closed');
  document.querySelector('button').click();
  const status = document.querySelector('[role=status]');
  await expect.poll(() => status.textContent).toBe('You have not paid.');
});

document.body.innerHTML = '<button type="button">Buy</button><p role="status"></p>';
globalThis.fetch = async () =>
  Response.json({
    key: 'pub_sandbox_demo',
    email: 'ada@shop.example',
    reference: 'order-1',
    amount: '138.75',
  });
await import('./page.js');
