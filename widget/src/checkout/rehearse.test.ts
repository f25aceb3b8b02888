import { expect } from '@open-wc/testing';
import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import { rehearse } from './rehearse.ts';
import { NETWORKS, settled, TestClock } from './test/stand-in-checkout.ts';

const FACTS: MerchantFacts = {
  merchantName: 'Demo Shop',
  isTest: true,
  bearer: null,
  defaultCurrency: 'ZMW',
  channels: ['card', 'mobile-money'],
  networks: NETWORKS.map((network) => ({ ...network, currency: 'ZMW' })),
  now: '2026-11-20T10:00:00.000Z',
};

describe('the rehearsal of a payment (B7)', () => {
  it('the rehearsal of a payment draws the form, and leaves no element, timer or focus behind', async () => {
    const clock = new TestClock();
    const drawn: string[] = [];
    const watcher = new MutationObserver((changes) => {
      for (const { removedNodes } of changes)
        for (const node of removedNodes)
          drawn.push((node as Element).shadowRoot?.textContent ?? '');
    });
    watcher.observe(document.body, { childList: true });
    const { activeElement } = document;

    await rehearse(FACTS, clock);
    await settled();

    watcher.disconnect();
    expect(drawn.join()).to.contain('ZMW 0.00');
    expect(document.querySelector('checkout-app')).to.equal(null);
    expect(clock.waiting).to.equal(0);
    expect(document.activeElement === activeElement).to.equal(true);
  });

  it('the rehearsal of a payment harms nothing where nothing is known of the merchant', async () => {
    await rehearse(undefined, new TestClock());

    expect(document.querySelector('checkout-app')).to.equal(null);
  });
});
