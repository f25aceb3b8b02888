import { ATTEMPTS } from './chapters/attempts.ts';
import { ERRORS } from './chapters/errors.ts';
import { FILES } from './chapters/files.ts';
import { FRAME_PAGE } from './chapters/frame-page.ts';
import { MERCHANT_API } from './chapters/merchant-api.ts';
import { PHONES } from './chapters/phones.ts';
import { SESSIONS } from './chapters/sessions.ts';
import { WEBHOOKS } from './chapters/webhooks.ts';
import { NotTried, RuleBroken } from './must.ts';
import type { Chapter, Rule } from './rule.ts';
import { Service, type ServiceOptions } from './service.ts';

export type { ServiceOptions } from './service.ts';

/** The rules for a service, in the order in which they are checked. */
export const CHAPTERS: readonly Chapter[] = [
  FILES,
  FRAME_PAGE,
  SESSIONS,
  ATTEMPTS,
  PHONES,
  MERCHANT_API,
  ERRORS,
  WEBHOOKS,
];

export interface RuleResult {
  readonly chapter: string;
  readonly rule: string;
  readonly because: string;
  readonly result: 'ok' | 'fails' | 'not tried';
  /** The service's behaviour instead, or the reason why the rule was not tried. */
  readonly reason?: string;
  /** True if the rule was not tried because the service broke another one. */
  readonly isBlocked?: boolean;
}

/** Plays a frame and a merchant against a service and yields one result a rule, as they come. */
export async function* runCheck(options: ServiceOptions): AsyncGenerator<RuleResult> {
  const service = new Service(options);
  for (const chapter of CHAPTERS) {
    for (const rule of chapter.rules) {
      const { title, because } = rule;
      yield { chapter: chapter.title, rule: title, because, ...(await tryRule(rule, service)) };
    }
  }
}

async function tryRule(
  { check }: Rule,
  service: Service,
): Promise<Pick<RuleResult, 'result' | 'reason' | 'isBlocked'>> {
  try {
    await check(service);
    return { result: 'ok' };
  } catch (error) {
    if (error instanceof RuleBroken) return { result: 'fails', reason: error.message };
    if (!(error instanceof NotTried)) throw error;
    return { result: 'not tried', reason: error.message, isBlocked: error.isBlocked };
  }
}
