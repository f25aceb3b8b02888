import { F1 } from './f1-killed.ts';
import { F2 } from './f2-failpoints.ts';
import type { Harness } from './harness.ts';

/** Every harness of the fault plan, in its order. */
export const HARNESSES: readonly Harness[] = [F1, F2];
