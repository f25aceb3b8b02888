import type { Payments } from '../create-payments.ts';

/** Takes a promise of work that a response leaves, so that the host lets the function live. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Returns a function that does what is due after a response, one pass at a time: what is written
 * during a pass is done by one more.
 */
export function buildAfterwards<Data>(
  payments: Payments<Data>,
  waitUntil: WaitUntil | undefined,
): () => void {
  let isDue = false;
  let passing: Promise<void> | undefined;
  const pass = async () => {
    while (isDue) {
      isDue = false;
      await payments
        .work()
        .catch((err: unknown) => payments.log.warn({ err }, 'work after a response failed'));
    }
    passing = undefined;
  };
  return () => {
    if (!waitUntil) return;
    isDue = true;
    passing ??= pass();
    waitUntil(passing);
  };
}
