import { expect } from '@open-wc/testing';
import {
  buildPrompt,
  buildSession,
  StandInCheckout,
  settled,
  TestClock,
} from '../test/stand-in-checkout.ts';
import { watchAttempt } from './attempt-watch.ts';
import { CheckoutFlow } from './checkout-flow.ts';

describe('the checkout flow without a network', () => {
  it('the checkout flow does not report a code as sent again if there was no network', async () => {
    const checkout = new StandInCheckout();
    let isOnline = true;
    const flow = new CheckoutFlow({
      checkout,
      clock: new TestClock(),
      newId: () => 'attempt-1',
      watch: watchAttempt,
      isHidden: () => false,
      isOnline: () => isOnline,
      onChange: () => undefined,
    });
    const attempt = buildPrompt({ status: 'otp-required', codesLeft: 3 });
    checkout.responses.submit.push(buildSession({ attempt }));
    await flow.open();
    await flow.submit({
      channel: 'mobile-money',
      mobileMoney: { operator: 'mtn', phone: '0961111111' },
    });
    isOnline = false;

    await flow.repeat();
    await settled();

    expect(flow.known.wire.unsent).to.equal('offline');
    expect(flow.known.action).to.equal(undefined);
    flow.stop();
  });
});
