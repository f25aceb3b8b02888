import { realClock } from '../support/clock.ts';

/**
 * Returns a function that runs `find` once at a time and at most once per `forMs`: until then every
 * caller gets the same answer, or the same failure. Strangers may ask as often as they like.
 */
export function shareAnswer<Answer>(
  forMs: number,
  find: () => Promise<Answer>,
): () => Promise<Answer> {
  let shared: Promise<Answer> | undefined;
  return () => {
    shared ??= find().finally(() =>
      realClock.after(forMs, () => {
        shared = undefined;
      }),
    );
    return shared;
  };
}
