import { loadServicePay } from '@service-pay/widget/loader';

import { logEvent, makeReference } from './event-log.js';

const button = document.querySelector<HTMLButtonElement>('#pay')!;
const { scriptUrl = '', publicKey = '' } = button.dataset;

button.addEventListener('click', async () => {
  try {
    // creates the only Trusted Types policy needed, service-pay
    const ServicePay = await loadServicePay(scriptUrl);
    ServicePay?.getPaid({
      key: publicKey,
      email: 'ada@example.com',
      reference: makeReference(),
      amount: '10.75',
      currency: 'ZMW',
      onSuccess: ({ reference }) => logEvent('onSuccess', reference),
      onClose: () => logEvent('onClose'),
      onConfirmationPending: () => logEvent('onConfirmationPending'),
    });
  } catch (error) {
    logEvent('load_failed', (error as Error).message); // the next press tries again
  }
});
