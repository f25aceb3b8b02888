import { type Failpoint, noFailpoint } from './failpoint.ts';

/** What only tests set: no option and no setting has it. */
export interface TestHooks {
  failpoint: Failpoint;
  /** The limit of a write or a statement of the database, for a busy machine. */
  respondWithinMs: number | undefined;
}

const HOOKS = Symbol('hooks of tests');

/**
 * Returns a member for the options of `createPayments`, which survives a spread of them.
 *
 * @internal
 */
export function testHooks(hooks: Partial<TestHooks>): object {
  return { [HOOKS]: hooks };
}

export function testHooksOf(options: object): TestHooks {
  const { [HOOKS]: hooks } = options as { [HOOKS]?: Partial<TestHooks> };
  return { failpoint: noFailpoint, respondWithinMs: undefined, ...hooks };
}
