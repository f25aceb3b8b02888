import { type Attempt, type Session, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';

import {
  buildAttempt,
  buildPrompt,
  buildSession,
  failure,
  NETWORKS,
} from '../checkout/test/stand-in-checkout.ts';
import type { Messages } from '../inline/messages.ts';
import { type Scene, SILENCE, type Stage } from './stage.ts';

export type State = { title: string } & ({ frame: Scene } | { page: 'skeleton' | keyof Messages });

const LONG_NAME =
  'Mwamba & Daughters General Dealers, Agricultural Supplies and Building Materials (Kabwe, Great North Road)';

const SEND_AGAIN_MS = 70_000;

const declined = (reasonForFailure: string | null, changes: Partial<Attempt> = {}): Session =>
  buildSession({
    attempt: buildAttempt({ status: 'declined', reasonForFailure, ...changes }),
    attemptsLeft: 4,
  });

const codeRequired = (codesLeft: number, now?: string): Session =>
  buildSession({
    attempt: buildPrompt({
      status: 'otp-required',
      codesLeft,
      expiresAt: '2026-11-20T10:05:00.000Z',
    }),
    ...(now && { now }),
  });

const challenge: Partial<Session> = {
  attempt: buildAttempt({
    status: '3ds-auth-required',
    challengeUrl: 'bank.html',
    card: { brand: 'visa', lastDigits: '3220' },
  }),
};
const prompt: Partial<Session> = { attempt: buildPrompt(), now: '2026-11-20T10:00:18.000Z' };

/** The networks as in the sandbox, whose customers can dial a code. */
const DIALLED = NETWORKS.map((network) => ({ ...network, dialCode: '*000#' }));

/** A number is typed whose network has trouble. */
const withNotice = (notice: 'slow' | 'down'): Scene => ({
  session: { networks: NETWORKS.map((network) => ({ ...network, notice })) },
  customer: (stage) => stage.typePhone('096 111 1111'),
});

/** Pays by phone and waits. Only a frame that knows the number can send the request again. */
async function waitForPhone(stage: Stage, seconds: number): Promise<void> {
  await stage.payByPhone(buildSession(prompt));
  const now = `2026-11-20T10:00:${18 + seconds}.000Z`;
  stage.checkout.responses.look.push(buildSession({ ...prompt, now }));
  await stage.clock.advance(2_000);
}
const paid: Partial<Session> = {
  status: 'successful',
  reference: 'shop-mwscgcxbTw3vYz0aKqLmN8oP',
  attempt: buildAttempt({ status: 'successful', card: { brand: 'visa', lastDigits: '4242' } }),
};
const working: Partial<Session> = { attempt: buildAttempt() };

const rejected =
  (...reason: Parameters<typeof failure>): NonNullable<Scene['service']> =>
  ({ responses }) =>
    void responses.open.push(failure(...reason));
const unreachable: Scene['service'] = ({ responses }) =>
  void responses.open.push(failure('not_known'), failure('not_known'));
const cut: Scene['service'] = ({ responses }) =>
  void responses.look.push(failure('not_known'), failure('not_known'));

const leave = async ({ app }: Stage) => app.leave('close');

export const STATES: Readonly<Record<string, State>> = {
  loading: { title: 'Loading', page: 'skeleton' },
  'loading-long': { title: 'Loading: taking long', page: 'loading' },
  'loading-slow': { title: 'Loading: slow connection', page: 'slowLoading' },
  'card-empty': { title: 'Card: empty', frame: {} },
  'language-offered': { title: 'Card: the browser’s language offered', frame: { offered: 'sw' } },
  'card-filling': {
    title: 'Card: brand found',
    frame: { customer: (stage) => stage.type('cardNumber', '4242 4242 42') },
  },
  'card-errors': {
    title: 'Card: with errors',
    frame: {
      async customer(stage) {
        await stage.type('cardNumber', '4242 4242 4242 4241');
        await stage.type('expiryDate', '01/20');
        await stage.type('securityCode', '12');
        await stage.pressMain();
      },
    },
  },
  'card-sending': {
    title: 'Card: sending',
    frame: { customer: (stage) => stage.payByCard(SILENCE) },
  },
  'card-sending-long': {
    title: 'Card: sending takes long',
    frame: {
      async customer(stage) {
        await stage.payByCard(SILENCE);
        await stage.clock.advance(5_000);
      },
    },
  },
  'card-declined': {
    title: 'Card: declined',
    frame: { customer: (stage) => stage.payByCard(declined('Card declined')) },
  },
  'card-brand': {
    title: 'Card: brand not accepted',
    frame: {
      session: { merchant: { cardBrands: ['visa', 'mastercard'] } },
      async customer(stage) {
        await stage.type('cardNumber', '3');
        await stage.type('cardNumber', '3782 8');
      },
    },
  },
  'card-offline': {
    title: 'Card: offline before anything was sent',
    frame: { customer: (stage) => stage.offline(() => stage.payByCard(SILENCE)) },
  },
  'test-numbers': {
    title: 'Card: test numbers',
    frame: { customer: (stage) => stage.openTestNumbers() },
  },
  'card-not-taken': {
    title: 'Card: rejected by the service',
    frame: {
      customer: (stage) =>
        stage.payByCard(failure('invalid', { path: 'card.number', code: 'card-not-a-test-card' })),
    },
  },
  'billing-required': {
    title: 'Card: billing address required',
    frame: {
      customer: (stage) =>
        stage.payByCard(
          failure(
            'invalid',
            ...['streetAddress', 'city', 'postalCode', 'country'].map((field) => ({
              path: `billing.${field}`,
              code: 'billing-required',
            })),
          ),
        ),
    },
  },
  'form-rejected': {
    title: 'Card: could not be sent',
    frame: { customer: (stage) => stage.payByCard(failure('rejected')) },
  },
  'not-arrived': {
    title: 'Card: never reached the service',
    frame: {
      service: ({ responses }) =>
        void responses.submit.push(...Array.from({ length: 30 }, () => failure('not_known'))),
      async customer(stage) {
        await stage.payByCard(failure('not_known'));
        await stage.clock.advance(SEND_AGAIN_MS);
      },
    },
  },
  'declined-elsewhere': {
    title: 'Declined: somebody else’s try',
    frame: { session: declined(null, { isYours: false }) },
  },
  challenge: { title: 'Challenge', frame: { session: challenge } },
  'challenge-cut': {
    title: 'Challenge: connection cut',
    frame: { session: challenge, service: cut },
  },
  confirming: { title: 'The bank is working', frame: { session: working } },
  'confirming-long': {
    title: 'The bank is working: taking long',
    frame: {
      session: working,
      service: ({ responses }) =>
        void responses.look.push(buildSession({ ...working, now: '2026-11-20T10:00:55.000Z' })),
    },
  },

  'mobile-money-empty': {
    title: 'Mobile money: empty',
    frame: { customer: (stage) => stage.chooseMobileMoney() },
  },
  'network-found': {
    title: 'Mobile money: network found from number',
    frame: { customer: (stage) => stage.typePhone('096 111') },
  },
  'network-other': {
    title: 'Mobile money: number of another network',
    frame: {
      async customer(stage) {
        await stage.chooseMobileMoney();
        await stage.press('Zamtel');
        await stage.type('phoneNumber', '096 111 1111');
      },
    },
  },
  'number-of-another-country': {
    title: 'Mobile money: number of another country',
    frame: { customer: (stage) => stage.typePhone('+1 202 555 0100') },
  },
  'network-slow': {
    title: 'Mobile money: network slow',
    frame: withNotice('slow'),
  },
  'network-down': {
    title: 'Mobile money: network down',
    frame: withNotice('down'),
  },
  'mobile-money-errors': {
    title: 'Mobile money: with errors',
    frame: {
      async customer(stage) {
        await stage.chooseMobileMoney();
        await stage.pressMain();
      },
    },
  },
  'mobile-money-sending': {
    title: 'Mobile money: sending',
    frame: { customer: (stage) => stage.payByPhone(SILENCE) },
  },
  'mobile-money-declined': {
    title: 'Mobile money: declined',
    frame: {
      customer: (stage) =>
        stage.payByPhone(declined('Not enough funds', { channel: 'mobile-money' })),
    },
  },
  'code-required': { title: 'Code required', frame: { session: codeRequired(3) } },
  'code-may-send-again': {
    title: 'Code required: may be sent again',
    frame: {
      async customer(stage) {
        await stage.payByPhone(codeRequired(3));
        stage.checkout.responses.look.push(codeRequired(3, '2026-11-20T10:00:30.000Z'));
        await stage.clock.advance(2_000);
      },
    },
  },
  'code-wrong': {
    title: 'Code wrong',
    frame: {
      session: codeRequired(3),
      customer: (stage) => stage.sendCode('111111', codeRequired(2)),
    },
  },
  'code-sending': {
    title: 'Code: sending',
    frame: { session: codeRequired(3), customer: (stage) => stage.sendCode('000000', SILENCE) },
  },
  'code-sending-long': {
    title: 'Code: sending takes long',
    frame: {
      session: codeRequired(3),
      async customer(stage) {
        await stage.sendCode('000000', SILENCE);
        await stage.clock.advance(5_000);
      },
    },
  },
  'waiting-for-phone': {
    title: 'Waiting for the phone',
    frame: {
      session: { networks: DIALLED },
      customer: (stage) => stage.payByPhone(buildSession({ ...prompt, networks: DIALLED })),
    },
  },
  'may-send-again': {
    title: 'Waiting for the phone: may be sent again',
    frame: { customer: (stage) => waitForPhone(stage, 20) },
  },
  'sending-again': {
    title: 'Waiting for the phone: sending the request again',
    frame: {
      async customer(stage) {
        await waitForPhone(stage, 20);
        stage.checkout.responses.withdraw.push(SILENCE);
        await stage.pressMain();
      },
    },
  },
  'sent-again': {
    title: 'Waiting for the phone: sent again just now',
    frame: {
      async customer(stage) {
        await waitForPhone(stage, 20);
        const { responses } = stage.checkout;
        const withdrawn = { status: 'declined', reasonForFailure: WITHDRAWN_REASON };
        responses.withdraw.push(buildSession({ attempt: buildPrompt(withdrawn) }));
        responses.submit.push(buildSession(prompt));
        await stage.pressMain();
      },
    },
  },
  'not-sent-again': {
    title: 'Waiting for the phone: offline at Send the request again',
    frame: {
      async customer(stage) {
        await waitForPhone(stage, 20);
        await stage.offline(() => stage.pressMain());
      },
    },
  },
  'taking-long': {
    title: 'Waiting for the phone: taking long',
    frame: { customer: (stage) => waitForPhone(stage, 30) },
  },
  'waiting-after-reload': {
    title: 'Waiting for the phone: after a reload',
    frame: { session: prompt },
  },
  'waiting-cut': {
    title: 'Waiting for the phone: connection cut',
    frame: { session: prompt, service: cut },
  },
  withdrawing: {
    title: 'Waiting for the phone: being withdrawn',
    frame: {
      session: prompt,
      service: ({ responses }) => void responses.withdraw.push(SILENCE),
      customer: (stage) => stage.pressMain(),
    },
  },
  withdrawn: {
    title: 'Withdrawn: the form again',
    frame: {
      session: declined(WITHDRAWN_REASON, {
        channel: 'mobile-money',
        prompt: buildPrompt().prompt,
      }),
    },
  },
  'not-withdrawn': {
    title: 'Not withdrawn: to be declined on the phone',
    frame: { session: { ...prompt, attempt: buildPrompt({ withdrawable: false }) } },
  },
  'waiting-for-another-phone': {
    title: 'Waiting for the phone of another visit',
    frame: { session: { ...prompt, attempt: buildPrompt({ isYours: false, prompt: null }) } },
  },
  elsewhere: {
    title: 'Under way in another window',
    frame: { session: { attempt: buildAttempt({ status: '3ds-auth-required', isYours: false }) } },
  },
  unsure: {
    title: 'Unsure: the response was lost',
    frame: { customer: (stage) => stage.payByCard(failure('not_known')) },
  },
  'leaving-typed': {
    title: 'Leaving a typed form',
    frame: {
      async customer(stage) {
        await stage.type('cardNumber', '4242');
        await leave(stage);
      },
    },
  },
  'leaving-challenge': {
    title: 'Leaving the challenge',
    frame: { session: challenge, customer: leave },
  },
  'leaving-code': {
    title: 'Leaving the code',
    frame: { session: codeRequired(3), customer: leave },
  },
  'leaving-prompt': {
    title: 'Leaving the prompt',
    frame: { session: prompt, customer: leave },
  },
  'leaving-unsure': {
    title: 'Leaving while unsure',
    frame: { session: working, customer: leave },
  },

  confirmed: {
    title: 'Confirmed',
    frame: { customer: (stage) => stage.payByCard(buildSession(paid)) },
  },
  'confirmed-by-phone': {
    title: 'Confirmed: paid by mobile money',
    frame: {
      customer: (stage) =>
        stage.payByPhone(
          buildSession({
            ...paid,
            attempt: buildPrompt({ status: 'successful', expiresAt: null }),
          }),
        ),
    },
  },
  'already-paid': { title: 'Already paid', frame: { session: { ...paid, attempt: null } } },
  'time-short': {
    title: 'Session nearly over',
    frame: { session: { now: '2026-11-20T10:28:30.000Z', extensionsLeft: 3 } },
  },
  'time-short-at-last': {
    title: 'Session nearly over, and no more time to be had',
    frame: { session: { now: '2026-11-20T10:28:30.000Z', extensionsLeft: 0 } },
  },
  'time-over': {
    title: 'Session over: no time left',
    frame: { session: { status: 'failed', attemptsLeft: 2 } },
  },
  'attempts-over': {
    title: 'Session over: no tries left',
    frame: { session: { status: 'failed', attemptsLeft: 0, reasonForFailure: 'Not enough funds' } },
  },
  'reference-used': { title: 'Reference used', frame: { service: rejected('reference_used') } },
  'rejected-again': {
    title: 'Key not known after a reload',
    frame: {
      service(checkout) {
        checkout.isReturning = true;
        checkout.responses.open.push(failure('not_authorized'));
      },
    },
  },
  'key-unknown': {
    title: 'Key not known',
    frame: { service: rejected('not_authorized'), isStranger: true },
  },
  'page-unknown': { title: 'Page not known', frame: { service: rejected('denied') } },
  'request-rejected': { title: 'Request rejected', frame: { service: rejected('rejected') } },
  'no-channel': {
    title: 'No channel left',
    frame: { session: { channels: ['mobile-money'], networks: [] } },
  },
  unreachable: { title: 'Service unreachable', frame: { service: unreachable } },
  'unreachable-again': {
    title: 'Service unreachable after a reload',
    frame: {
      service(checkout) {
        checkout.isReturning = true;
        checkout.responses.open.push(failure('not_known'), failure('not_known'));
      },
    },
  },
  'loading-again': {
    title: 'Loading again after “Try again”',
    frame: {
      service: unreachable,
      async customer(stage) {
        stage.checkout.responses.open.push(SILENCE);
        await stage.pressMain();
      },
    },
  },

  'fee-on-top': {
    title: 'Fee borne by the customer',
    frame: { session: { bearer: 'customer', fee: '0.25', total: '10.25' } },
  },
  'single-channel': {
    title: 'One channel: card',
    frame: { session: { channels: ['card'], networks: [] } },
  },
  'single-network': {
    title: 'One channel: mobile money',
    frame: { session: { channels: ['mobile-money'], networks: NETWORKS.slice(0, 1) } },
  },
  live: {
    title: 'Not a test',
    frame: { session: { isTest: false } },
  },
  'no-label': { title: 'No label', frame: { request: { label: '' } } },
  'large-amount': {
    title: 'A very large amount',
    frame: {
      request: { amount: '123456789012.50' },
      session: {
        amount: '123456789012.50',
        fee: '3086419725.31',
        total: '126543208737.81',
        bearer: 'customer',
      },
    },
  },
  'long-label': {
    title: 'Very long names',
    frame: { request: { label: LONG_NAME }, session: { merchantName: LONG_NAME } },
  },
  'markup-in-names': {
    title: 'Markup and mixed directions in names',
    frame: {
      request: { label: '<b>Sale</b> \u202emoc.elpmaxe\u202c سوق \u{1f96d} &amp; "co"' },
      session: { merchantName: '<img src=x onerror=alert(1)> متجر Lusaka' },
    },
  },

  offline: { title: 'Page’s side: offline', page: 'offline' },
  'not-reached': { title: 'Page’s side: service unreachable', page: 'unreachable' },
  failing: { title: 'Page’s side: service at fault', page: 'failing' },
  slow: { title: 'Page’s side: slow', page: 'slow' },
  blocked: { title: 'Page’s side: blocked by the page', page: 'policy' },
  'frame-rejected': { title: 'Page’s side: not opened', page: 'refused' },
  outdated: { title: 'Page’s side: script too old', page: 'outdated' },
  stopped: { title: 'Page’s side: frame stopped', page: 'stopped' },
  unconfirmed: { title: 'Page’s side: lost while confirming', page: 'unconfirmed' },
  'prepare-failed': { title: 'Page’s side: prepare failed', page: 'prepareFailed' },
};
