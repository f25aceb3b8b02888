import type { Network } from '@service-pay/contract/checkout-api';
import { findPhone } from '@service-pay/contract/phone';

export { findNetwork } from '@service-pay/contract/phone';

/** Returns a number as its country writes it, by the service's rule; undefined unless it is one. */
export function findNationalNumber(text: string, networks: readonly Network[]): string | undefined {
  return findPhone(text, networks)?.national;
}
