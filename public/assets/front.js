import { logEvent, makeReference } from './event-log.js';

const element = document.querySelector('service-pay');

element.reference = makeReference();
element.addEventListener('service-pay-success', ({ reference }) => {
  logEvent('Paid', reference);
  element.reference = makeReference();
});
element.addEventListener('service-pay-close', () => logEvent('Closed', 'without paying'));
element.addEventListener('service-pay-confirmation-pending', () =>
  logEvent('Pending', 'the result is not known yet'),
);
element.addEventListener('service-pay-error', ({ error }) => logEvent(error.code, error.message));
