import { A_MINUTE_LATER } from './chapters/a-minute-later.ts';
import { ATTEMPTS } from './chapters/attempts.ts';
import { ERRORS } from './chapters/errors.ts';
import { FILES } from './chapters/files.ts';
import { FRAME_PAGE } from './chapters/frame-page.ts';
import { LISTS } from './chapters/lists.ts';
import { MERCHANT_API } from './chapters/merchant-api.ts';
import { PHONES } from './chapters/phones.ts';
import { SESSIONS } from './chapters/sessions.ts';
import { TWO_MERCHANTS } from './chapters/two-merchants.ts';
import { VISITORS } from './chapters/visitors.ts';
import { WEBHOOKS } from './chapters/webhooks.ts';
import { must } from './must.ts';
import { type Chapter, rule } from './rule.ts';
import { type RuleResult, runRules } from './run-rules.ts';
import { Service, type ServiceOptions } from './service.ts';

export type { RuleResult } from './run-rules.ts';
export type { ServiceOptions } from './service.ts';

/** The rules for a service, in the order in which they are checked. */
export const CHAPTERS: readonly Chapter[] = [
  FILES,
  FRAME_PAGE,
  SESSIONS,
  VISITORS,
  ATTEMPTS,
  PHONES,
  MERCHANT_API,
  LISTS,
  TWO_MERCHANTS,
  ERRORS,
  WEBHOOKS,
  A_MINUTE_LATER,
];

/** Plays a frame and a merchant against a service and yields one result a rule, as they come. */
export async function* runCheck(
  options: ServiceOptions,
  chapters: readonly Chapter[] = [START, ...CHAPTERS],
): AsyncGenerator<RuleResult> {
  const service = new Service(options);
  let isStarted = true;
  const findObstacle = () => {
    if (service.isSilent) return 'The service does not respond any more.';
    return isStarted ? undefined : 'The first rule is not kept.';
  };
  const mask = (text: string) => service.mask(text);
  for await (const result of runRules(chapters, service, { findObstacle, mask })) {
    if (result.chapter === START.title && result.result !== 'ok') isStarted = false;
    yield result;
  }
}

/** Without this rule no other can be tried. */
export const START: Chapter = {
  title: 'The service',
  rules: [
    rule(
      'It responds, and knows the API token',
      'Only an API token opens this API',
      async (service) => {
        const answer = await service.list({});
        must(
          answer.status !== 401 && answer.status !== 403,
          `${answer.what}. Is this the API token of the merchant at this address (--token, --url)?`,
        );
      },
    ),
  ],
};
