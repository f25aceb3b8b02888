import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { PaidOrder } from '@service-pay/server';
import { loadInstead } from '../mutants.ts';
import { watchCalls } from './calls-under-way.ts';
import type { FromShop, ShopPlan, ToShop } from './shop-process.ts';

// The real shop, or one with a mutant, which dies at a failpoint of its plan and records every
// order that it fulfils.

const {
  mutant,
  ledger,
  fulfilMs = 0,
  failpoint,
  startAt,
  aheadMs = 0,
} = JSON.parse(process.argv[2]!) as ShopPlan;
if (mutant !== undefined) await loadInstead(mutant);

const { parseConfig } = await import('@service-pay/bff-example/config');
const { startShop } = await import('@service-pay/bff-example/server');
const { realClock } = await import('@service-pay/server');
const { ManualClock, testHooks } = await import('@service-pay/server/testing');

const untilComplete = watchCalls();
const book = openSync(ledger, 'a');
const moved = startAt === undefined ? undefined : new ManualClock(startAt);
const ahead = { ...realClock, now: () => realClock.now() + aheadMs };
const released = Promise.withResolvers<void>();
let visits = 0;

process.on('unhandledRejection', (reason) => {
  console.error('unhandled rejection', reason);
  process.exit(70);
});
process.on('disconnect', () => process.exit(0)); // whoever started it is gone
process.on('message', (message: ToShop) => {
  if (message.goOn) released.resolve();
  if (message.heap) send({ heapMb: weighHeap() });
  if (message.stop) void stop();
  if (message.advance !== undefined) void advance(message.advance);
});

const hooks = testHooks({
  async failpoint(name) {
    if (name !== failpoint?.name || ++visits !== failpoint.visit) return;
    if (!failpoint.waits) process.kill(process.pid, 'SIGKILL');
    send({ waitsAt: failpoint.name });
    await released.promise;
  },
});
const shop = await startShop(
  { ...parseConfig(process.env), ...hooks },
  {
    clock: moved ?? ahead,
    async fulfil({ id, reference }: PaidOrder) {
      if (fulfilMs) await pause(fulfilMs);
      writeSync(
        book,
        `${JSON.stringify({ key: reference, orderId: id, pid: process.pid, at: Date.now() })}\n`,
      );
    },
  },
);
send({ url: shop.url });

/**
 * Advances the clock in steps, each after all work of the last one has ended, however slow the
 * machine is.
 */
async function advance(ms: number): Promise<void> {
  await moved?.advance(ms);
  await untilComplete();
  send({ advanced: ms });
}

async function stop(): Promise<void> {
  await shop.close();
  process.exit(0);
}

function weighHeap(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_000_000;
}

function send(message: FromShop): void {
  process.send?.(message);
}
