export type { FlowPayment, FlowProblem, FlowState, Screen } from './flow-state.ts';
export type { CartOption, FlowOptions, PopupCallbacks } from './options.ts';
export { createPaymentFlow, type OrderFlow as PaymentFlow } from './order-flow.ts';
export type { FlowStorage } from './page.ts';
export type { FlowHeaders, PopupOptions, ShopApi, ShopPayment } from './shop-api.ts';
export type { PlaceOrder } from './shop-calls.ts';
