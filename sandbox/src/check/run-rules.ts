import { NotTried, RuleBroken } from './must.ts';
import type { Chapter, Rule } from './rule.ts';

export interface RuleResult {
  readonly chapter: string;
  readonly rule: string;
  readonly because: string;
  readonly result: 'ok' | 'fails' | 'not tried';
  /** The behaviour found instead, or the reason why the rule was not tried. */
  readonly reason?: string;
  /** True if the rule was not tried because the subject broke another one. */
  readonly isBlocked?: boolean;
  /** True if an obstacle had ended the check before this rule. */
  readonly isSkipped?: boolean;
}

interface Running {
  /** Returns the reason why no further rule can be tried, once there is one. */
  findObstacle(): string | undefined;
  /** Hides tokens, card numbers and control characters in what the subject sent. */
  mask(text: string): string;
}

/**
 * Checks each rule on a subject and yields one result a rule, as they come. Once `findObstacle`
 * returns a reason, the rest is not tried.
 */
export async function* runRules<Subject>(
  chapters: readonly Chapter<Subject>[],
  subject: Subject,
  { findObstacle, mask }: Running,
): AsyncGenerator<RuleResult> {
  for (const { title: chapter, rules } of chapters) {
    for (const rule of rules) {
      const obstacle = findObstacle();
      const result =
        obstacle === undefined
          ? await tryRule(rule, subject)
          : ({ result: 'not tried', reason: obstacle, isBlocked: true, isSkipped: true } as const);
      const reason = result.reason === undefined ? {} : { reason: mask(result.reason) };
      yield { chapter, rule: rule.title, because: rule.because, ...result, ...reason };
    }
  }
}

async function tryRule<Subject>(
  { check }: Rule<Subject>,
  subject: Subject,
): Promise<Pick<RuleResult, 'result' | 'reason' | 'isBlocked' | 'isSkipped'>> {
  try {
    await check(subject);
    return { result: 'ok' };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RuleBroken) return { result: 'fails', reason: message };
    if (error instanceof NotTried)
      return { result: 'not tried', reason: message, isBlocked: error.isBlocked };
    // something that no rule foresees: the other rules can still be tried
    return { result: 'not tried', reason: `The check cannot go on: ${message}`, isBlocked: true };
  }
}
