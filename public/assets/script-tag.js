import { makeReference, tell } from './heard.js';

const form = document.getElementById('payment');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { amount, currency, email } = Object.fromEntries(new FormData(form));
  if (!window.ServicePay) {
    tell('The payment script did not load.', 'Is the sandbox running?');
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
      onSuccess: ({ reference }) => tell('onSuccess', reference),
      onClose: () => tell('onClose'),
      onConfirmationPending: () => tell('onConfirmationPending'),
    });
    const { outcome, reference } = await result;
    tell('result', `${outcome}, ${reference}`);
  } catch (error) {
    tell(
      error.code ?? error.name,
      error.problems?.map(({ message }) => message).join(' ') ?? error.message,
    );
  }
});
