export type { FlowPayment, FlowProblem, FlowState, PaymentAnswer, Screen } from './flow-state.ts';
export type { FlowStorage } from './page.ts';
export {
  type CartOption,
  createPaymentFlow,
  type FlowOptions,
  type PaymentFlow,
  type PlaceOrder,
  type PopupCallbacks,
} from './payment-flow.ts';
export type { PopupOptions, ShopApi } from './shop-api.ts';
