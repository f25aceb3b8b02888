import type { Clock } from '../support/clock.ts';

/**
 * A client that reads nothing for this long is disconnected. It reads the state again when it
 * reconnects.
 */
const TAKES_WITHIN_MS = 30_000;

/**
 * Turns events into a body that pulls the next event only once the last was read. Calls `end` when
 * the events have ended, the client has disconnected or was disconnected.
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
