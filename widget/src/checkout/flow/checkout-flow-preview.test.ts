import { expect } from '@open-wc/testing';
import type { Session } from '@service-pay/contract/checkout-api';
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
import { isNotArrived, moneyOf, screenOf } from './payment-state.ts';

describe('checkout flow with a preview, before there is a session', () => {
  let checkout: StandInCheckout;
  let clock: TestClock;
  let flow: CheckoutFlow;
  let respondToOpen: (session: Session) => void;
  let failOpening: (error: Error) => void;

  beforeEach(() => {
    checkout = new StandInCheckout();
    checkout.responses.open.push(
      new Promise<Session>((resolve, reject) => {
        respondToOpen = resolve;
        failOpening = reject;
      }),
    );
    clock = new TestClock();
    flow = buildFlow();
  });

  afterEach(() => flow.stop());

  const buildFlow = (more: { isUnconfirmed?: boolean } = {}) =>
    new CheckoutFlow({
      checkout,
      clock,
      preview: buildSession(),
      newId: () => 'attempt-1',
      watch: watchAttempt,
      isHidden: () => false,
      isOnline: () => true,
      onChange: () => {},
      ...more,
    });
  const screen = () => screenOf(flow.known);
  const money = () => moneyOf(flow.known);

  it('the checkout flow with a preview shows the form at once (B7)', () => {
    void flow.open();

    expect(screen()).to.equal('form');
    expect(money(), 'there is nothing to tell').to.equal(undefined);
  });

  it('the checkout flow with a preview shows no form to a visit that returns: something may be in flight', () => {
    checkout.isReturning = true;
    flow = buildFlow();
    void flow.open();

    expect(screen()).to.equal('loading');
    expect(money()).to.equal('unknown');
  });

  it('the checkout flow with a preview shows no form to a payment left unconfirmed, nor calls it unpaid if its reference is rejected (D19, T118)', async () => {
    flow = buildFlow({ isUnconfirmed: true });
    const opened = flow.open();
    expect([screen(), money()]).to.deep.equal(['loading', 'unknown']);

    failOpening(failure('reference_used'));
    await opened;
    expect([screen(), money()]).to.deep.equal(['rejected', 'unknown']);
  });

  it('the checkout flow with a preview believes the service of a payment left unconfirmed (T118)', async () => {
    flow = buildFlow({ isUnconfirmed: true });
    const opened = flow.open();
    respondToOpen(buildSession());
    await opened;

    expect([screen(), money()]).to.deep.equal(['form', 'none']);
  });

  it('the checkout flow with a preview holds an attempt until the session is there, then sends it once', async () => {
    const opened = flow.open();
    await flow.submit(CARD);
    await flow.submit(CARD);
    expect(checkout.submitted).to.deep.equal([]);
    expect(flow.known.sending?.is).to.equal('held');
    expect(money(), 'nothing has been sent').to.equal(undefined);

    respondToOpen(buildSession());
    await opened;
    await settled();

    expect(checkout.submitted).to.have.length(1);
    expect(flow.known.sending).to.equal(undefined);
  });

  it('the checkout flow with a preview sends nothing if the session has another amount than the customer saw, and says so', async () => {
    const opened = flow.open();
    await flow.submit(CARD);
    respondToOpen(buildSession({ bearer: 'customer', fee: '0.25', total: '10.25' }));
    await opened;
    await settled();

    expect(checkout.submitted).to.deep.equal([]);
    expect(screen()).to.equal('form');
    expect(flow.known.sending).to.equal(undefined);
    expect(isNotArrived(flow.known)).to.equal(true);
    checkout.responses.submit.push(buildSession({ attempt: buildPrompt({ id: 'attempt-1' }) }));
    void flow.submit(CARD);
    await settled();
    expect(checkout.submitted, 'once it has been seen').to.have.length(1);
    expect(isNotArrived(flow.known)).to.equal(false);
  });

  it('the checkout flow with a preview sends nothing if the session has the same total in another currency', async () => {
    const opened = flow.open();
    await flow.submit(CARD);
    respondToOpen(buildSession({ currency: 'MWK' }));
    await opened;
    await settled();

    expect(checkout.submitted).to.deep.equal([]);
    expect(isNotArrived(flow.known)).to.equal(true);
  });

  for (const [what, session, shown] of [
    [
      'is paid already (D18)',
      buildSession({ status: 'successful', attempt: buildAttempt({ status: 'successful' }) }),
      'success',
    ],
    ['has a prompt out', buildSession({ attempt: buildPrompt() }), 'prompt'],
    ['is over (D19)', buildSession({ status: 'failed' }), 'over'],
  ] as const) {
    it(`the checkout flow with a preview sends nothing if the payment ${what}`, async () => {
      const opened = flow.open();
      await flow.submit(CARD);
      respondToOpen(session);
      await opened;
      await settled();

      expect(checkout.submitted).to.deep.equal([]);
      expect(screen()).to.equal(shown);
      expect(isNotArrived(flow.known)).to.equal(false);
    });
  }

  it('the checkout flow with a preview sends nothing once the customer has left', async () => {
    const opened = flow.open();
    await flow.submit(CARD);

    expect(flow.leave()).to.equal(true);
    respondToOpen(buildSession());
    await opened;
    await settled();

    expect(checkout.submitted).to.deep.equal([]);
  });

  it('the checkout flow with a preview sends nothing if no session can be had, and says so', async () => {
    const opened = flow.open();
    await flow.submit(CARD);
    failOpening(failure('reference_used'));
    await opened;

    expect(checkout.submitted).to.deep.equal([]);
    expect(screen()).to.equal('rejected');
    expect(flow.known.sending).to.equal(undefined);
  });
});
