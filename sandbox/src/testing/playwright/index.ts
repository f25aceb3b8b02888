import '../../app/require-node.ts';

export type { Language } from '@service-pay/contract/languages';
export { type PhoneToPayBy, TEST_CARDS, TEST_PHONES } from '../../test-numbers/named-numbers.ts';
export {
  type ServicePayFixtures,
  type ServicePayWorkerFixtures,
  test,
} from './fixtures.ts';
export { type CardDetails, PaymentPopup, type PaymentPopupOptions } from './popup.ts';
