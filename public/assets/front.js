import { makeReference, tell } from './heard.js';

const element = document.querySelector('service-pay');

element.reference = makeReference();
element.addEventListener('service-pay-success', ({ reference }) => {
  tell('Paid', reference);
  element.reference = makeReference();
});
element.addEventListener('service-pay-close', () => tell('Closed', 'without paying'));
element.addEventListener('service-pay-confirmation-pending', () =>
  tell('Pending', 'the result is not known yet'),
);
element.addEventListener('service-pay-error', ({ error }) => tell(error.code, error.message));
