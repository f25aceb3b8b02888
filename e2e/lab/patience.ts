import { testHooks } from '@service-pay/server/testing';

/** The time a test waits for a condition on a busy machine: `vi.waitFor(…, PATIENT)`. */
export const PATIENT = { timeout: 60_000, interval: 5 };

/** Waits for a busy machine, in tests of anything but slow databases. */
export const PATIENT_DATABASE = { respondWithinMs: 10_000 };

/** The same for `createPayments` and `startShop`. */
export const PATIENT_PAYMENTS = testHooks(PATIENT_DATABASE);
