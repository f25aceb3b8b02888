import type { Clock } from '../support/clock.ts';

/** A reader that is behind for this long is cut. It reads the state again when it connects again. */
const TAKES_WITHIN_MS = 30_000;

/**
 * Turns events into a body that asks for the next one only once its reader has taken the last.
 * Calls `end` when the events have ended, and when the reader has left or was cut.
 */
export function toEventStream(
  events: AsyncGenerator<string>,
  clock: Clock,
  end: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  let cancelTimer = () => {};
  const finish = () => {
    isOver = true;
    cancelTimer();
    end();
  };
  return new ReadableStream({
    async pull(controller) {
      cancelTimer();
      const { done, value } = await events.next().catch((error: unknown) => {
        finish();
        throw error;
      });
      if (isOver) return;
      if (done) {
        finish();
        return controller.close();
      }
      controller.enqueue(encoder.encode(value));
      cancelTimer = clock.after(TAKES_WITHIN_MS, () => {
        finish();
        controller.error(new Error('The reader of the event stream was too slow.'));
      });
    },
    cancel: finish,
  });
}
