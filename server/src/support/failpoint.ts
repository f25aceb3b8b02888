export type FailpointName =
  | 'after-verify'
  | 'before-commit'
  | 'after-commit'
  | 'after-fulfil'
  | 'before-acknowledge';

/**
 * Awaited at each named place. It does nothing, unless a fault harness passes `startShop` another
 * one, which then ends or freezes the process there. No setting reaches it.
 */
export type Failpoint = (name: FailpointName) => void | Promise<void>;

export const noFailpoint: Failpoint = () => {};
