/** Loaded into a program that is measured: says, when asked, how much it keeps. Each time garbage is collected first. */
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
// Being asked is no reason to go on.
process.channel?.unref();
