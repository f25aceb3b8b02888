import type { buildAttemptId } from '../flow/attempt-id.ts';
import type { SuccessCount } from '../flow/success-count.ts';
import type { renderSession } from './session.ts';
import type { findSessionAlert, findSessionNews } from './session-copy.ts';

/** Parts of the frame that are not needed before the service has answered. */
export interface Later {
  buildAttemptId: typeof buildAttemptId;
  renderSession: typeof renderSession;
  findSessionAlert: typeof findSessionAlert;
  findSessionNews: typeof findSessionNews;
  SuccessCount: typeof SuccessCount;
}

/** Filled in by `lazy.ts`, which `CheckoutClient` awaits before it gives the first answer. */
export const later = {} as Later;
