import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';

import { CheckoutApp } from './app.ts';
import type { Checkout } from './flow/client.ts';
import type { Clock } from './flow/clock.ts';
import { previewOf } from './flow/preview.ts';
import { loadCatalogue } from './language/messages/messages.ts';

const REQUEST: PaymentRequest = { key: '', email: '', reference: '', amount: '0.00' };

/** A service that never responds: the rehearsal ends before anything else is sent to it. */
const NO_SERVICE: Partial<Checkout> = { isReturning: false, open: () => new Promise(() => {}) };

/**
 * Draws a payment in a preloaded frame and removes it before anybody can see it: templates, styles,
 * fonts and number formats are then ready, and the real form draws in a fraction of the time (B7).
 * Resolves once all is as before.
 */
export async function rehearse(facts: MerchantFacts | undefined, clock: Clock): Promise<void> {
  const app = new CheckoutApp();
  app.deps = {
    checkout: NO_SERVICE as Checkout,
    clock,
    newId: () => '',
    request: REQUEST,
    preview: previewOf(facts, REQUEST),
    locale: 'en',
    loadCatalogue,
    send: () => {},
  };
  document.body.append(app);
  await app.updateComplete;
  await app.renderRoot.querySelector<CheckoutApp>('pay-form')?.updateComplete;
  app.getBoundingClientRect(); // lays it out
  app.remove();
}
