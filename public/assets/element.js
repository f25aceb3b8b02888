import { logEvent, makeReference } from './event-log.js';

const element = document.querySelector('service-pay');
const events = [
  'service-pay-success',
  'service-pay-close',
  'service-pay-confirmation-pending',
  'service-pay-error',
];

element.reference = makeReference();
for (const name of events) {
  element.addEventListener(name, ({ reference, error }) => {
    logEvent(name, reference ?? error?.message);
    // The next press is a new payment.
    if (name === 'service-pay-success') element.reference = makeReference();
  });
}
