import {
  type Card,
  type Session,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import { toCardAttempt } from '@service-pay/contract/typed-attempt';
import { must, mustMatch, NotTried } from '../must.ts';
import { dataOf, isOver, mustBeError, mustHaveHeaders, mustRejectField } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

const MOST_ATTEMPTS = 20;
const ADDRESS = ['streetAddress', 'city', 'postalCode', 'country'].map((each) => `billing.${each}`);

export const ATTEMPTS: Chapter = {
  title: 'Attempts',
  rules: [
    rule(
      'A card pays',
      'start an attempt under the `id` that the frame created',
      async (service) => {
        const { token } = await service.opened();
        const input = service.card('successful');
        dataOf(await service.startAttempt(token, input), sessionSchema);
        const session = await service.sessionUntil(token, ({ attempt }) => isOver(attempt));
        mustMatch('The session', session, { status: 'successful' });
        mustMatch('Its attempt', session.attempt!, {
          id: input.id,
          channel: 'card',
          status: 'successful',
          isYours: true,
        });
      },
    ),
    rule(
      'An attempt sent again under its id is not tried again',
      'If it is sent again, return the session and do not charge again.',
      async (service) => {
        const first = service.card('declined');
        const { visit, session } = await service.started(first, 'declined');
        const again = dataOf(await service.startAttempt(visit.token, first), sessionSchema);
        mustMatch('The session', again, { attemptsLeft: session.attemptsLeft });
        await service.attempted(visit, service.card('declined'), 'declined');
        const later = dataOf(await service.startAttempt(visit.token, first), sessionSchema);
        const attemptsLeft = session.attemptsLeft - 1;
        mustMatch('After another attempt, the session', later, { attemptsLeft });
      },
    ),
    rule(
      'Attempts that arrive together start once',
      'Both hold for calls that arrive at the same moment.',
      async (service) => {
        const { token, session } = await service.opened();
        const one = await service.phone('waits');
        const two = await service.phone('waits');
        await Promise.all([one, one, two, one].map((input) => service.startAttempt(token, input)));
        const after = await service.sessionUntil(token, ({ attempt }) => attempt !== null);
        mustMatch('The session', after, { attemptsLeft: session.attemptsLeft - 1 });
      },
    ),
    rule(
      'Only the newest token starts attempts',
      'Only the newest token starts attempts: reject an attempt with an older one with `401·09`',
      async (service) => {
        const request = service.newRequest();
        const older = await service.opened(request);
        const newest = await service.opened(request, older.token);
        if (newest.token === older.token) throw new NotTried('Both tokens are the same.', true);
        const input = service.card('successful');
        mustBeError(await service.startAttempt(older.token, input), '401·09');
        const session = dataOf(await service.readSession(newest.token), sessionSchema);
        mustMatch('After it was rejected, the session', session, { attempt: null });
        const again = dataOf(await service.startAttempt(newest.token, input), sessionSchema);
        mustMatch('Sent again with the newest token, its attempt', again.attempt ?? {}, {
          id: input.id,
        });
      },
    ),
    rule(
      'Older tokens still read the session',
      "Older tokens can still read the session and enter a code for their visitor's attempt.",
      async (service) => {
        const request = service.newRequest();
        const older = await service.opened(request);
        await service.opened(request, older.token);
        const session = dataOf(await service.readSession(older.token), sessionSchema);
        mustMatch('The session', session, { reference: request.reference });
      },
    ),
    rule(
      'Openings that arrive together open one session',
      'create the session of this merchant and reference, or return the existing one',
      async (service) => {
        const request = service.newRequest();
        const opened = await Promise.all([service.opened(request), service.opened(request)]);
        const seen = new Set<string | undefined>();
        for (const { token } of opened)
          await service.startAttempt(token, await service.phone('waits'));
        for (const { token } of opened)
          seen.add((await service.sessionUntil(token, () => true)).attempt?.id);
        must(seen.size === 1, 'The two tokens see different attempts.');
      },
    ),
    rule(
      'An attempt that arrives while another runs never starts',
      'If an attempt arrives while another runs, return the session and never start it, even if it is sent again.',
      async (service) => {
        const running = await service.phone('declined');
        const second = service.card('successful');
        const { token } = (await service.started(running, 'pay-offline')).visit;
        const passed = dataOf(await service.startAttempt(token, second), sessionSchema);
        mustMatch('Its attempt', passed.attempt ?? {}, { id: running.id });
        await service.sessionUntil(token, ({ attempt }) => isOver(attempt));
        const later = dataOf(await service.startAttempt(token, second), sessionSchema);
        mustMatch('Sent again later, its attempt', later.attempt ?? {}, { id: running.id });
      },
    ),
    rule(
      'Every opening shows the attempt that can still charge the customer',
      'a frame that opens the session sees every attempt that can still charge the customer.',
      async (service) => {
        const input = await service.phone('waits');
        const { request, visit } = await service.started(input, 'pay-offline');
        const again = dataOf(await service.openSession(request, visit.token), sessionGrantSchema);
        const attempt = again.session.attempt ?? {};
        mustMatch('Its attempt', attempt, { id: input.id, status: 'pay-offline', isYours: true });
      },
    ),
    rule(
      'A declined attempt leaves the session open',
      'A declined attempt is over, its session is not',
      async (service) => {
        const { token, session } = await service.opened();
        dataOf(await service.startAttempt(token, service.card('declined')), sessionSchema);
        const after = await service.sessionUntil(token, ({ attempt }) => isOver(attempt));
        mustMatch('The session', after, { status: 'open', attemptsLeft: session.attemptsLeft - 1 });
        mustMatch('Its attempt', after.attempt!, { status: 'declined' });
        must(after.attempt!.reasonForFailure !== null, 'The attempt has no reasonForFailure.');
      },
    ),
    rule(
      'A paid reference opens as paid and starts no attempt',
      'A paid reference opens as `successful` and takes no attempt (`400·04`).',
      async (service) => {
        const { request } = await service.started(service.card('successful'), 'successful');
        const grant = dataOf(await service.openSession(request), sessionGrantSchema);
        mustMatch('The session', grant.session, { status: 'successful' });
        must(Boolean(grant.session.completedAt), 'completedAt is null although it is paid.');
        mustBeError(await service.startAttempt(grant.token, service.card('successful')), '400·04');
      },
    ),
    rule(
      'A reference whose attempts are used up is over',
      'or whose session ended after an attempt, `400·04`',
      async (service) => {
        const { request, session } = await usedUp(service);
        mustMatch('Without attempts left, the session', session, { status: 'failed' });
        mustBeError(await service.openSession(request), '400·04');
      },
    ),
    rule(
      'A wrong card is rejected by its field',
      'an invalid field `400·01` with `data.problems`',
      async (service) => {
        const { token } = await service.opened();
        const { card, ...rest } = service.card('successful');
        const wrong = { ...rest, card: { ...card, number: '4242 4242 4242 4241' } };
        const response = await service.startAttempt(token, wrong);
        mustRejectField(response, 'card.number', ' for a wrong check digit');
      },
    ),
    rule(
      'A rejected attempt is not counted',
      '`attemptsLeft` counts down for attempts that started, also for cancelled ones, and not for one that you rejected with a 4xx.',
      async (service) => {
        const { token, session } = await service.opened();
        const { id, card } = service.card('successful');
        const wrong = { id, ...toCardAttempt({ ...card, number: '4242 4242 4242 4241' }) };
        const { status } = await service.startAttempt(token, wrong);
        if (status !== 400) throw new NotTried('A wrong card is not rejected.', true);
        const after = dataOf(await service.readSession(token), sessionSchema);
        mustMatch('The session', after, { attemptsLeft: session.attemptsLeft, attempt: null });
      },
    ),
    rule(
      'A card that needs an address asks for it',
      'one problem `billing-required` for each of `billing.streetAddress`, `.city`, `.postalCode` and `.country`',
      async (service) => {
        const { token } = await service.opened();
        const input = service.card('billingAddress');
        const response = await service.startAttempt(token, input);
        const problems = mustBeError(response, '400·01');
        const named = problems.filter(({ code }) => code === 'billing-required');
        const missing = ADDRESS.filter((field) => !named.some(({ path }) => path === field));
        must(!missing.length, `data.problems lacks billing-required for ${missing.join(', ')}.`);
        const again = { ...input, ...withAddress(input.card) };
        const session = dataOf(await service.startAttempt(token, again), sessionSchema);
        mustMatch('Sent again with the address, its attempt', session.attempt ?? {}, {
          id: input.id,
        });
      },
    ),
    rule(
      "The checkout page can frame the bank's page",
      "Send `Cross-Origin-Embedder-Policy: require-corp` with it, and `frame-ancestors` with `'self'` and the origins registered for the key",
      async (service) => {
        const { attempt } = await service.started(service.card('challenged'), '3ds-auth-required');
        must(attempt.challengeUrl !== null, 'The attempt has no challengeUrl.');
        const url = URL.parse(attempt.challengeUrl, service.options.url);
        must(url !== null, `challengeUrl is no address: ${attempt.challengeUrl}.`);
        const isOwn = url.origin === new URL(service.options.url).origin;
        must(isOwn, "challengeUrl is on another origin, which the frame's policy does not allow.");
        const page = await service.call('GET', url.pathname + url.search);
        must(page.status === 200, `${page.what.replace(url.pathname, 'the challengeUrl')}.`);
        const policy = page.headers.get('content-security-policy') ?? '';
        const ancestors = (/frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? '').split(' ');
        const { origin } = service.options;
        must(ancestors.includes("'self'"), "Its policy lacks frame-ancestors with 'self'.");
        must(
          ancestors.includes(origin) || ancestors.includes('*'),
          `Its policy lacks frame-ancestors with the shop's origin ${origin}.`,
        );
        mustHaveHeaders(page, { 'cross-origin-embedder-policy': 'require-corp' });
      },
    ),
  ],
};

/** Declines one attempt after another, until the session allows no more. */
export async function usedUp(service: Service) {
  const request = service.newRequest();
  const visit = await service.opened(request);
  let session: Session = visit.session;
  for (let sent = 0; session.status === 'open' && sent < MOST_ATTEMPTS; sent++)
    ({ session } = await service.attempted(visit, service.card('declined'), 'declined'));
  const { attemptsLeft } = session;
  must(session.status !== 'open' || attemptsLeft > 0, `attemptsLeft is ${attemptsLeft}.`);
  if (session.status === 'open')
    throw new NotTried(`A session allows more than ${MOST_ATTEMPTS} attempts.`);
  return { request, session };
}

function withAddress(card: Card) {
  return toCardAttempt(card, {
    streetAddress: '1 Cairo Road',
    city: 'Lusaka',
    state: '',
    postalCode: '10101',
    country: 'ZM',
  });
}
