export type FailpointName =
  | 'after-verify'
  | 'before-commit'
  | 'after-commit'
  | 'after-fulfil'
  | 'before-acknowledge';

/**
 * Called, and waited for, at each named place. It does nothing but where a fault harness hands
 * `startShop` another, which then ends or freezes the process there; no setting reaches it.
 */
export type Failpoint = (name: FailpointName) => void | Promise<void>;

export const noFailpoint: Failpoint = () => {};
