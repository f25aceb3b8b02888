import { randomUUID } from 'node:crypto';

import { CONNECTIONS, type SandboxProgram } from './sandbox-program.ts';

/** Pays as the checkout page does: opens a session and sends one attempt with this instrument. */
export async function pay(
  { call }: SandboxProgram,
  reference: string,
  instrument: object,
): Promise<void> {
  const order = { key: 'pub_sandbox_demo', email: 'mary@example.com', reference, amount: '10.00' };
  const { token } = (await call('POST', '/checkout/v1/sessions', order)) as { token: string };
  const attempt = { id: randomUUID(), ...instrument };
  await call('POST', '/checkout/v1/sessions/current/attempts', attempt, {
    authorization: `Bearer ${token}`,
  });
}

/** A card that is charged at once, and settled the next day. */
export function card(): object {
  return {
    channel: 'card',
    card: { number: '4242424242424242', expiry: '12/34', securityCode: '123', name: 'Mary Test' },
  };
}

/** A phone that is answered after three seconds, and settled a second later. */
export function phone(): object {
  return { channel: 'mobile-money', mobileMoney: { operator: 'airtel', phone: '0971111111' } };
}

/** Does `work` so often, as many at once as a sandbox is called at once. */
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

/**
 * Moves a sandbox's clock; gives how long the answer took and how much of that the sandbox worked,
 * in seconds.
 */
export async function advance(
  program: SandboxProgram,
  seconds: number,
): Promise<{ took: number; worked: number }> {
  const [startedAt, workedBefore] = [performance.now(), program.cpuSeconds()];
  await program.call('POST', '/_sandbox/clock/advance', { seconds });
  return {
    took: (performance.now() - startedAt) / 1000,
    worked: program.cpuSeconds() - workedBefore,
  };
}
