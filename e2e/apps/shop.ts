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

/** The newest order, and the name under which its key is kept. */
let order: { reference: string; keptAs: string } | undefined;

/**
 * Orders on the server and returns the options of the popup. The same items are the same order until
 * it has ended, after a reload too: their random key is kept with them.
 */
export async function placeOrder(...items: Item[]): Promise<PaymentOptions> {
  order = undefined; // the popup may be closed before this ends
  const body = JSON.stringify({ items, customer: { email: 'mary@example.com' } });
  const keptAs = `order ${body}`;
  localStorage[keptAs] ??= crypto.randomUUID();
  const headers = { 'content-type': 'application/json', 'idempotency-key': localStorage[keptAs] };
  const answer = await fetch('/api/orders', { method: 'POST', headers, body });
  const { data, message } = await answer.json();
  if (!answer.ok) throw new Error(message);
  order = { reference: data.reference, keptAs };
  return data;
}

/**
 * Returns what to show the customer once the popup has gone. Only the server knows whether the
 * order is paid.
 */
export async function conclude(outcome: PaymentResult['outcome']): Promise<string> {
  const words = outcome === 'closed' ? 'Nothing was paid.' : 'Your payment is being confirmed.';
  if (!order) return words;
  const { reference, keptAs } = order;
  const answer = await fetch(`/api/payments/${reference}/verify`, { method: 'POST' });
  const { data } = await answer.json();
  if (data?.status !== 'successful' && data?.status !== 'failed') return words;
  delete localStorage[keptAs];
  return data.status === 'successful' ? 'Order paid.' : 'The payment failed.';
}
