// Everything after the first form, in a chunk of its own, so that typing need not wait for it.
// `CheckoutClient` loads it with the session.
import '../mobile-money/code-form.ts';
import '../parts/language-switch.ts';
import '../mobile-money/form.ts';
import '../parts/marks.ts';
import './extend-session.ts';
import './success.ts';
import './test-numbers.ts';
import './waiting.ts';
import { renderBilling } from '../card/billing.ts';
import { laterBilling } from '../card/later-billing.ts';
import { buildAttemptId } from '../flow/attempt-id.ts';
import { SuccessCount } from '../flow/success-count.ts';
import { enScreens } from '../language/messages/en-screens.ts';
import { addEnglish } from '../language/messages/messages.ts';
import { renderList } from '../parts/problem-list.ts';
import { type Later, later } from './later.ts';
import { renderSession } from './session.ts';
import { findSessionAlert, findSessionNews } from './session-copy.ts';

addEnglish(enScreens);
const parts: Later = {
  buildAttemptId,
  renderSession,
  findSessionAlert,
  findSessionNews,
  SuccessCount,
};
Object.assign(later, parts);
Object.assign(laterBilling, { render: renderBilling, renderList });
