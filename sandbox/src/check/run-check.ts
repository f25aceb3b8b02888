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
import { NoResponse } from './no-response.ts';
import { type CheckedResponse, sayOf } from './responses.ts';
import { type Chapter, rule } from './rule.ts';
import { type RuleResult, runRules } from './run-rules.ts';
import { type Credentials, Service, type ServiceOptions } from './service.ts';

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
  let obstacle: string | undefined;
  const findObstacle = () =>
    obstacle ?? (service.isSilent ? 'The service does not respond any more.' : undefined);
  const mask = (text: string) => service.mask(text);
  for await (const result of runRules(chapters, service, { findObstacle, mask })) {
    if (result.chapter === START.title && result.result !== 'ok') obstacle = result.reason;
    yield result;
  }
}

/** Without these rules no other can be tried. */
export const START: Chapter = {
  title: 'The service',
  rules: [
    rule('It responds', '', async (service) => {
      try {
        await mustRespondWithJson(service);
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        throw new NoResponse(`${error.message} Start the service, or correct --url.`);
      }
    }),
    rule('It knows the API token', 'Only an API token opens this API', async (service) => {
      for (const [{ token }, flag] of credentialsOf(service))
        mustBeAllowed(
          await service.list({}, token),
          `the API token of the merchant (${flag}token)`,
        );
    }),
    rule('It knows the public key', 'an unknown key is `401·09`', async (service) => {
      for (const [{ key }, flag] of credentialsOf(service)) {
        const response = await service.openSession(service.newRequest({ key }));
        mustBeAllowed(response, `the public key of the merchant (${flag}key)`);
      }
    }),
  ],
};

/** Throws `RuleBroken` if neither API responds with JSON, as at the address of a website. */
async function mustRespondWithJson(service: Service): Promise<void> {
  const list = await service.list({});
  const isJson =
    list.json !== undefined || (await service.readSession(undefined)).json !== undefined;
  must(isJson, `${list.what} is not JSON. Is a payment service at this address (--url)?`);
}

function credentialsOf({ options }: Service): [Credentials, string][] {
  const { other } = options;
  return [[options, '--'], ...(other ? ([[other, '--other-']] as [[Credentials, string]]) : [])];
}

function mustBeAllowed(response: CheckedResponse, what: string): void {
  const isAllowed = response.status !== 401 && response.status !== 403;
  must(isAllowed, `${sayOf(response)}. Is this ${what} at this address (--url)?`);
}
