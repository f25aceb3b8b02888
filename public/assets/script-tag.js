import { logEvent, makeReference } from './event-log.js';

const form = document.getElementById('payment');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { amount, currency, email } = Object.fromEntries(new FormData(form));
  if (!window.ServicePay) {
    logEvent('The payment script did not load.', 'Is the sandbox running?');
    return;
  }
  try {
    const { result } = window.ServicePay.getPaid({
      key: form.dataset.publicKey,
      email,
      reference: makeReference(),
      amount,
      currency,
      label: 'Demo pages',
      onSuccess: ({ reference }) => logEvent('onSuccess', reference),
      onClose: () => logEvent('onClose'),
      onConfirmationPending: () => logEvent('onConfirmationPending'),
    });
    const { outcome, reference } = await result;
    logEvent('result', `${outcome}, ${reference}`);
  } catch (error) {
    logEvent(
      error.code ?? error.name,
      error.problems?.map(({ message }) => message).join(' ') ?? error.message,
    );
  }
});
