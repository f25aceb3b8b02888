import { expect } from '@open-wc/testing';
import type { Session } from '@service-pay/contract/checkout-api';
import {
  buildPrompt,
  buildSession,
  CARD,
  failure,
  StandInCheckout,
  TestClock,
} from '../test/stand-in-checkout.ts';
import { watchAttempt } from './attempt-watch.ts';
import { CheckoutFlow } from './checkout-flow.ts';
import { isNotArrived, screenOf } from './payment-state.ts';

describe('what the checkout flow says of an attempt that was not sent', () => {
  let checkout: StandInCheckout;
  let clock: TestClock;
  let isOnline: boolean;
  let flow: CheckoutFlow;

  beforeEach(async () => {
    checkout = new StandInCheckout();
    clock = new TestClock();
    isOnline = true;
    flow = new CheckoutFlow({
      checkout,
      clock,
      newId: () => 'attempt-1',
      watch: watchAttempt,
      isHidden: () => false,
      isOnline: () => isOnline,
      onChange: () => undefined,
    });
  });

  afterEach(() => flow.stop());

  const attemptOfAnotherTab = (changes = {}): Session =>
    buildSession({ attempt: buildPrompt({ id: 'of-another-tab', ...changes }) });

  it('the checkout flow does not report a code as sent again if there was no network', async () => {
    const attempt = buildPrompt({ status: 'otp-required', codesLeft: 3 });
    checkout.responses.submit.push(buildSession({ attempt }));
    await flow.open();
    await flow.submit({
      channel: 'mobile-money',
      mobileMoney: { operator: 'mtn', phone: '0961111111' },
    });
    isOnline = false;

    await flow.repeat();

    expect(flow.known.wire.unsent).to.equal('offline');
    expect(flow.known.action).to.equal(undefined);
  });

  it('the checkout flow explains a decline of another tab by its reason, also after an attempt of this one was lost', async () => {
    await flow.open();
    const lost = Array.from({ length: 40 }, () => failure('not_known'));
    checkout.responses.submit.push(...lost);
    checkout.session = attemptOfAnotherTab();
    const submitted = flow.submit(CARD);
    await clock.advance(70_000);
    await submitted;
    expect([screenOf(flow.known), flow.known.sending]).to.deep.equal(['prompt', undefined]);

    checkout.session = attemptOfAnotherTab({
      status: 'declined',
      reasonForFailure: 'Incorrect Pin',
    });
    await clock.advance(1_000);

    expect([screenOf(flow.known), isNotArrived(flow.known)]).to.deep.equal(['form', false]);
  });
});
