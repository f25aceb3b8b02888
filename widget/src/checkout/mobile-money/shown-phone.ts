import type { Attempt } from '@service-pay/contract/checkout-api';

/**
 * Returns a phone as it is shown, `096 ••• 1111`: enough to know it by, and not the whole number.
 * No line breaks within it, and it keeps its own direction.
 */
export function showPhone({ firstDigits, lastDigits }: NonNullable<Attempt['prompt']>): string {
  const parts = [firstDigits, '•••', lastDigits].filter(Boolean);
  return `\u2066${parts.join('\u00a0')}\u2069`;
}
