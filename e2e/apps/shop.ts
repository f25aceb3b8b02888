import type { PaymentOptions, PaymentResult } from '@service-pay/widget';

/**
 * The address of the payment service: the sandbox on this machine, unless the build sets another.
 */
export const serviceUrl: string = import.meta.env.VITE_SERVICE_URL ?? 'http://localhost:4010';

export const PRODUCTS = [
  { sku: 'coffee-250', name: 'Coffee' },
  { sku: 'honey-500', name: 'Honey' },
];

interface Item {
  sku: string;
  quantity: number;
}

/**
 * Orders on the server and returns the options of the popup. The same items are the same order
 * until the page is reloaded.
 */
export async function placeOrder(...items: Item[]): Promise<PaymentOptions> {
  const answer = await fetch('/api/orders', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `${visit}-${JSON.stringify(items)}`,
    },
    body: JSON.stringify({ items, customer: { email: 'mary@example.com' } }),
  });
  const { data, message } = await answer.json();
  if (!answer.ok) throw new Error(message);
  return data;
}

/**
 * Returns what to show the customer once the popup has gone. Only the server knows whether the
 * order is paid.
 */
export async function conclude({ outcome, reference }: PaymentResult): Promise<string> {
  if (outcome === 'closed') return 'Nothing was paid.';
  const answer = await fetch(`/api/payments/${reference}/verify`, { method: 'POST' });
  const { data } = await answer.json();
  return data?.status === 'successful' ? 'Order paid.' : 'Your payment is being confirmed.';
}

const visit = crypto.randomUUID();
