import { decimalsOf } from '@service-pay/contract/currency';
import type { Bearer } from '@service-pay/contract/payment-request-schema';
import Big from 'big.js';
import type { Money } from './currency.ts';

export const FEE_RATE = '0.025';

/** The parts of one payment, as decimals in whole units of its currency. */
export interface Charge {
  readonly fee: string;
  readonly total: string;
  readonly settled: string;
}

/** Splits an amount by who bears the fee, rounding half up to the currency's decimals (D36, D48). */
export function chargeFor({ amount, currency }: Money, bearer: Bearer): Charge {
  const requested = new Big(amount);
  const fee = requested.times(FEE_RATE).round(decimalsOf(currency), Big.roundHalfUp);
  return bearer === 'customer'
    ? { fee: fee.toFixed(2), total: requested.plus(fee).toFixed(2), settled: requested.toFixed(2) }
    : {
        fee: fee.toFixed(2),
        total: requested.toFixed(2),
        settled: requested.minus(fee).toFixed(2),
      };
}
