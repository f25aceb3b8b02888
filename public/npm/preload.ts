import { getPaid, preload } from '@service-pay/widget';

import { log } from './log.ts';

const key = 'pub_sandbox_demo';
const [ahead, pay] = document.querySelectorAll<HTMLElement>('#preload button');

ahead?.addEventListener('click', () => preload({ key }));

pay?.addEventListener('click', () => {
  void measure(pay);
  getPaid({
    key,
    email: 'ada@example.com',
    reference: crypto.randomUUID(),
    amount: '10.75',
    currency: 'ZMW',
    onSuccess: ({ reference }) => log(pay, 'onSuccess', reference),
    onClose: () => log(pay, 'onClose'),
    onConfirmationPending: () => log(pay, 'onConfirmationPending'),
  });
});

/** Logs how long the form took after this press, and whether it was preloaded. */
async function measure(button: Element): Promise<void> {
  const pressedAt = performance.now();
  const how = document.querySelector('body > service-pay-layer > iframe')
    ? 'loaded ahead'
    : 'loaded at the press';
  const find = (what: string) => document.querySelector(`service-pay-popup${what}`);
  do await new Promise(requestAnimationFrame);
  while (find('') && !find(' > iframe:not([inert])'));
  const time = Math.round(performance.now() - pressedAt);
  if (find('')) log(button, `The form was ready after ${time} ms, ${how}.`);
}
