// Everything after the first form, in a chunk of its own, so that typing need not wait for it.
// `CheckoutClient` loads it with the session.
import '../mobile-money/code-form.ts';
import '../parts/language-switch.ts';
import '../mobile-money/form.ts';
import '../parts/marks.ts';
import './more-time.ts';
import './success.ts';
import './test-numbers.ts';
import './waiting.ts';

export { renderBilling } from '../card/billing.ts';
export { buildAttemptId } from '../flow/attempt-id.ts';
export { watchAttempt } from '../flow/attempt-watch.ts';
export { SuccessCount } from '../flow/success-count.ts';
export { isStuck } from '../flow/waiting-state.ts';
export { allWords } from '../language/messages/all-words.ts';
export { renderSession } from './session.ts';
export {
  describeWait,
  findSessionAlert,
  findSessionNews,
  renderNews,
} from './session-copy.ts';
export { updateDrafts } from './session-drafts.ts';
