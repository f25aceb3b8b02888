import { ATTEMPTS } from './chapters/attempts.ts';
import { ERRORS } from './chapters/errors.ts';
import { FILES } from './chapters/files.ts';
import { FRAME_PAGE } from './chapters/frame-page.ts';
import { MERCHANT_API } from './chapters/merchant-api.ts';
import { PHONES } from './chapters/phones.ts';
import { SESSIONS } from './chapters/sessions.ts';
import { WEBHOOKS } from './chapters/webhooks.ts';
import type { Chapter } from './rule.ts';
import { type RuleResult, runRules } from './run-rules.ts';
import { Service, type ServiceOptions } from './service.ts';

export type { RuleResult } from './run-rules.ts';
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

/** Plays a frame and a merchant against a service and yields one result a rule, as they come. */
export function runCheck(options: ServiceOptions): AsyncGenerator<RuleResult> {
  return runRules(CHAPTERS, new Service(options));
}
