import type { Attempt } from '@service-pay/contract/checkout-api';

/**
 * Returns a phone as `096 ••• 1111`: recognisable, but not the whole number. It does not wrap and
 * keeps its own direction.
 */
export function showPhone({ firstDigits, lastDigits }: NonNullable<Attempt['prompt']>): string {
  const parts = [firstDigits, '•••', lastDigits].filter(Boolean);
  return `\u2066${parts.join('\u00a0')}\u2069`;
}
