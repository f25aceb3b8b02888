// What comes after a form. A file of its own, so that nobody waits for it before typing; `CheckoutClient` brings it with the session.
import './code-form.ts';
import './waiting-screen.ts';
