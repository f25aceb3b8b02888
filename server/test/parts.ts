import type { Kysely } from 'kysely';
import { vi } from 'vitest';
import type { Database } from '../src/database/open.ts';
import type { Tables } from '../src/database/schema.ts';
import { buildLog, type Log } from '../src/observe/log.ts';
import type { PaymentStore } from '../src/payments/store.ts';
import type { ManualClock } from '../src/testing/manual-clock.ts';
import { TOKEN } from '../src/testing/upstream.ts';
import { PATIENT } from './patience.ts';

/** What a database belongs to that a test shop uses. */
export const OWN_ENVIRONMENT = { service: 'http://localhost', publicKey: 'pub_sandbox_demo' };

export function buildTestLog(lines: string[] = [], logLevel: 'info' | 'debug' = 'info'): Log {
  const config = {
    logLevel,
    apiToken: TOKEN,
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  } as const;
  return buildLog(config, { write: (line) => void lines.push(line) });
}

export function passTimeUntil(
  clock: ManualClock,
  check: () => void | Promise<void>,
  stepMs = 250,
): Promise<void> {
  return vi.waitFor(async () => {
    await clock.advance(stepMs);
    await check();
  }, PATIENT);
}

/** Waits for a task, and lets time pass meanwhile. */
export async function passTimeDuring<Result>(
  clock: ManualClock,
  task: Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  task.then(end, end);
  while (!isOver) {
    await clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, PATIENT.interval));
  }
  return task;
}

export async function payOrder(store: PaymentStore, reference: string, now: number): Promise<void> {
  const order = {
    id: reference,
    owner: 'b',
    data: {},
    amount: '1.00',
    currency: 'ZMW',
  };
  await store.placeOrder(order, reference, { checkAt: now, now });
  await store.markPaid(reference, now);
}

export function asDatabase(kind: Database['kind'], db: Kysely<Tables>): Database {
  return {
    kind,
    db,
    write: (write) => db.transaction().execute(write),
    close: () => db.destroy(),
  };
}
