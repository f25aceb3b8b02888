import { makeReference, tell } from './heard.js';

const pay = document.getElementById('pay');
const element = document.querySelector('service-pay');
const key = pay.dataset.publicKey;

// Tell the service which shop this is, and load its form, before anybody presses.
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
    onSuccess: ({ reference }) => tell('onSuccess', reference),
    onClose: () => tell('onClose'),
    onConfirmationPending: () => tell('onConfirmationPending'),
  });
});

// By intent there is nothing to write: the element loads its form when a pointer or the focus comes
// to it.
element.addEventListener('click', measure, { capture: true });
element.addEventListener('service-pay-success', ({ reference }) =>
  tell('service-pay-success', reference),
);
element.addEventListener('service-pay-close', () => tell('service-pay-close'));
element.addEventListener('service-pay-confirmation-pending', () =>
  tell('service-pay-confirmation-pending'),
);
element.addEventListener('service-pay-error', ({ error }) => tell(error.code, error.message));

/** Tells how long the form took from this press, and whether it had been loaded ahead. */
async function measure() {
  element.reference = makeReference();
  const pressedAt = performance.now();
  const how = document.querySelector('body > div > iframe')
    ? 'loaded ahead'
    : 'loaded at the press';
  do await new Promise(requestAnimationFrame);
  while (findDialog()?.querySelector('iframe:not([inert])') === null);
  if (findDialog())
    tell(`The form was ready after ${Math.round(performance.now() - pressedAt)} ms,`, how);
}

/**
 * The popup. A page sees its frame come out from behind the skeleton, and nothing of what is in the
 * frame.
 */
function findDialog() {
  const hosts = [element, document.body.lastElementChild];
  return hosts.map(({ shadowRoot }) => shadowRoot?.querySelector('dialog')).find(Boolean);
}
