import { expect } from '@open-wc/testing';
import type { Attempt, Session } from '@service-pay/contract/checkout-api';
import {
  buildAttempt,
  buildPrompt,
  buildSession,
  CARD,
  failure,
  StandInCheckout,
  settled,
  TestClock,
} from '../test/stand-in-checkout.ts';
import { watchAttempt } from './attempt-watch.ts';
import { CheckoutFlow } from './checkout-flow.ts';
import type { NewAttempt } from './new-attempt.ts';
import { isNotArrived, type Known, moneyOf, questionOf, screenOf } from './payment-state.ts';
import { codeActions, isLongWait, partLeft, promptActions, secondsLeft } from './waiting-state.ts';

const DECLINED = buildSession({
  attempt: buildAttempt({ status: 'declined', reasonForFailure: 'Card declined' }),
});
const WAITING = buildSession({ attempt: buildPrompt() });
const PAID = buildSession({
  status: 'successful',
  attempt: buildAttempt({ status: 'successful' }),
});
const PHONE: NewAttempt = {
  channel: 'mobile-money',
  mobileMoney: { operator: 'mtn', phone: '0961111111' },
};

const codeRequired = (changes: Partial<Attempt> = {}) =>
  buildSession({ attempt: buildPrompt({ status: 'otp-required', codesLeft: 3, ...changes }) });

describe('checkout flow', () => {
  let checkout: StandInCheckout;
  let clock: TestClock;
  let flow: CheckoutFlow;
  let history: Known[];
  let isHidden: boolean;
  let isOnline: boolean;
  let ids: number;

  const buildDeps = () => ({
    checkout,
    clock,
    newId: () => `attempt-${++ids}`,
    watch: watchAttempt,
    isHidden: () => isHidden,
    isOnline: () => isOnline,
    onChange: (known: Known) => void history.push(known),
  });

  beforeEach(() => {
    checkout = new StandInCheckout();
    clock = new TestClock();
    history = [];
    isHidden = false;
    isOnline = true;
    ids = 0;
    flow = new CheckoutFlow(buildDeps());
  });

  afterEach(() => {
    flow.stop();
    expect(clock.waiting).to.equal(0);
  });

  const screen = () => screenOf(flow.known);
  const money = () => moneyOf(flow.known);

  it('the checkout flow says at once that the service does not respond if opening took long already (D13)', async () => {
    let fail = (_: Error) => {};
    checkout.responses.open.push(new Promise<Session>((_, reject) => (fail = reject)));
    const opened = flow.open();
    await clock.advance(9_000);
    fail(failure('not_known'));
    await opened;

    expect(screen()).to.equal('unreachable');
  });

  it('the checkout flow tries twice to open before it says that the service does not respond, and again on a retry', async () => {
    checkout.responses.open.push(failure('not_known'), failure('not_known'));
    const opened = flow.open();
    await clock.advance(1_000);
    await opened;
    expect(screen()).to.equal('unreachable');

    await flow.open();
    expect(screen()).to.equal('form');
  });

  it('the checkout flow opens again by itself when the network comes back', async () => {
    checkout.responses.open.push(failure('not_known'), failure('not_known'));
    void flow.open();
    await clock.advance(1_000);

    flow.lookNow();
    await settled();

    expect(screen()).to.equal('form');
  });

  it('the checkout flow knows a payment that was paid before from one that was paid just now (D18)', async () => {
    checkout.session = PAID;
    await flow.open();

    expect(flow.known.service.wasPaid).to.equal(true);
    expect(money()).to.equal('paid');
  });

  it('the checkout flow says that the money is unknown before anything is sent (D14)', async () => {
    await flow.open();
    history.length = 0;
    checkout.responses.submit.push(PAID);

    const done = flow.submit(CARD);
    expect(moneyOf(history[0]!)).to.equal('unknown');
    await done;

    expect(money()).to.equal('paid');
    expect(flow.known.service.wasPaid).to.equal(false);
  });

  it('the checkout flow sends once, however often it is submitted (T42)', async () => {
    await flow.open();
    checkout.responses.submit.push(DECLINED);
    await Promise.all([flow.submit(CARD), flow.submit(CARD), flow.submit(CARD)]);

    expect(checkout.submitted).to.have.length(1);
    expect(money()).to.equal('none');
  });

  it('the checkout flow gives every attempt an id of its own, and sends a lost one again under the same (T42)', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('not_known'), failure('not_known'), DECLINED, PAID);
    checkout.responses.open.push(failure('not_known')); // is not needed

    const sent = flow.submit(CARD);
    await settled();
    expect(screen()).to.equal('unsure');
    await clock.advance(3_000);
    await sent;
    await flow.submit(CARD);

    expect(checkout.submitted.map(({ id }) => id)).to.deep.equal([
      'attempt-1',
      'attempt-1',
      'attempt-1',
      'attempt-2',
    ]);
    expect(money()).to.equal('paid');
  });

  it('the checkout flow sends a lost attempt again at once when the network comes back', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('not_known'), PAID);
    const sent = flow.submit(CARD);
    await settled();

    flow.lookNow();
    await sent;

    expect(money()).to.equal('paid');
    expect(clock.now()).to.equal(0);
  });

  it('the checkout flow never believes an attempt lost while it is still being sent, whatever the state says (D14)', async () => {
    await flow.open();
    let respond = (_: Session) => {};
    checkout.responses.submit.push(
      failure('not_known'),
      new Promise<Session>((resolve) => (respond = resolve)),
    );
    const sent = flow.submit(CARD);
    await clock.advance(1_000);

    flow.lookNow();
    await clock.advance(30_000);
    expect(screen()).to.equal('unsure');
    expect(checkout.looks).to.be.above(0);
    respond(PAID);
    await sent;

    expect(money()).to.equal('paid');
  });

  it('the checkout flow polls the state while an attempt hangs, and shows what the service has made of it', async () => {
    await flow.open();
    checkout.responses.submit.push(new Promise<Session>(() => {}));
    void flow.submit(CARD);
    await clock.advance(4_000);
    checkout.session = PAID;
    await clock.advance(1_000);

    expect(screen()).to.equal('success');
    expect(checkout.submitted).to.have.length(1);
  });

  it('the checkout flow waits for an attempt that hangs while the service responds', async () => {
    await flow.open();
    checkout.responses.submit.push(new Promise<Session>(() => {}));
    void flow.submit(CARD);
    await clock.advance(19_000);

    expect(screen()).to.equal('form');
    expect(checkout.submitted).to.have.length(1);
  });

  for (const [kind, silence] of [
    ['hangs', new Promise<Session>(() => {})],
    ['responds with errors', failure('not_known')],
  ] as const) {
    it(`the checkout flow says that the service does not respond while it ${kind}, and shows the end within 5 s of its return`, async () => {
      await flow.open();
      const { submit, look } = checkout.responses;
      submit.push(...Array(40).fill(silence));
      look.push(...Array(40).fill(silence));
      void flow.submit(CARD);
      await clock.advance(14_300);
      expect(screen()).to.equal('unsure');

      submit.splice(0, 40, PAID);
      look.splice(0);
      await clock.advance(4_500);

      expect(screen()).to.equal('success');
      expect(new Set(checkout.submitted.map(({ id }) => id)).size).to.equal(1);
    });
  }

  it('the checkout flow shows the end of a wait within 5 s of the return of a service that hung', async () => {
    checkout.session = WAITING;
    await flow.open();
    const { look } = checkout.responses;
    look.push(...Array.from({ length: 40 }, () => new Promise<Session>(() => {})));
    await clock.advance(30_000);

    look.splice(0, 40, PAID);
    await clock.advance(4_500);

    expect(screen()).to.equal('success');
  });

  it('the checkout flow cancels after a minute of lost responses, and says that the attempt never arrived only once that is acknowledged (D14)', async () => {
    await flow.open();
    checkout.responses.submit.push(...Array(40).fill(failure('not_known')));
    checkout.responses.open.push(failure('not_known'), failure('not_authorized'));
    void flow.submit(CARD);
    await clock.advance(62_000);
    const sentBefore = checkout.submitted.length;
    expect(money()).to.equal('unknown');

    await clock.advance(10_000);
    expect([screen(), money()]).to.deep.equal(['form', 'none']);
    await clock.advance(0);

    expect(checkout.submitted).to.have.length(sentBefore);
    expect(isNotArrived(flow.known)).to.equal(true);
  });

  it('the checkout flow finds a lost attempt by its id once it may poll again', async () => {
    await flow.open();
    checkout.responses.submit.push(...Array(40).fill(failure('not_known')));
    checkout.responses.open.push(failure('not_known'));
    void flow.submit(CARD);
    await clock.advance(62_000);
    checkout.session = buildSession({ attempt: buildPrompt({ id: 'attempt-1' }) });

    await clock.advance(2_000);

    expect(screen()).to.equal('prompt');
    expect(isNotArrived(flow.known)).to.equal(false);
  });

  it('the checkout flow believes no response that does not show the attempt once another copy may be on its way (D14, T42)', async () => {
    await flow.open();
    const another = buildSession({
      attempt: buildAttempt({ id: 'of-another-tab', status: 'declined' }),
    });
    checkout.responses.submit.push(failure('not_known'), another);
    checkout.responses.open.push(failure('not_known'));
    void flow.submit(CARD);
    await clock.advance(1_000);
    expect(money()).to.equal('unknown');

    await clock.advance(1_000);
    expect([screen(), money()]).to.deep.equal(['form', 'none']);
    expect(checkout.submitted).to.have.length(2);
  });

  it('the checkout flow believes a response that does not show a lost attempt once a new token has cancelled that (D14, D25)', async () => {
    await flow.open();
    const another = buildSession({ attempt: buildAttempt({ id: 'another', status: 'declined' }) });
    checkout.responses.submit.push(failure('not_known'), failure('not_authorized'), another);
    checkout.responses.open.push(buildSession(), failure('not_known'));
    void flow.submit(CARD);
    await clock.advance(1_000);

    expect([screen(), money()]).to.deep.equal(['form', 'none']);
  });

  it('the checkout flow shows why a lost attempt was rejected, but calls it unpaid only once that is acknowledged (D14)', async () => {
    await flow.open();
    const rejection = failure('invalid', { path: 'card.number', code: 'number-invalid' });
    checkout.responses.submit.push(failure('not_known'), rejection);
    checkout.responses.open.push(failure('not_known'));
    void flow.submit(CARD);
    await clock.advance(1_000);
    expect(money()).to.equal('unknown');

    await clock.advance(1_000);
    expect(money()).to.equal('none');
    expect(flow.known.problems).to.have.property('number');
  });

  it('the checkout flow shows the end of a session that is over by the time a lost attempt is cancelled', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('not_known'), failure('reference_used'));
    checkout.responses.open.push(failure('reference_used'));
    checkout.session = buildSession({ status: 'failed', attemptsLeft: 0 });
    void flow.submit(CARD);
    await clock.advance(1_000);

    expect([screen(), money()]).to.deep.equal(['over', 'none']);
  });

  it('the checkout flow sends nothing before the page has taken in that the money is unknown (D14)', async () => {
    let take = (_?: unknown) => {};
    const taken = new Promise((resolve) => (take = resolve));
    flow = new CheckoutFlow({ ...buildDeps(), onChange: () => taken });
    await flow.open();
    const sent = flow.submit(CARD);
    await settled();
    expect(moneyOf(flow.known)).to.equal('unknown');
    expect(checkout.submitted).to.have.length(0);

    take();
    await sent;
    expect(checkout.submitted).to.have.length(1);
  });

  it('the checkout flow shows a rejection at its field and moves no money (T44)', async () => {
    await flow.open();
    checkout.responses.submit.push(
      failure('invalid', { path: 'card.number', code: 'card-not-a-test-card' }),
    );
    await flow.submit(CARD);

    expect(flow.known.problems['number']?.code).to.equal('card-not-a-test-card');
    expect([screen(), money()]).to.deep.equal(['form', 'none']);
  });

  it('the checkout flow shows a rejection that names no field at the form, one of a phone number at its field', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('invalid'), failure('phone_invalid'));
    await flow.submit(CARD);
    expect(flow.known.problems).to.have.keys('form');
    await flow.submit(CARD);
    expect(flow.known.problems).to.have.keys('phone');
  });

  it('the checkout flow polls at once when the service takes no more attempts (T43)', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('reference_used'));
    checkout.session = buildSession({ status: 'failed', attemptsLeft: 0 });
    await flow.submit(CARD);

    expect(screen()).to.equal('over');
  });

  it('the checkout flow gets a new token when its own is rejected, and sends the same attempt again (D25)', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('not_authorized'), PAID);
    await flow.submit(CARD);

    expect(checkout.submitted.map(({ id }) => id)).to.deep.equal(['attempt-1', 'attempt-1']);
    expect(money()).to.equal('paid');
  });

  it('the checkout flow waits before it sends again when the network goes away after a new token (D14, D25)', async () => {
    await flow.open();
    checkout.responses.submit.push(
      failure('not_authorized'),
      failure('not_known'),
      failure('not_known'),
    );
    const sent = flow.submit(CARD);
    await settled();

    expect(checkout.submitted).to.have.lengthOf(2);
    expect(screen()).to.equal('unsure');
    await clock.advance(1_000);
    expect(checkout.submitted).to.have.lengthOf(3);

    checkout.responses.submit.push(PAID);
    await clock.advance(2_000);
    await sent;
    expect(money()).to.equal('paid');
  });

  it('the checkout flow uses one new token per pause', async () => {
    await flow.open();
    checkout.responses.submit.push(...Array.from({ length: 4 }, () => failure('not_authorized')));
    void flow.submit(CARD);
    await settled();

    expect(checkout.submitted).to.have.lengthOf(2);
    flow.stop();
  });

  it('the checkout flow pays although somebody else keeps opening the payment (D25)', async () => {
    await flow.open();
    const strangersOpenEveryMs = 400;
    let openedAt = clock.now();
    let rejections = 2;
    checkout.open = async () => {
      openedAt = clock.now();
      return checkout.session;
    };
    checkout.submit = async () => {
      if (rejections-- > 0 || clock.now() - openedAt >= strangersOpenEveryMs)
        throw failure('not_authorized');
      return PAID;
    };
    void flow.submit(CARD);
    await clock.advance(3_000);

    expect(money()).to.equal('paid');
  });

  it('the checkout flow ends when its token is rejected and the reference is used up', async () => {
    await flow.open();
    checkout.responses.look.push(failure('not_authorized'));
    checkout.responses.open.push(failure('reference_used'));
    await clock.advance(5_000);

    expect([screen(), money()]).to.deep.equal(['over', 'none']);
  });

  it('the checkout flow charges nothing when the token of an attempt is rejected and the reference is used up', async () => {
    await flow.open();
    checkout.responses.submit.push(failure('not_authorized'));
    checkout.responses.open.push(failure('reference_used'));
    await flow.submit(CARD);

    expect([screen(), money()]).to.deep.equal(['over', 'none']);
  });

  it('the checkout flow polls every second while something is in flight, every 2.5 s otherwise, and not at the end (T35)', async () => {
    await flow.open();
    await clock.advance(10_000);
    expect(checkout.looks).to.equal(4);
    checkout.session = WAITING;
    await clock.advance(2_500);
    checkout.looks = 0;
    await clock.advance(10_000);
    expect(checkout.looks).to.equal(10);
    checkout.session = PAID;
    await clock.advance(1_000);
    checkout.looks = 0;
    await clock.advance(60_000);
    expect(checkout.looks).to.equal(0);
  });

  it('the checkout flow never polls while hidden, and polls at once on return (T36, T50)', async () => {
    checkout.session = WAITING;
    await flow.open();
    isHidden = true;
    await clock.advance(1_000);
    checkout.looks = 0;
    await clock.advance(300_000);
    expect(checkout.looks).to.equal(0);

    checkout.session = PAID;
    isHidden = false;
    flow.lookNow();
    await settled();

    expect(money()).to.equal('paid');
  });

  it('the checkout flow says after two polls that the service does not respond, keeps polling, and takes it back', async () => {
    checkout.session = WAITING;
    await flow.open();
    const { look } = checkout.responses;
    look.push(failure('not_known'), WAITING, failure('not_known'), failure('not_known'));
    await clock.advance(3_000);
    expect(flow.known.wire.isCut).to.equal(false);
    await clock.advance(1_000);
    expect(flow.known.wire.isCut).to.equal(true);
    await clock.advance(1_000);

    expect(flow.known.wire.isCut).to.equal(false);
  });

  it('the checkout flow drops a response that comes after the response to a later call', async () => {
    await flow.open();
    let late = (_: Session) => {};
    checkout.responses.look.push(new Promise<Session>((resolve) => (late = resolve)));
    await clock.advance(5_000);
    checkout.responses.submit.push(WAITING);
    await flow.submit(CARD);

    late(buildSession());
    await settled();

    expect([screen(), money()]).to.deep.equal(['prompt', 'unknown']);
  });

  it('the checkout flow asks before leaving something behind, and forgets the question once nothing is (D15, D16)', async () => {
    checkout.session = WAITING;
    await flow.open();
    expect([flow.leave(), flow.leave()]).to.deep.equal([false, false]);
    flow.keepWaiting();
    expect(flow.known.leaving).to.equal(undefined);
    flow.leave();
    checkout.session = DECLINED;
    await clock.advance(1_000);

    expect(flow.known.leaving).to.equal(undefined);
    expect(flow.leave()).to.equal(true);
  });

  it('the checkout flow says that a code was wrong, that it could not be sent, and sends none twice (T47)', async () => {
    checkout.session = codeRequired();
    await flow.open();
    checkout.responses.sendCode.push(
      codeRequired({ codesLeft: 2 }),
      failure('not_known'),
      failure('invalid', { path: 'code', code: 'code-invalid' }),
      WAITING,
    );

    await Promise.all([flow.sendCode('111111'), flow.sendCode('111111')]);
    expect(flow.known.problems['code']?.code).to.equal('code-wrong');
    await flow.sendCode('222222');
    expect(flow.known.problems['code']?.code).to.equal('code-not-sent');
    await flow.sendCode('33');
    expect(flow.known.problems['code']?.code).to.equal('code-invalid');
    await flow.sendCode('000000');

    expect(checkout.codes).to.deep.equal(['111111', '222222', '33', '000000']);
    expect(screen()).to.equal('prompt');
  });

  it('the checkout flow says that a code was wrong also if a poll found out first (T47)', async () => {
    let respond!: (session: Session) => void;
    checkout.session = codeRequired();
    checkout.responses.sendCode.push(new Promise((resolve) => (respond = resolve)));
    await flow.open();
    const sent = flow.sendCode('111111');
    checkout.session = codeRequired({ codesLeft: 2 });
    await clock.advance(1_000);

    respond(checkout.session);
    await sent;

    expect(flow.known.problems).to.deep.equal({ code: { code: 'code-wrong' } });
  });

  it('the checkout flow says that an attempt did not arrive which the service passes over', async () => {
    await flow.open();

    await flow.submit(CARD);

    expect(checkout.submitted).to.have.length(1);
    expect([screen(), money(), isNotArrived(flow.known)]).to.deep.equal(['form', 'none', true]);
  });

  it('the checkout flow explains the end of the attempt that another one was passed over for', async () => {
    await flow.open();
    checkout.responses.submit.push(
      buildSession({ attempt: buildPrompt({ id: 'of-another-tab' }) }),
    );
    await flow.submit(CARD);
    expect(screen()).to.equal('prompt');

    checkout.session = DECLINED;
    await clock.advance(1_000);

    expect([screen(), isNotArrived(flow.known)]).to.deep.equal(['form', false]);
  });

  it('the checkout flow shows a code again that the customer left for the form, once no other attempt can begin', async () => {
    checkout.session = { ...codeRequired(), now: '2026-11-20T10:29:50.000Z' };
    await flow.open();
    flow.useAnotherWay();
    expect(screen()).to.equal('form');

    checkout.responses.look.push(...Array.from({ length: 20 }, () => failure('not_known')));
    await clock.advance(11_000);

    expect(screen()).to.equal('code');
  });

  it('the checkout flow sends nothing without a network, says so, and sends nothing later without a new press', async () => {
    await flow.open();
    isOnline = false;

    await flow.submit(CARD);
    expect([screen(), money(), flow.known.wire.unsent]).to.deep.equal(['form', 'none', 'offline']);
    await clock.advance(10_000);
    isOnline = true;
    flow.lookNow();
    await clock.advance(10_000);

    expect(flow.known.wire.unsent).to.equal(undefined);
    expect(checkout.submitted).to.deep.equal([]);
    checkout.responses.submit.push(PAID);
    await flow.submit(CARD);
    expect(screen()).to.equal('success');
  });

  it('the checkout flow says that more time cannot be requested without a network', async () => {
    await flow.open();
    isOnline = false;

    expect(await flow.extend()).to.equal('unsent');
    expect(flow.known.wire.unsent).to.equal('offline');
    isOnline = true;
    flow.lookNow();
    expect(flow.known.wire.unsent).to.equal(undefined);
  });

  it('the checkout flow sends nothing once the session is there that was pressed without a network', async () => {
    let respond = (_: Session) => {};
    checkout.responses.open.push(new Promise((resolve) => (respond = resolve)));
    flow.stop();
    flow = new CheckoutFlow({ ...buildDeps(), preview: buildSession() });
    const opened = flow.open();
    isOnline = false;

    await flow.submit(CARD);
    expect([flow.known.sending, flow.known.wire.unsent]).to.deep.equal([undefined, 'offline']);
    isOnline = true;
    respond(buildSession());
    await opened;

    expect(checkout.submitted).to.deep.equal([]);
  });

  it('the checkout flow counts the time of a wait on while the service does not respond', async () => {
    checkout.session = WAITING;
    await flow.open();
    const left = () => secondsLeft(flow.known);
    expect(left()).to.equal(180);
    checkout.responses.look.push(...Array.from({ length: 60 }, () => failure('not_known')));

    await clock.advance(30_000);

    expect(left()).to.equal(150);
    expect(partLeft(flow.known)).to.be.closeTo(150 / 180, 0.01);
    expect(isLongWait(flow.known)).to.equal(true);
  });

  it('the checkout flow draws what is left of a prompt of three minutes, also after a reload (D37)', async () => {
    checkout.session = { ...WAITING, now: '2026-11-20T10:02:15.000Z' };
    await flow.open();

    expect(secondsLeft(flow.known)).to.equal(45);
    expect(partLeft(flow.known)).to.equal(0.25);
  });

  it('the checkout flow counts the wait for a prompt from its own start, not from that of its code', async () => {
    checkout.session = codeRequired();
    await flow.open();
    checkout.session = { ...WAITING, now: '2026-11-20T10:01:00.000Z' };
    await clock.advance(1_000);

    expect(screen()).to.equal('prompt');
    expect(isLongWait(flow.known)).to.equal(false);
  });

  describe('a prompt that is taken back (D47)', () => {
    const out = (changes = {}) =>
      buildSession({ attempt: buildPrompt({ id: 'attempt-1', ...changes }) });
    const VOID = buildSession({
      attemptsLeft: 4,
      attempt: buildPrompt({
        id: 'attempt-1',
        status: 'declined',
        reasonForFailure: 'Withdrawn by customer',
        expiresAt: null,
      }),
    });

    beforeEach(async () => {
      await flow.open();
      checkout.responses.submit.push(out());
      await flow.submit(PHONE);
    });

    it('a cancelled prompt leaves the form for another way to pay, and nothing in flight', async () => {
      expect(promptActions(flow.known)).to.include({ change: true, repeat: false });
      checkout.responses.withdraw.push(VOID);

      await flow.withdraw();

      expect([screen(), money()]).to.deep.equal(['form', 'none']);
      expect(checkout.withdrawn).to.deep.equal(['attempt-1']);
      expect(checkout.submitted).to.have.length(1);
    });

    it('a prompt is sent again, after 20 s, as another attempt on the same phone (D47)', async () => {
      checkout.session = { ...out(), now: '2026-11-20T10:00:20.000Z' };
      await clock.advance(1_000);
      expect(promptActions(flow.known).repeat).to.equal(true);
      checkout.responses.withdraw.push(VOID);
      checkout.responses.submit.push(out({ id: 'attempt-2' }));

      await flow.withdraw(true);

      expect(checkout.submitted.map(({ id }) => id)).to.deep.equal(['attempt-1', 'attempt-2']);
      expect(checkout.submitted[1]).to.deep.equal({ ...PHONE, id: 'attempt-2' });
      expect(screen()).to.equal('prompt');
    });

    it('a cancelled prompt is polled until there is a response, and no other attempt begins before (T124)', async () => {
      checkout.responses.withdraw.push(failure('not_known'), failure('not_known'), VOID);
      checkout.responses.look.push(...Array.from({ length: 20 }, () => failure('not_known')));
      checkout.responses.submit.push(out({ id: 'attempt-2' }));

      const done = flow.withdraw(true);
      await settled();
      expect(promptActions(flow.known).busy).to.equal(true);
      await flow.withdraw(true);
      expect(checkout.submitted).to.have.length(1);
      await clock.advance(3_000);
      await done;

      expect(checkout.withdrawn).to.have.length(3);
      expect(checkout.submitted).to.have.length(2);
    });

    it('a prompt is not cancelled again once another one is in flight', async () => {
      checkout.responses.withdraw.push(out({ id: 'of-another-tab' }));

      void flow.withdraw();
      await clock.advance(10_000);

      expect(checkout.withdrawn).to.deep.equal(['attempt-1']);
    });

    it('a prompt is not cancelled without a network, which is said, and nothing is sent later by itself', async () => {
      checkout.session = { ...out(), now: '2026-11-20T10:00:20.000Z' };
      await clock.advance(1_000);
      isOnline = false;

      for (const isRepeated of [true, false]) await flow.withdraw(isRepeated);
      expect([screen(), flow.known.wire.unsent]).to.deep.equal(['prompt', 'offline']);
      await clock.advance(10_000);
      isOnline = true;
      flow.lookNow();
      await clock.advance(10_000);

      expect([checkout.withdrawn.length, checkout.submitted.length]).to.deep.equal([0, 1]);
      expect(flow.known.wire.unsent).to.equal(undefined);
      checkout.responses.withdraw.push(VOID);
      checkout.responses.submit.push(out({ id: 'attempt-2' }));
      await flow.withdraw(true);
      expect([screen(), checkout.submitted.length]).to.deep.equal(['prompt', 2]);
    });

    it('a prompt needs a new press if the network goes away while it is cancelled', async () => {
      checkout.session = { ...out(), now: '2026-11-20T10:00:20.000Z' };
      await clock.advance(1_000);
      checkout.responses.withdraw.push(failure('not_known'), VOID);
      const done = flow.withdraw(true);
      isOnline = false;
      await done;
      expect([screen(), flow.known.wire.unsent]).to.deep.equal(['prompt', 'offline']);

      isOnline = true;
      flow.lookNow();
      await clock.advance(60_000);

      expect([checkout.withdrawn.length, checkout.submitted.length]).to.deep.equal([1, 1]);
    });

    it('a prompt that is sent again keeps its screen until the new one is there', async () => {
      let respond = (_: Session) => {};
      checkout.responses.withdraw.push(VOID);
      checkout.responses.submit.push(new Promise((resolve) => (respond = resolve)));
      history.length = 0;

      const done = flow.withdraw(true);
      await settled();
      expect(promptActions(flow.known)).to.include({ busy: true, change: true, repeat: true });
      respond(out({ id: 'attempt-2' }));
      await done;

      expect(new Set(history.map(screenOf))).to.deep.equal(new Set(['prompt']));
      expect(promptActions(flow.known).busy).to.equal(false);
    });

    it('a prompt that is sent again shows the form if the new one is rejected or never arrives', async () => {
      checkout.responses.withdraw.push(VOID);
      checkout.responses.submit.push(failure('phone_invalid'));
      await flow.withdraw(true);
      expect(screen()).to.equal('form');

      checkout.responses.submit.push(out({ id: 'attempt-3' }));
      await flow.submit(PHONE);
      checkout.responses.withdraw.push({ ...VOID, attempt: { ...VOID.attempt!, id: 'attempt-3' } });
      checkout.responses.submit.push(...Array(40).fill(failure('not_known')));
      const done = flow.withdraw(true);
      await settled();
      expect(screen()).to.equal('unsure');
      await clock.advance(90_000);
      await done;
      expect([screen(), isNotArrived(flow.known)]).to.deep.equal(['form', true]);
    });

    it('a cancelled prompt that was approved meanwhile is paid, and nothing is sent again (T124)', async () => {
      checkout.responses.withdraw.push({
        ...PAID,
        attempt: buildPrompt({ id: 'attempt-1', status: 'successful' }),
      });

      await flow.withdraw(true);

      expect(money()).to.equal('paid');
      expect(checkout.submitted).to.have.length(1);
    });

    it('a cancelled prompt that was approved while the response was lost is paid by the next poll (T124)', async () => {
      checkout.responses.withdraw.push(failure('not_known'));
      checkout.session = PAID;

      const done = flow.withdraw(true);
      await clock.advance(2_000);
      await done;

      expect([money(), checkout.submitted.length]).to.deep.equal(['paid', 1]);
    });

    for (const [name, respond] of [
      ['by the network', () => out({ withdrawable: false })],
      ['by a service that knows no withdrawal', () => failure('rejected')],
    ] as const) {
      it(`a prompt that is kept ${name} stays on the screen, which says so`, async () => {
        checkout.responses.withdraw.push(respond());

        await flow.withdraw(true);

        expect(promptActions(flow.known)).to.deep.equal({
          change: false,
          repeat: false,
          isEarly: true,
          busy: false,
          stuck: true,
        });
        expect([screen(), checkout.submitted.length]).to.deep.equal(['prompt', 1]);
      });
    }

    it('a prompt is neither cancelled nor sent again on the fifth attempt', async () => {
      checkout.session = { ...out(), attemptsLeft: 0 };
      await clock.advance(25_000);

      expect(promptActions(flow.known)).to.include({ change: false, repeat: false });
    });
  });

  it('the checkout flow sends another code to the same phone, as an attempt in place of the one that waits', async () => {
    await flow.open();
    checkout.responses.submit.push(codeRequired(), codeRequired({ id: 'attempt-2' }));
    await flow.submit(PHONE);
    expect([codeActions(flow.known).isOffered, flow.isRepeatable]).to.deep.equal([false, true]);
    checkout.session = { ...checkout.session, now: '2026-11-20T10:00:30.000Z' };
    await clock.advance(1_000);
    expect(codeActions(flow.known)).to.deep.equal({ isOffered: true, isEarly: false });

    await flow.repeat();

    expect(checkout.submitted.map(({ id }) => id)).to.deep.equal(['attempt-1', 'attempt-2']);
    expect(codeActions(flow.known)).to.deep.equal({ isOffered: true, isEarly: true });
  });

  it('the checkout flow requests no other code without a network, then or later, and keeps the form for the code meanwhile', async () => {
    await flow.open();
    checkout.responses.submit.push(codeRequired());
    await flow.submit(PHONE);
    isOnline = false;
    await flow.repeat();
    expect([screen(), flow.known.wire.unsent]).to.deep.equal(['code', 'offline']);
    isOnline = true;
    flow.lookNow();
    await clock.advance(10_000);
    expect(checkout.submitted).to.have.length(1);

    checkout.responses.submit.push(codeRequired({ id: 'attempt-2' }));
    history.length = 0;
    const done = flow.repeat();
    void flow.sendCode('000000');
    await done;
    expect(new Set(history.map(screenOf))).to.deep.equal(new Set(['code']));
    expect([checkout.submitted.length, checkout.codes.length]).to.deep.equal([2, 0]);
  });

  it('the checkout flow trusts a response more than a browser that says it is offline', async () => {
    await flow.open();
    isOnline = false;
    await flow.submit(CARD);
    expect(flow.known.wire.unsent).to.equal('offline');

    await clock.advance(2_500);
    expect(flow.known.wire.unsent).to.equal(undefined);
    checkout.responses.submit.push(PAID);
    await flow.submit(CARD);

    expect([screen(), checkout.submitted.length]).to.deep.equal(['success', 1]);
  });

  it('the checkout flow trusts a browser that says it is offline once the service does not respond', async () => {
    await flow.open();
    isOnline = false;
    await clock.advance(2_500);
    checkout.responses.look.push(failure('not_known'));
    await clock.advance(2_500);
    await flow.submit(CARD);

    expect([flow.known.wire.unsent, checkout.submitted.length]).to.deep.equal(['offline', 0]);
  });

  it('the checkout flow sends nothing while the service does not respond, says so, and frees the form with the next response', async () => {
    await flow.open();
    checkout.responses.look.push(...Array.from({ length: 4 }, () => failure('not_known')));
    await clock.advance(5_000);
    expect(flow.known.wire.isCut).to.equal(true);

    await flow.submit(CARD);
    expect([screen(), money(), flow.known.wire.unsent]).to.deep.equal(['form', 'none', 'cut']);
    flow.lookNow();
    expect(flow.known.wire.unsent).to.equal('cut');
    await clock.advance(10_000);

    expect(flow.known.wire).to.deep.equal({ isCut: false });
    expect(checkout.submitted).to.deep.equal([]);
    checkout.responses.submit.push(PAID);
    await flow.submit(CARD);
    expect(screen()).to.equal('success');
  });

  it('the checkout flow asks before a typed form is left, and no more once something is in flight', async () => {
    await flow.open();

    expect(flow.leave(true)).to.equal(false);
    expect(questionOf(flow.known)).to.equal('typed');
    flow.keepWaiting();
    expect(questionOf(flow.known)).to.equal(undefined);
    expect(flow.leave(false)).to.equal(true);
    flow.leave(true);
    checkout.session = WAITING;
    await clock.advance(3_000);
    expect(questionOf(flow.known)).to.equal(undefined);
  });

  it('the checkout flow changes nothing after it was stopped', async () => {
    const opened = flow.open();
    flow.stop();
    history.length = 0;
    await opened;

    expect(history).to.deep.equal([]);
  });
});
