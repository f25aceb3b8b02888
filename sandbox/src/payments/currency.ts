import { decimalsOf, isCurrency } from '@service-pay/contract/currency';
import { rejectFields } from '../http/api-error.ts';

export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** Rejects an unknown currency, and more decimals than the currency has, with 400·01 (D48). */
export function rejectCurrency({ amount, currency }: Money): void {
  if (!isCurrency(currency))
    rejectFields([
      {
        path: 'currency',
        code: 'invalid',
        message: 'currency must be an ISO 4217 code, such as "ZMW".',
      },
    ]);
  if (decimalsOf(currency) === 0 && !amount.endsWith('.00'))
    rejectFields([
      {
        path: 'amount',
        code: 'invalid',
        message: `amount must be whole: ${currency} has no decimals.`,
      },
    ]);
}
