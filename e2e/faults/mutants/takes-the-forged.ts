import { SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import type { isSignatureOf as sound } from '@service-pay/contract/webhook-signature';

export const insteadOf = '@service-pay/contract/webhook-signature';
export * from '@service-pay/contract/webhook-signature';

/** Takes whatever looks like a signature for one. */
export const isSignatureOf: typeof sound = (_rawBody, signature) =>
  SIGNATURE_PATTERN.test(String(signature));
