import { randomUUID } from 'node:crypto';

import { CONNECTIONS, type SandboxProgram } from './program.ts';

export async function payByCard({ call }: SandboxProgram, reference: string): Promise<void> {
  const order = { key: 'pub_sandbox_demo', email: 'mary@example.com', reference, amount: '10.00' };
  const { token } = (await call('POST', '/checkout/v1/sessions', order)) as { token: string };
  const attempt = {
    id: randomUUID(),
    channel: 'card',
    card: { number: '4242424242424242', expiry: '12/34', securityCode: '123', name: 'Mary Test' },
  };
  await call('POST', '/checkout/v1/sessions/current/attempts', attempt, {
    authorization: `Bearer ${token}`,
  });
}

export function placeCollections({ call }: SandboxProgram, count: number): Promise<void> {
  return inParallel(count, (at) =>
    call('POST', '/_sandbox/collections', { reference: `order-${at}` }),
  );
}

export async function inParallel(
  count: number,
  work: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}
