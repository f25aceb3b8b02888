import { realClock } from './clock.ts';

/**
 * Returns a function that runs `find` at most once per `forMs` and shares the result until then.
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
