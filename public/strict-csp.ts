import { loadServicePay } from '@service-pay/widget/loader';

const log = (...words: string[]) =>
  document.querySelector('[role=log]')?.append(words.join(' '), '\n');

const reference = crypto.randomUUID(); // one for each order; later: from your server

document.querySelector('button')?.addEventListener('click', async () => {
  try {
    // creates the only Trusted Types policy needed, service-pay
    const ServicePay = await loadServicePay('http://localhost:4010/js/v1/inline.js');
    ServicePay?.getPaid({
      key: 'pub_sandbox_demo',
      email: 'ada@example.com',
      reference,
      amount: '10.75',
      currency: 'ZMW',
      onSuccess: () => log('onSuccess', reference), // later: verify it on your server first
      onClose: () => log('onClose'),
      onConfirmationPending: () => log('onConfirmationPending'),
    });
  } catch (error) {
    log((error as Error).message); // the next press tries again
  }
});
