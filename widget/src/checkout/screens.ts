// What comes after the first form. A file of its own, so that nobody waits for it before typing;
// `CheckoutClient` brings it with the session.
import './code-form.ts';
import './language-switch.ts';
import './mobile-money-form.ts';
import './more-time.ts';
import './problem-list.ts';
import './waiting-screen.ts';
import { enScreens } from './messages/en-screens.ts';
import { addEnglish } from './messages/messages.ts';

addEnglish(enScreens);
