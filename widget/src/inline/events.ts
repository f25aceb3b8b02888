import type { ServicePayError } from './errors.ts';

const EVERYWHERE = { bubbles: true, composed: true } as const;

/**
 * The service says paid. Ask your server to verify `reference` before anything is handed over
 * (specification 1.4).
 */
export class SuccessEvent extends Event {
  /** What your server verifies. */
  readonly reference: string;

  constructor(reference: string) {
    super('service-pay-success', EVERYWHERE);
    this.reference = reference;
  }
}

/** The customer left without paying (specification 3). */
export class ClosedEvent extends Event {
  constructor() {
    super('service-pay-close', EVERYWHERE);
  }
}

/**
 * The customer left before the service knew the result: not paid and not failed (specification 3).
 */
export class ConfirmationPendingEvent extends Event {
  constructor() {
    super('service-pay-confirmation-pending', EVERYWHERE);
  }
}

/** Something a developer or an operator must mend; `error.code` says what (D20). */
export class PaymentErrorEvent extends Event {
  /** What is wrong, with its `code`. */
  readonly error: ServicePayError;

  constructor(error: ServicePayError) {
    super('service-pay-error', EVERYWHERE);
    this.error = error;
  }
}

declare global {
  interface HTMLElementEventMap {
    'service-pay-success': SuccessEvent;
    'service-pay-close': ClosedEvent;
    'service-pay-confirmation-pending': ConfirmationPendingEvent;
    'service-pay-error': PaymentErrorEvent;
  }
}
