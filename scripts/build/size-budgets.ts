/** Size budgets in kB of 1000 bytes, brotli at quality 11. Bench and size tests use these. */
export const SIZE_BUDGETS = {
  /** B1: `inline.js`. */
  script: 14.3,
  /** B2: the frame up to a form to type into. */
  form: 30.6,
  /** B3: everything that the frame can load in one language. */
  frame: 53.4,
  /** B11: `flow.js`. */
  flow: 7.2,
} as const;
