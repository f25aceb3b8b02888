export type { Language } from '@service-pay/contract/languages';
export { type PhoneToPayBy, TEST_CARDS, TEST_PHONES } from './named-numbers.ts';
export { type CardDetails, PaymentPopup, type PaymentPopupOptions } from './payment-popup.ts';
export {
  type ServicePayFixtures,
  type ServicePayWorkerFixtures,
  test,
} from './playwright-fixtures.ts';
