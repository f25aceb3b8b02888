import { randomUUID } from 'node:crypto';

import type { Order } from './orders.js';

/**
 * Pays an order by a test card as the popup would, for tests that need no browser. Gives how the
 * attempt ended.
 */
export async function pay(
  { reference, email, amount, currency }: Order,
  serviceUrl: string,
  number = '4242424242424242',
): Promise<string> {
  const { token } = await post('sessions', {
    key: 'pub_sandbox_demo',
    reference,
    email,
    amount,
    currency,
  });
  const card = { number, expiry: '12/34', securityCode: '123', name: 'Mary Banda' };
  const { attempt } = await post(
    'sessions/current/attempts',
    { id: randomUUID(), channel: 'card', card },
    token,
  );
  return attempt.status;

  async function post(path: string, body: object, bearer?: string) {
    const answer = await fetch(`${serviceUrl}/checkout/v1/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    });
    const { message, data } = (await answer.json()) as {
      message: string;
      data: { token: string; attempt: { status: string } };
    };
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${message}`);
    return data;
  }
}
