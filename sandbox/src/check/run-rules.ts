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
}

/**
 * Checks each rule on a subject and yields one result a rule, as they come. Once `findObstacle`
 * returns a reason, the rest is not tried.
 */
export async function* runRules<Subject>(
  chapters: readonly Chapter<Subject>[],
  subject: Subject,
  findObstacle: () => string | undefined = () => undefined,
): AsyncGenerator<RuleResult> {
  for (const { title: chapter, rules } of chapters) {
    for (const rule of rules) {
      const obstacle = findObstacle();
      const result =
        obstacle === undefined
          ? await tryRule(rule, subject)
          : ({ result: 'not tried', reason: obstacle, isBlocked: true } as const);
      yield { chapter, rule: rule.title, because: rule.because, ...result };
    }
  }
}

async function tryRule<Subject>(
  { check }: Rule<Subject>,
  subject: Subject,
): Promise<Pick<RuleResult, 'result' | 'reason' | 'isBlocked'>> {
  try {
    await check(subject);
    return { result: 'ok' };
  } catch (error) {
    if (error instanceof RuleBroken) return { result: 'fails', reason: error.message };
    if (!(error instanceof NotTried)) throw error;
    return { result: 'not tried', reason: error.message, isBlocked: error.isBlocked };
  }
}
