import { expect } from '@open-wc/testing';
import {
  ATTEMPT_STATUSES,
  type Attempt,
  SESSION_STATUSES,
} from '@service-pay/contract/checkout-api';
import fc from 'fast-check';
import {
  buildAttempt,
  buildKnown,
  buildPrompt,
  buildSession,
  CARD,
} from '../test/stand-in-checkout.ts';
import {
  isAskedToStay,
  isFinal,
  isInFlight,
  type Known,
  moneyOf,
  type Service,
  screenOf,
  sentOf,
} from './payment-state.ts';
import { isLongWait, secondsLeft } from './waiting-state.ts';

const session = buildSession();
const withAttempt = (changes: Partial<Attempt>) =>
  buildKnown({ session: buildSession({ attempt: buildAttempt(changes) }) });
const rejected = (code: NonNullable<Service['rejection']>['code']) => ({
  rejection: { code, paths: [] },
});

/** Known facts, the screen they lead to, and the state of the money that the page gets. */
const TABLE: [what: string, known: Known, screen: string, money: string | undefined][] = [
  ['nothing yet', buildKnown(), 'loading', undefined],
  [
    'nothing yet, but this tab was here before',
    buildKnown({ visit: 'returning' }),
    'loading',
    'unknown',
  ],
  ['the service does not respond', buildKnown(rejected('not_known')), 'unreachable', undefined],
  [
    'the service does not respond to a tab that was here before',
    buildKnown({ ...rejected('not_known'), visit: 'returning' }),
    'unreachable',
    'unknown',
  ],
  ['the key is not known', buildKnown(rejected('not_authorized')), 'rejected', undefined],
  [
    'the key is not known any more while the prompt is open',
    buildKnown({
      session: buildSession({ attempt: buildPrompt() }),
      ...rejected('not_authorized'),
    }),
    'rejected',
    'unknown',
  ],
  [
    'the reference is used, for a tab that was here before (D19)',
    buildKnown({ ...rejected('reference_used'), visit: 'returning' }),
    'rejected',
    'none',
  ],
  [
    'the reference is used, for a tab that left it unconfirmed (D19, T118)',
    buildKnown({ ...rejected('reference_used'), visit: 'unconfirmed' }),
    'rejected',
    'unknown',
  ],
  [
    'a payment left unconfirmed, and no response yet (T118)',
    buildKnown({ visit: 'unconfirmed' }),
    'loading',
    'unknown',
  ],
  [
    'the key is not known, for a tab that was here before',
    buildKnown({ ...rejected('not_authorized'), visit: 'returning' }),
    'rejected',
    'unknown',
  ],
  ['an open session', buildKnown({ session }), 'form', 'none'],
  [
    'an open session of a payment left unconfirmed',
    buildKnown({ session, visit: 'unconfirmed' }),
    'form',
    'none',
  ],
  [
    'no channel is left',
    buildKnown({ session: buildSession({ channels: ['mobile-money'], networks: [] }) }),
    'rejected',
    'none',
  ],
  [
    'only a channel of tomorrow',
    buildKnown({ session: buildSession({ channels: ['carrier-pigeon'] }) }),
    'rejected',
    'none',
  ],
  [
    'an attempt on its way',
    buildKnown({ session }, { sending: { is: 'attempt', id: 'a', isUnsure: false } }),
    'form',
    'unknown',
  ],
  [
    'its response was lost (D14)',
    buildKnown({ session }, { sending: { is: 'attempt', id: 'a', isUnsure: true } }),
    'unsure',
    'unknown',
  ],
  ['the bank is working', withAttempt({}), 'confirming', 'unknown'],
  [
    'a challenge is open',
    withAttempt({ status: '3ds-auth-required', challengeUrl: '/c' }),
    'challenge',
    'unknown',
  ],
  [
    'a challenge of somebody else (T40)',
    withAttempt({ status: '3ds-auth-required', isYours: false }),
    'elsewhere',
    'unknown',
  ],
  ['a code is required', withAttempt({ status: 'otp-required' }), 'code', 'unknown'],
  [
    'a code is required of somebody else, which may be replaced (D25)',
    withAttempt({ status: 'otp-required', isYours: false }),
    'form',
    'unknown',
  ],
  [
    'the prompt is open',
    buildKnown({ session: buildSession({ attempt: buildPrompt() }) }),
    'prompt',
    'unknown',
  ],
  [
    'the prompt of a visit whose token was not kept (T33)',
    withAttempt({ status: 'pay-offline', isYours: false }),
    'prompt',
    'unknown',
  ],
  ['declined (D16)', withAttempt({ status: 'declined' }), 'form', 'none'],
  [
    'an attempt paid, the session not yet',
    withAttempt({ status: 'successful' }),
    'confirming',
    'unknown',
  ],
  [
    'an attempt status of tomorrow (D32)',
    withAttempt({ status: 'teleporting' }),
    'confirming',
    'unknown',
  ],
  [
    'a session status of tomorrow (D32)',
    buildKnown({ session: buildSession({ status: 'reviewing' }) }),
    'confirming',
    'unknown',
  ],
  [
    'the session is over',
    buildKnown({ session: buildSession({ status: 'failed' }) }),
    'over',
    'none',
  ],
  [
    'the session is over by a rejection',
    buildKnown({ session, ...rejected('reference_used') }),
    'over',
    'none',
  ],
  ['paid', buildKnown({ session: buildSession({ status: 'successful' }) }), 'success', 'paid'],
];

describe('payment state', () => {
  for (const [what, known, screen, money] of TABLE) {
    it(`the payment state, if ${what}: ${screen}, money ${money ?? 'as before'}`, () => {
      expect(screenOf(known)).to.equal(screen);
      expect(moneyOf(known)).to.equal(money);
    });
  }

  it('the payment state counts time left by the clock of the service, never below 0', () => {
    const at = (now: string) =>
      secondsLeft(buildKnown({ session: buildSession({ now, attempt: buildPrompt() }) }));
    expect(at('2026-11-20T10:00:00.000Z')).to.equal(180);
    expect(at('2026-11-20T10:02:59.001Z')).to.equal(1);
    expect(at('2026-11-20T11:00:00.000Z')).to.equal(0);
    expect(secondsLeft(buildKnown({ session }))).to.equal(undefined);
  });

  it('the payment state calls a wait long after 30 s of the clock of the service', () => {
    const waitingSince = Date.parse('2026-11-20T10:00:00.000Z');
    const isLongAt = (now: string) =>
      isLongWait(buildKnown({ session: buildSession({ now }), waitingSince }));
    expect(isLongAt('2026-11-20T10:00:29.999Z')).to.equal(false);
    expect(isLongAt('2026-11-20T10:00:30.000Z')).to.equal(true);
    expect(isLongWait(buildKnown({ session }))).to.equal(false);
  });

  it('the payment state holds to its laws whatever is known', () => {
    fc.assert(
      fc.property(anyKnown(), (known) => {
        const money = moneyOf(known);
        const screen = screenOf(known);

        expect(money === 'paid').to.equal(known.service.session?.status === 'successful');
        expect(screen === 'success').to.equal(money === 'paid');
        if (sentOf(known) && money !== 'paid') expect(money).to.equal('unknown');
        if (screen === 'over') expect(isInFlight(known)).to.equal(Boolean(sentOf(known)));
        if (isAskedToStay(known) && known.leaving === 'in-flight')
          expect(money).not.to.equal('none');
        if (known.service.session && !known.service.rejection && money === 'none')
          expect(isInFlight(known)).to.equal(false);
        if (isFinal(known)) expect(sentOf(known)).to.equal(undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});

function anyKnown(): fc.Arbitrary<Known> {
  const status = fc.constantFrom<string>(...SESSION_STATUSES, 'reviewing');
  const attempt = fc
    .record({
      status: fc.constantFrom<string>(...ATTEMPT_STATUSES, 'teleporting'),
      isYours: fc.boolean(),
    })
    .map(buildAttempt);
  const sending = fc.constantFrom<Known['sending'][]>(
    undefined,
    { is: 'held', attempt: CARD },
    { is: 'attempt', id: 'a', isUnsure: false },
    { is: 'attempt', id: 'a', isUnsure: true },
    { is: 'code', id: 'a' },
  );
  const id = 'attempt-1';
  const action = fc.constantFrom<Known['action'][]>(
    undefined,
    { is: 'withdrawing', id },
    { is: 'withdrawing', id, repeats: 'prompt' },
    { is: 'not-withdrawn', id },
    { is: 'another-way', id },
    { is: 'repeating', repeats: 'prompt' },
    { is: 'repeating', repeats: 'code' },
  );
  const service = fc.record(
    {
      session: fc.record({ status, attempt: fc.option(attempt) }).map(buildSession),
      rejection: fc.constantFrom(
        rejected('not_known').rejection,
        rejected('reference_used').rejection,
      ),
      visit: fc.constantFrom('first' as const, 'returning' as const, 'unconfirmed' as const),
    },
    { requiredKeys: [] },
  );
  const leaving = fc.constantFrom('in-flight' as const, 'typed' as const, undefined);
  return fc
    .tuple(service, fc.record({ sending, action, leaving }))
    .map(([service, others]) => buildKnown(service, others));
}
