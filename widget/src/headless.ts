/** The parts of the popup and of the flow that need no window, for the models in e2e. */

export { watchAttempt } from './checkout/flow/attempt-watch.ts';
export { CheckoutFlow, type CheckoutFlowDeps } from './checkout/flow/checkout-flow.ts';
export { CheckoutClient, CheckoutError } from './checkout/flow/client.ts';
export type { NewAttempt } from './checkout/flow/new-attempt.ts';
export {
  isAskedToStay,
  isFinal,
  isSending,
  type Payable,
  payableOf,
  screenOf,
  sentOf,
} from './checkout/flow/payment-state.ts';
export { promptActions } from './checkout/flow/waiting-state.ts';
export { greetPage, type PageLink } from './checkout/page/link.ts';
export { Reporter } from './checkout/page/reporter.ts';
export type { PopupCallbacks } from './flow/options.ts';
export { OrderFlow } from './flow/order-flow.ts';
export type { FlowStorage, Page, PageNews } from './flow/page.ts';
export { type PopupOptions, type ShopApi, ShopError, type ShopPayment } from './flow/shop-api.ts';
export type { Fact, Outcome } from './inline/outcome.ts';
export { PaymentCourse } from './inline/payment-course.ts';
