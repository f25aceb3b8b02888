import type { PaymentOptions, PaymentResult } from '@service-pay/widget';

/**
 * Where the payment service is: the sandbox on this machine, unless the build is told otherwise.
 */
export const serviceUrl: string = import.meta.env.VITE_SERVICE_URL ?? 'http://localhost:4010';

/** What is for sale. What it costs, the server says. */
export const PRODUCTS = [
  { sku: 'coffee-250', name: 'Coffee' },
  { sku: 'honey-500', name: 'Honey' },
];

interface Item {
  sku: string;
  quantity: number;
}

/**
 * Asks the server for an order, and gives what the popup takes. The same items again are the same
 * order, until the page is loaded anew.
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
 * What the customer is told once the popup has gone. Only the server knows whether the order is
 * paid.
 */
export async function conclude({ outcome, reference }: PaymentResult): Promise<string> {
  if (outcome === 'closed') return 'Nothing was paid.';
  const answer = await fetch(`/api/payments/${reference}/verify`, { method: 'POST' });
  const { data } = await answer.json();
  return data?.status === 'successful' ? 'Order paid.' : 'Your payment is being confirmed.';
}

const visit = crypto.randomUUID();
