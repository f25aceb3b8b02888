import { expect } from '@open-wc/testing';
import {
  ATTEMPT_STATUSES,
  type Attempt,
  SESSION_STATUSES,
} from '@service-pay/contract/checkout-api';
import fc from 'fast-check';
import { buildAttempt, buildPrompt, buildSession } from '../test/stand-in-checkout.ts';
import { isAskedToStay, isFinal, isOut, type Known, moneyOf, screenOf } from './payment-state.ts';
import { isLongWait, secondsLeft } from './waiting-state.ts';

const session = buildSession();
const withAttempt = (changes: Partial<Attempt>): Known => ({
  session: buildSession({ attempt: buildAttempt(changes) }),
});
const refused = (code: NonNullable<Known['refusal']>['code']) => ({ refusal: { code, paths: [] } });

/** Known facts, the screen they lead to, and what the page is told of the money. */
const TABLE: [what: string, known: Known, screen: string, money: string | undefined][] = [
  ['nothing yet', {}, 'loading', undefined],
  ['nothing yet, but this tab was here before', { isReturning: true }, 'loading', 'unknown'],
  ['nobody answers', refused('not_known'), 'unreachable', undefined],
  [
    'nobody answers a tab that was here before',
    { ...refused('not_known'), isReturning: true },
    'unreachable',
    'unknown',
  ],
  ['the key is not known', refused('not_authorized'), 'refused', undefined],
  [
    'the key is not known any more while the prompt is out',
    { session: buildSession({ attempt: buildPrompt() }), ...refused('not_authorized') },
    'refused',
    'unknown',
  ],
  [
    'the reference is used, for a tab that was here before (D19)',
    { ...refused('reference_used'), isReturning: true },
    'refused',
    'none',
  ],
  [
    'the reference is used, for a tab that left it unconfirmed (D19, T118)',
    { ...refused('reference_used'), isUnconfirmed: true },
    'refused',
    'unknown',
  ],
  [
    'a payment left unconfirmed, and no answer yet (T118)',
    { isReturning: true, isUnconfirmed: true },
    'loading',
    'unknown',
  ],
  [
    'the key is not known, for a tab that was here before',
    { ...refused('not_authorized'), isReturning: true },
    'refused',
    'unknown',
  ],
  ['an open session', { session }, 'form', 'none'],
  [
    'an open session of a payment left unconfirmed',
    { session, isUnconfirmed: true },
    'form',
    'none',
  ],
  [
    'no channel is left',
    { session: buildSession({ channels: ['mobile-money'], networks: [] }) },
    'refused',
    'none',
  ],
  [
    'only a channel of tomorrow',
    { session: buildSession({ channels: ['carrier-pigeon'] }) },
    'refused',
    'none',
  ],
  ['an attempt on its way', { session, sending: { id: 'a', isUnsure: false } }, 'form', 'unknown'],
  [
    'its answer was lost (D14)',
    { session, sending: { id: 'a', isUnsure: true } },
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
  ['a code is asked for', withAttempt({ status: 'otp-required' }), 'code', 'unknown'],
  [
    'somebody else is asked for a code, which may be replaced (D25)',
    withAttempt({ status: 'otp-required', isYours: false }),
    'form',
    'unknown',
  ],
  ['the prompt is out', { session: buildSession({ attempt: buildPrompt() }) }, 'prompt', 'unknown'],
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
    { session: buildSession({ status: 'reviewing' }) },
    'confirming',
    'unknown',
  ],
  ['the session is over', { session: buildSession({ status: 'failed' }) }, 'over', 'none'],
  ['the session is over by a refusal', { session, ...refused('reference_used') }, 'over', 'none'],
  ['paid', { session: buildSession({ status: 'successful' }) }, 'success', 'paid'],
];

describe('payment state', () => {
  for (const [what, known, screen, money] of TABLE) {
    it(`${what}: ${screen}, money ${money ?? 'as before'}`, () => {
      expect(screenOf(known)).to.equal(screen);
      expect(moneyOf(known)).to.equal(money);
    });
  }

  it('counts time left by the clock of the service, never below 0', () => {
    const at = (now: string) =>
      secondsLeft({ session: buildSession({ now, attempt: buildPrompt() }) });
    expect(at('2026-11-20T10:00:00.000Z')).to.equal(180);
    expect(at('2026-11-20T10:02:59.001Z')).to.equal(1);
    expect(at('2026-11-20T11:00:00.000Z')).to.equal(0);
    expect(secondsLeft({ session })).to.equal(undefined);
  });

  it('calls a wait long after 30 s of the clock of the service', () => {
    const since = { waitingSince: '2026-11-20T10:00:00.000Z' };
    expect(
      isLongWait({ ...since, session: buildSession({ now: '2026-11-20T10:00:29.999Z' }) }),
    ).to.equal(false);
    expect(
      isLongWait({ ...since, session: buildSession({ now: '2026-11-20T10:00:30.000Z' }) }),
    ).to.equal(true);
    expect(isLongWait({ session })).to.equal(false);
  });

  it('holds to its laws whatever is known', () => {
    fc.assert(
      fc.property(anyKnown(), (known) => {
        const money = moneyOf(known);
        const screen = screenOf(known);

        expect(money === 'paid').to.equal(known.session?.status === 'successful');
        expect(screen === 'success').to.equal(money === 'paid');
        if (known.sending && money !== 'paid') expect(money).to.equal('unknown');
        if (screen === 'over') expect(isOut(known)).to.equal(Boolean(known.sending));
        if (isAskedToStay(known) && known.leaving === 'out') expect(money).not.to.equal('none');
        if (known.session && !known.refusal && money === 'none')
          expect(isOut(known)).to.equal(false);
        if (isFinal(known)) expect(known.sending).to.equal(undefined);
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
  return fc.record(
    {
      session: fc.option(fc.record({ status, attempt: fc.option(attempt) }).map(buildSession), {
        nil: undefined,
      }),
      sending: fc.option(fc.record({ id: fc.constant('a'), isUnsure: fc.boolean() }), {
        nil: undefined,
      }),
      refusal: fc.option(
        fc.record({
          code: fc.constantFrom('not_known' as const, 'reference_used' as const),
          paths: fc.constant([]),
        }),
        {
          nil: undefined,
        },
      ),
      leaving: fc.constantFrom('out' as const, 'typed' as const, undefined),
      isReturning: fc.boolean(),
      isUnconfirmed: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}
