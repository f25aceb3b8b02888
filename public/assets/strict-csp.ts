import { loadServicePay } from '@service-pay/widget/loader';

import { makeReference, tell } from './heard.js';

const button = document.querySelector<HTMLButtonElement>('#pay')!;
const { scriptUrl = '', publicKey = '' } = button.dataset;

button.addEventListener('click', async () => {
  try {
    // makes the one Trusted Types policy, service-pay
    const ServicePay = await loadServicePay(scriptUrl);
    ServicePay?.getPaid({
      key: publicKey,
      email: 'ada@example.com',
      reference: makeReference(),
      amount: '10.75',
      currency: 'ZMW',
      onSuccess: ({ reference }) => tell('onSuccess', reference),
      onClose: () => tell('onClose'),
      onConfirmationPending: () => tell('onConfirmationPending'),
    });
  } catch (error) {
    tell('load_failed', (error as Error).message); // the next press tries again
  }
});
