import {
  CHECKOUT_PATHS,
  type CreateAttempt,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import { must, mustMatch, prepare } from '../must.ts';
import { dataOf, mustBeError } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

/** 128 random bits in base64url. */
const SHORTEST_TOKEN = 22;
/** Two random tokens differ in nearly every place; those that count up, in the last few. */
const FEWEST_DIFFERENT = 12;
const HIDDEN = 'For them, `isYours` is false, and prompt, challenge, card and reason are null.';

export const VISITORS: Chapter = {
  title: 'Tokens and visitors',
  rules: [
    rule(
      'Nobody can guess the token of a session',
      'It has at least 128 random bits',
      async (service) => {
        const tokens: string[] = [];
        for (let count = 0; count < 4; count++) tokens.push((await service.opened()).token);
        const shortest = Math.min(...tokens.map(({ length }) => length));
        must(
          shortest >= SHORTEST_TOKEN,
          `A token has ${shortest} characters, expected ${SHORTEST_TOKEN} or more.`,
        );
        const fewest = Math.min(
          ...tokens.flatMap((one, at) => tokens.slice(at + 1).map((two) => differences(one, two))),
        );
        must(
          fewest >= FEWEST_DIFFERENT,
          `Two tokens differ in only ${fewest} characters: they seem to count up.`,
        );
      },
    ),
    rule(
      'A token in the address opens nothing',
      'Accept the token in this header only, because addresses end up in logs.',
      async (service) => {
        const { token } = await service.opened();
        for (const name of ['token', 'access_token', 'session', 'authorization']) {
          const query = new URLSearchParams({ [name]: token });
          const response = await service.call('GET', `${CHECKOUT_PATHS.session}?${query}`);
          mustBeError(response, '401·09', ` with the token as ?${name}= in the address`);
        }
      },
    ),
    rule('Another visitor does not see a request on a phone', HIDDEN, async (service) =>
      mustBeHidden(service, await service.phone('waits'), 'pay-offline'),
    ),
    rule('Another visitor does not see a declined card, or why', HIDDEN, (service) =>
      mustBeHidden(service, service.card('declined'), 'declined'),
    ),
    rule("Another visitor does not see the bank's page", HIDDEN, (service) =>
      mustBeHidden(service, service.card('challenged'), '3ds-auth-required'),
    ),
  ],
};

/** Throws `RuleBroken` if a second visitor of the payment sees what the first one typed. */
async function mustBeHidden(service: Service, input: CreateAttempt, status: string): Promise<void> {
  const { request } = await service.started(input, status);
  const stranger = await prepare(async () =>
    dataOf(await service.openSession(request), sessionGrantSchema),
  );
  const read = dataOf(await service.readSession(stranger.token), sessionSchema);
  for (const [where, { attempt }] of [
    ['opens', stranger.session],
    ['reads', read],
  ] as const) {
    const what = `For another visitor who ${where} the session, the attempt`;
    mustMatch(what, attempt ?? {}, {
      isYours: false,
      prompt: null,
      challengeUrl: null,
      reasonForFailure: null,
    });
    must(!attempt?.card, `${what} has a card.`);
  }
}

function differences(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  return Array.from({ length: longest }).filter((_, at) => one[at] !== other[at]).length;
}
