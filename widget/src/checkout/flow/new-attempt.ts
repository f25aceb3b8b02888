import type { AttemptOf } from '@service-pay/contract/typed-attempt';

export type NewAttempt = AttemptOf<'card'> | AttemptOf<'mobile-money'>;
