import { setTimeout as pause } from 'node:timers/promises';

/**
 * Calls `send` this many times a second with its due time, whether or not earlier calls have ended.
 */
export async function onTimetable(
  perSecond: number,
  seconds: number,
  send: (index: number, due: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = began + (index * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    sent.push(send(index, due));
  }
  await Promise.all(sent);
}
