import type { CreateAttempt } from '@service-pay/contract/checkout-api';

export type AttemptOf<Channel extends CreateAttempt['channel']> = Omit<
  Extract<CreateAttempt, { channel: Channel }>,
  'id'
>;
export type NewAttempt = AttemptOf<'card'> | AttemptOf<'mobile-money'>;
