/** The message says what the service did instead, and never repeats a token or a card. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
}

/**
 * A rule does not apply to this service, or could not be tried. It is `isBlocked` if the service
 * broke another rule on the way.
 */
export class NotTried extends Error {
  override readonly name = 'NotTried';
  readonly isBlocked: boolean;

  constructor(reason: string, isBlocked = false) {
    super(reason);
    this.isBlocked = isBlocked;
  }
}

/** Throws `RuleBroken` with `message` unless `isKept`. */
export function must(isKept: boolean, message: string): asserts isKept {
  if (!isKept) throw new RuleBroken(message);
}

/** Throws `RuleBroken` that names each field of `found` that is not as expected. */
export function mustMatch(what: string, found: object, expected: Record<string, unknown>): void {
  const wrong = Object.entries(expected)
    .map(([name, value]) => [name, (found as Record<string, unknown>)[name], value])
    .filter(([, is, value]) => is !== value)
    .map(
      ([name, is, value]) => `${name} is ${JSON.stringify(is)}, expected ${JSON.stringify(value)}`,
    );
  must(!wrong.length, `${what}: ${wrong.join('; ')}.`);
}

/**
 * Runs a step that only prepares a rule: if the service breaks another rule there, this one is not
 * tried.
 */
export async function prepare<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof RuleBroken ? new NotTried(error.message, true) : error;
  }
}
