import { realClock } from './clock.ts';

/**
 * Returns a function that runs `find` at most once per `forMs` and shares the result until then.
 */
export function shareResult<Result>(
  forMs: number,
  find: () => Promise<Result>,
): () => Promise<Result> {
  let shared: Promise<Result> | undefined;
  return () => {
    shared ??= find().finally(() =>
      realClock.after(forMs, () => {
        shared = undefined;
      }),
    );
    return shared;
  };
}
