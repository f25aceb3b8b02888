import { vi } from 'vitest';

import { buildLog, type Log } from '../src/observe/log.ts';
import type { ShopStore } from '../src/payments/store.ts';
import { type ManualClock, PATIENT } from './manual-clock.ts';
import { TOKEN } from './upstream.ts';

export function buildTestLog(lines: string[] = []): Log {
  const config = {
    logLevel: 'info',
    apiToken: TOKEN,
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  } as const;
  return buildLog(config, { write: (line) => void lines.push(line) });
}

export function passTimeUntil(
  clock: ManualClock,
  check: () => void | Promise<void>,
  stepMs = 100,
): Promise<void> {
  return vi.waitFor(async () => {
    await clock.advance(stepMs);
    await check();
  }, PATIENT);
}

export async function payOrder(store: ShopStore, reference: string, now: number): Promise<void> {
  const order = {
    id: reference,
    owner: 'b',
    data: {},
    amount: '1.00',
    currency: 'ZMW',
  };
  await store.placeOrder(order, reference, now, now);
  await store.markPaid(reference, now);
}
