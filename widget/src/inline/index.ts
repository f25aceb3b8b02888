export { isServicePayError, ServicePayError, type ServicePayErrorCode } from './errors.ts';
export {
  ClosedEvent,
  ConfirmationPendingEvent,
  PaymentErrorEvent,
  SuccessEvent,
} from './events.ts';
export { getPaid, type PaymentOptions, preload } from './get-paid.ts';
export type { ServicePayGlobal } from './loader.ts';
export type { Outcome } from './outcome.ts';
export type { PaymentHandle, PaymentResult } from './payment.ts';
export { configure } from './service.ts';
export { type PreparedRequest, ServicePayElement } from './service-pay.ts';
