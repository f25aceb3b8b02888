import { testHooks } from '../src/support/test-hooks.ts';

/** The time a test waits for a condition on a busy machine: `vi.waitFor(…, PATIENT)`. */
export const PATIENT = { timeout: 60_000, interval: 5 };

/** Waits for a busy machine, in tests of anything but slow databases. */
export const PATIENT_DATABASE = { respondWithinMs: 10_000 };

/** The same for `createPayments`. */
export const PATIENT_PAYMENTS = testHooks(PATIENT_DATABASE);
