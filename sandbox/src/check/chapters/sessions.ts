import {
  type Session,
  type SessionGrant,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import { extendSession, openSession } from '@service-pay/contract/checkout-calls';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { type CheckedResponse, dataOf, mustBeError, mustRejectField } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

/** The fields that a page may pass, but for currency and amount. */
const EVERY_FIELD = {
  label: 'Two loaves',
  bearer: 'merchant',
  channels: ['card', 'mobile-money'],
  customer: { firstName: 'Ada', lastName: 'Test', phone: '096 111 1111' },
  billing: { streetAddress: '1 Cairo Road', city: 'Lusaka', postalCode: '10101', country: 'ZM' },
  locale: 'fr',
};

const SHORTLY_MS = 10_000;

export const SESSIONS: Chapter = {
  title: 'Sessions',
  rules: [
    rule(
      'A payment opens with a token and a session',
      'create the session of this merchant and reference, or return the existing one',
      async (service) => {
        dataOf(await service.openSession(service.newRequest()), sessionGrantSchema);
      },
    ),
    rule(
      'A new session is open and has the terms that were sent',
      'Amounts are decimals with two places',
      async (service) => {
        const { currency } = (await service.opened()).session;
        const request = service.newRequest({ label: 'Two loaves', amount: 7.5, currency });
        const { session } = await service.opened(request);
        mustMatch('The new session', session, {
          reference: request.reference,
          currency,
          label: 'Two loaves',
          amount: '7.50',
          total: (7.5 + Number(session.fee)).toFixed(2),
          status: 'open',
          attempt: null,
        });
      },
    ),
    rule(
      'A payment with every field that a page may pass opens',
      'Accept every field of a payment request, even if you do not use it.',
      async (service) => {
        await service.opened();
        dataOf(await service.openSession(service.newRequest(EVERY_FIELD)), sessionGrantSchema);
      },
    ),
    rule(
      'An amount with fewer decimals is the same amount',
      '`10.7` is `10.70`',
      async (service) => {
        await service.opened();
        const request = { ...service.newRequest(), amount: '10.7' };
        const grant = dataOf(await service.openSession(request), sessionGrantSchema);
        mustMatch('The session of "10.7"', grant.session, { amount: '10.70' });
        const again = { ...request, amount: '10.70' };
        const { session } = dataOf(
          await service.openSession(again, grant.token),
          sessionGrantSchema,
        );
        mustMatch('Opened again as "10.70", the session', session, { amount: '10.70' });
      },
    ),
    rule(
      'An amount that no customer can pay is rejected',
      'an amount must be above 0 with at most two decimals',
      async (service) => {
        for (const amount of ['-5.00', '-5', '0.00', '10.123456']) {
          const response = await service.openSession({ ...service.newRequest(), amount });
          mustRejectField(response, 'amount', ` for the amount ${amount}`);
        }
      },
    ),
    rule(
      'A currency in small letters is rejected',
      'a currency has three capital letters',
      async (service) => {
        const { session } = await service.opened();
        const currency = session.currency.toLowerCase();
        const response = await service.openSession({ ...service.newRequest(), currency });
        mustRejectField(response, 'currency', ` for ${currency}`);
      },
    ),
    rule(
      'GET /current returns the session of the token',
      'return the session. Called every second during an attempt',
      async (service) => {
        const request = service.newRequest();
        const { token } = await service.opened(request);
        const session = dataOf(await service.readSession(token), sessionSchema);
        mustMatch('The session', session, { reference: request.reference, status: 'open' });
      },
    ),
    rule(
      'A new visitor gets 201, one who returns 200',
      'with 201 for a new visitor and 200 for one who presents a token of this session',
      async (service) => {
        const request = service.newRequest();
        const first = await prepare(() => service.openSession(request));
        const { token } = await prepare(async () => dataOf(first, sessionGrantSchema));
        const again = await service.openSession(request, token);
        must(again.status === 200, `${again.what} for a token of this session, expected 200.`);
        must(first.status === 201, `${first.what} for a new visitor, expected 201.`);
      },
    ),
    rule(
      'Each opening has a new token',
      'Each `POST` returns a token that was never issued before, also to returning visitors.',
      async (service) => {
        const request = service.newRequest();
        const first = await service.opened(request);
        const second = await service.opened(request, first.token);
        const third = await service.opened(request, second.token);
        const tokens = new Set([first.token, second.token, third.token]);
        must(tokens.size === 3, 'A token was issued twice.');
      },
    ),
    rule(
      'The clock of now runs, and expiresAt stays',
      '**Return your clock as `now`.**',
      async (service) => {
        const { token, session } = await service.opened();
        must(lengthOf(session) > 0, 'A new session expires before now.');
        await service.options.sleep(1_100);
        const later = dataOf(await service.readSession(token), sessionSchema);
        must(Date.parse(later.now) > Date.parse(session.now), 'now is the same a second later.');
        mustMatch('The session', later, { expiresAt: session.expiresAt });
      },
    ),
    rule(
      'A reference that nobody tried can be opened again',
      '**Let a reference that nobody tried be opened again, at any time.**',
      async (service) => {
        const request = service.newRequest();
        await service.opened(request);
        const { session } = dataOf(await service.openSession(request), sessionGrantSchema);
        mustMatch('The session', session, { status: 'open' });
      },
    ),
    rule(
      'It can be opened again after its session has ended',
      'If a session ends before the first attempt, open a new one for the same reference, amount and currency.',
      async (service) => {
        const request = service.newRequest();
        const { token, session } = await service.opened(request);
        service.needsPatience('The end of a session', lengthOf(session));
        await service.sessionUntil(token, ({ status }) => status === 'failed');
        const again = dataOf(await service.openSession(request), sessionGrantSchema).session;
        mustMatch('The session', again, { status: 'open' });
      },
    ),
    rule(
      'An attempt that runs when the time of its session is over still counts',
      'If its time is over while an attempt runs, it stays `open` until that attempt has ended, and the result counts.',
      async (service) => {
        const input = await service.phone('waits');
        const { token, session } = await service.opened();
        service.needsPatience('The end of a session', lengthOf(session));
        await service.options.sleep(lengthOf(session) - SHORTLY_MS);
        await prepare(async () => dataOf(await service.startAttempt(token, input), sessionSchema));
        await service.options.sleep(2 * SHORTLY_MS);
        const later = dataOf(await service.readSession(token), sessionSchema);
        mustMatch('After its time, the session', later, { status: 'open' });
        mustMatch('Its attempt', later.attempt ?? {}, { id: input.id, status: 'pay-offline' });
      },
    ),
    rule(
      'A reference with another amount is rejected',
      'a reference used with another amount, or whose session ended after an attempt, `400·04`',
      async (service) => {
        const request = service.newRequest();
        await service.opened(request);
        mustBeError(await service.openSession({ ...request, amount: '11.00' }), '400·04');
      },
    ),
    rule('An unknown key is rejected', 'an unknown key is `401·09`', async (service) => {
      const request = { ...service.newRequest(), key: 'pub_unknown_key_of_the_check' };
      mustBeError(await service.openSession(request), '401·09');
    }),
    rule(
      'Pages of other origins open nothing',
      "a request with an `Origin` other than the service's own, the shop's included, `401·13`",
      async (service) => {
        for (const Origin of ['https://foreign.example', service.options.origin, 'null']) {
          const headers = { Origin, 'Sec-Fetch-Site': 'cross-site' };
          const call = openSession(service.newRequest());
          mustBeError(await service.send(call, undefined, headers), '401·13');
        }
      },
    ),
    rule(
      'An invalid field is rejected by its name',
      'an invalid field `400·01` with `data.problems`',
      async (service) => {
        const request = { ...service.newRequest(), email: 'not an address' };
        mustRejectField(await service.openSession(request), 'email', ' for one without @');
      },
    ),
    rule(
      'The other calls require a token of the session',
      "All calls but the first require the session's token as `Authorization: Bearer <token>`.",
      async (service) => {
        mustBeError(await service.readSession(undefined), '401·09');
        mustBeError(await service.readSession('not-a-token'), '401·09');
      },
    ),
    rule(
      'The customer can extend an open session',
      'If you do not support this, omit `extensionsLeft` from sessions',
      async (service) => {
        const grant = await openedWithExtensions(service);
        const session = dataOf(await extend(service, grant), sessionSchema);
        mustMatch('The session', session, { status: 'open' });
      },
    ),
    rule(
      'An extension restarts the time limit',
      "restart the session's time limit, once less than half of it is left",
      async (service) => {
        const grant = await openedWithExtensions(service);
        const fullMs = lengthOf(grant.session);
        service.needsPatience('Half of a session', fullMs / 2);
        await service.sessionUntil(grant.token, (session) => lengthOf(session) < fullMs / 2);
        const extended = await prepare(async () =>
          dataOf(await extend(service, grant), sessionSchema),
        );
        must(lengthOf(extended) > fullMs * 0.9, 'The session then has less than its full time.');
      },
    ),
  ],
};

async function openedWithExtensions(service: Service): Promise<SessionGrant> {
  const grant = await service.opened();
  if (grant.session.extensionsLeft !== undefined) return grant;
  throw new NotTried('Sessions have no extensionsLeft: this service has no extensions.');
}

function extend(service: Service, { token }: SessionGrant): Promise<CheckedResponse> {
  return service.send(extendSession(), token);
}

function lengthOf({ now, expiresAt }: Session): number {
  return Date.parse(expiresAt) - Date.parse(now);
}
