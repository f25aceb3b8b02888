import type { Payments } from '../create-payments.ts';
import { failureFields } from '../observe/failure-log.ts';

/** Takes a promise of work that a response leaves, so that the host lets the function live. */
export type WaitUntil = (work: Promise<unknown>) => void;

/**
 * The function of each `Payments` that starts its passes. Of the whole process, because a framework
 * may build the routes for each request.
 */
const PASSES = new WeakMap<object, () => Promise<void>>();

/** Returns a function that does what is due after a response. */
export function buildAfterwards<Data>(
  payments: Payments<Data>,
  waitUntil: WaitUntil | undefined,
): () => void {
  const pass = PASSES.get(payments) ?? buildPass(payments);
  PASSES.set(payments, pass);
  return () => waitUntil?.(pass());
}

/**
 * Returns a function that starts a pass, one at a time: what is written during a pass is done by one
 * more.
 */
function buildPass<Data>(payments: Payments<Data>): () => Promise<void> {
  let isDue = false;
  let passing: Promise<void> | undefined;
  const pass = async () => {
    while (isDue) {
      isDue = false;
      await payments
        .work()
        .catch((err: unknown) =>
          payments.log.warn(failureFields(err), 'work after a response failed'),
        );
    }
    passing = undefined;
  };
  return () => {
    isDue = true;
    passing ??= pass();
    return passing;
  };
}
