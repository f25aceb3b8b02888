import { logEvent, makeReference } from './event-log.js';

const pay = document.getElementById('pay');
const element = document.querySelector('service-pay');
const key = pay.dataset.publicKey;

/** The frame of a popup that the element or `getPaid` opened, once it can be used. */
const READY = ['service-pay', 'service-pay-popup']
  .map((parent) => `${parent} > iframe:not([inert])`)
  .join();

// Loads the form of this shop before the click.
document
  .getElementById('ahead')
  .addEventListener('click', () => window.ServicePay?.preload({ key }));

pay.addEventListener('click', () => {
  void measure();
  window.ServicePay?.getPaid({
    key,
    email: 'ada@example.com',
    reference: makeReference(),
    amount: '10.75',
    currency: 'ZMW',
    onSuccess: ({ reference }) => logEvent('onSuccess', reference),
    onClose: () => logEvent('onClose'),
    onConfirmationPending: () => logEvent('onConfirmationPending'),
  });
});

// The element needs no call: it loads the form when a pointer or the focus reaches it.
element.addEventListener('click', measure, { capture: true });
element.addEventListener('service-pay-success', ({ reference }) =>
  logEvent('service-pay-success', reference),
);
element.addEventListener('service-pay-close', () => logEvent('service-pay-close'));
element.addEventListener('service-pay-confirmation-pending', () =>
  logEvent('service-pay-confirmation-pending'),
);
element.addEventListener('service-pay-error', ({ error }) => logEvent(error.code, error.message));

/** Logs how long the form took after this press, and whether it was preloaded. */
async function measure() {
  element.reference = makeReference();
  const pressedAt = performance.now();
  const how = document.querySelector('body > service-pay-layer > iframe')
    ? 'loaded ahead'
    : 'loaded at the press';
  do await new Promise(requestAnimationFrame);
  while (findPopup() && !document.querySelector(READY));
  if (findPopup())
    logEvent(`The form was ready after ${Math.round(performance.now() - pressedAt)} ms,`, how);
}

/** Finds the popup. A page can see its frame appear, but nothing inside the frame. */
function findPopup() {
  const roots = [element.shadowRoot, document];
  return roots.map((root) => root?.querySelector('service-pay-popup')).find(Boolean);
}
