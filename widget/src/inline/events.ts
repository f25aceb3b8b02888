import type { ServicePayError } from './errors.ts';

/**
 * The browser's own class: MooTools and others have a global `Event` of their own (T126). On a
 * server there is only the global.
 */
const NativeEvent = (globalThis.document?.createEvent('Event').constructor ??
  Event) as typeof Event;

const EVERYWHERE = { bubbles: true, composed: true } as const;

/**
 * The service reports the payment as paid. Let your server verify `reference` before you deliver
 * anything (specification 1.4).
 */
export class SuccessEvent extends NativeEvent {
  /** The reference for your server to verify. */
  readonly reference: string;

  constructor(reference: string) {
    super('service-pay-success', EVERYWHERE);
    this.reference = reference;
  }
}

/** The customer left while nothing was under way (specification 3). */
export class ClosedEvent extends NativeEvent {
  constructor() {
    super('service-pay-close', EVERYWHERE);
  }
}

/**
 * The customer left while a payment was under way: not paid and not failed (specification 3).
 */
export class ConfirmationPendingEvent extends NativeEvent {
  constructor() {
    super('service-pay-confirmation-pending', EVERYWHERE);
  }
}

/** An error that a developer or operator must fix; `error.code` says which (D20). */
export class PaymentErrorEvent extends NativeEvent {
  /** The error, with its `code`. */
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
