// What comes after the first form. A file of its own, so that nobody waits for it before typing;
// `CheckoutClient` brings it with the session.
import '../mobile-money/code-form.ts';
import '../parts/language-switch.ts';
import '../mobile-money/form.ts';
import '../parts/marks.ts';
import './extend-session.ts';
import '../parts/test-numbers.ts';
import '../parts/problem-list.ts';
import './receipt.ts';
import './waiting.ts';
import { renderBilling } from '../card/billing.ts';
import { CardForm } from '../card/form.ts';
import { enScreens } from '../language/messages/en-screens.ts';
import { addEnglish } from '../language/messages/messages.ts';

addEnglish(enScreens);
CardForm.renderBilling = renderBilling;
