export type { FlowPayment, FlowProblem, FlowState, Screen } from './flow-state.ts';
export {
  type CartOption,
  createPaymentFlow,
  type FlowOptions,
  type OrderFlow as PaymentFlow,
  type PlaceOrder,
  type PopupCallbacks,
} from './order-flow.ts';
export type { FlowStorage } from './page.ts';
export type { FlowHeaders, PopupOptions, ShopApi, ShopPayment } from './shop-api.ts';
