export type FailpointName =
  | 'after-verify'
  | 'before-commit'
  | 'after-commit'
  | 'after-fulfil'
  | 'before-acknowledge';

/**
 * Awaited at each named place. It does nothing, unless a fault harness sets another one with
 * `testHooks`, which then ends or freezes the process there.
 */
export type Failpoint = (name: FailpointName) => void | Promise<void>;

export const noFailpoint: Failpoint = () => {};
