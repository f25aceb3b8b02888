import './require-node.ts';

export { signWebhook } from '@service-pay/contract/webhook-signature';
export {
  anyOwner,
  type CheckoutDetails,
  createPayments,
  Payments,
  type Whose,
} from './create-payments.ts';
export { envelope, PaymentsError, type PaymentsErrorCode } from './errors.ts';
export type { Fulfil, PaidOrder } from './fulfilment/fulfil.ts';
export type { Logger } from './observe/log.ts';
export type { PaymentsOptions } from './options.ts';
export type { NewOrder } from './payments/create.ts';
export type { OrderState } from './payments/order-state.ts';
export type { Payment, ShownPayment } from './payments/payment.ts';
export { getCollection } from './service/client.ts';
export { type Clock, keepAlive, pauseForCaller as pause, realClock } from './support/clock.ts';
export type { Transaction } from './transaction.ts';
export { verifyWebhook } from './webhooks/event.ts';
export type {
  WebhookRequest,
  WebhookResponse,
  /** @deprecated Its name until the next version. */
  WebhookResponse as WebhookAnswer,
} from './webhooks/receive.ts';
