// The dialogs of the toolbar.

import type { Collection } from '@service-pay/contract/collection';
import type { PayResult } from '../../src/control/outputs.ts';
import { action, curlButton, wireForm } from '../parts/actions.ts';
import { fieldOf, find } from '../parts/elements.ts';
import { nameStatus } from '../parts/formats.ts';
import { html, render } from '../parts/lit.ts';
import { startClock } from './clock.ts';
import { startFaults } from './faults.ts';
import { offerMerchants, startMerchants } from './merchants.ts';
import type { ScenarioList } from './scenarios.ts';

/** Calls that return the data of a dialog. */
const READINGS = [
  ['clock', '/clock'],
  ['scenarios', '/scenarios'],
  ['faults', '/faults'],
  ['merchant', '/merchants'],
] as const;

const onOpen: Record<string, () => void> = {};

/** `readOverview` reads again what the dialogs show. */
export function startDialogs(readOverview: () => void) {
  onOpen['clock'] = startClock(readOverview);
  const scenarios = document.querySelector<ScenarioList>('scenario-list')!;
  onOpen['scenarios'] = () => scenarios.open();
  onOpen['faults'] = startFaults();
  startPhones();
  onOpen['merchant'] = startMerchants();
  startPay();
  startPlace();
  onOpen['reset'] = wireForm('reset', {
    call: () => ({ method: 'POST', path: '/reset' }),
    said: 'The sandbox is reset.',
  }).refresh;
  for (const [id, path] of READINGS) {
    const ending = find(id).querySelector<HTMLElement>(
      ':scope > .buttons, form:last-child > .buttons',
    )!;
    render(
      curlButton(path.slice(1), () => ({ method: 'GET', path }), 'curl GET'),
      ending,
      { renderBefore: ending.firstChild },
    );
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-opens]')) {
    const id = button.dataset['opens'] ?? '';
    button.addEventListener('click', () => {
      onOpen[id]?.();
      find<HTMLDialogElement>(id).showModal();
    });
  }
  for (const button of document.querySelectorAll('[data-closes]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
}

function startPhones() {
  const form = find<HTMLFormElement>('phone-form');
  const number = () => `${new FormData(form).get('number')}`.trim();
  render(
    html`<span class="action-line"
        ><a target="_blank" rel="opener">Open the phone</a>${curlButton(
          'phone',
          () => ({ method: 'GET', path: `/phones/${encodeURIComponent(number())}` }),
          'curl GET',
        )}</span
      >${(['approve', 'decline'] as const).map((answer) =>
        action({
          label: answer === 'approve' ? 'Approve newest prompt' : 'Decline newest prompt',
          call: () => ({
            method: 'POST',
            path: `/phones/${encodeURIComponent(number())}/${answer}`,
          }),
          said: ({ reference }: { reference: string }) =>
            `${answer === 'approve' ? 'Approved' : 'Declined'}: ${reference}.`,
        }),
      )}`,
    find('phones-actions'),
  );
  const link = find('phones-actions').querySelector<HTMLAnchorElement>('a')!;
  const refresh = () => {
    link.href = `/phone/${encodeURIComponent(number())}`;
  };
  form.addEventListener('input', refresh);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    link.click();
  });
  onOpen['phones'] = refresh;
}

function startPay() {
  const { form, refresh } = wireForm('pay', {
    call: (form) => {
      const data = new FormData(form);
      const [kind = 'card', number] = `${data.get('with')}`.split(' ');
      const answer = data.get('approve');
      return {
        method: 'POST',
        path: '/pay',
        body: {
          merchant: data.get('merchant'),
          reference: data.get('reference'),
          amount: data.get('amount'),
          [kind]: number,
          ...(answer && { approve: answer === 'yes' }),
        },
      };
    },
    said: ({ reference, status }: PayResult) => `${reference}: ${nameStatus(status)}.`,
  });
  onOpen['pay'] = () => {
    offerMerchants(fieldOf<HTMLSelectElement>(form, 'merchant'));
    nameReference(form);
    refresh();
  };
}

function startPlace() {
  const { form, refresh } = wireForm('place', {
    call: (form) => {
      const data = new FormData(form);
      return {
        method: 'POST',
        path: '/collections',
        body: {
          merchant: data.get('merchant'),
          reference: data.get('reference'),
          amount: data.get('amount'),
          status: data.get('status'),
          type: data.get('type'),
          ...(data.has('notify') && { notify: true }),
        },
      };
    },
    said: ({ reference }: Collection) => `${reference} is placed.`,
  });
  onOpen['place'] = () => {
    offerMerchants(fieldOf<HTMLSelectElement>(form, 'merchant'));
    nameReference(form);
    refresh();
  };
}

function nameReference(form: HTMLFormElement) {
  fieldOf(form, 'reference').value =
    `order-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
}
