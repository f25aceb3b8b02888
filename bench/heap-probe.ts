import { setImmediate } from 'node:timers/promises';

/**
 * Loaded into a program that is measured: says, when asked, how much it keeps. Garbage is collected
 * first, what only that lets go of too.
 */
process.on('message', async () => {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
// Being asked is no reason to go on.
process.channel?.unref();
