import type { Attempt } from '@service-pay/contract/checkout-api';

/** Returns a phone as it is shown, `096 ••• 1111`: enough to know it by, and not the whole number. */
export function showPhone(prompt: NonNullable<Attempt['prompt']>): string {
  return `\u2066${prompt.firstDigits ?? ''} ••• ${prompt.lastDigits}\u2069`.replace(
    '\u2066 ',
    '\u2066',
  );
}
