// The dialogs of the toolbar.

import { action, curlButton, wireForm } from '../parts/actions.js';
import { find, setText } from '../parts/elements.js';
import { dateTime } from '../parts/formats.js';
import { html, render } from '../parts/lit.js';
import { clockState, sandboxNow, setClock } from '../parts/sandbox-time.js';
import { ago, refreshTimes } from '../parts/times.js';
import { startFaults } from './faults.js';
import { offerMerchants, startMerchants } from './merchants.js';

/** @import { ScenarioList } from './scenarios.js' */

const STEPS = /** @type {const} */ ([
  ['30 s', 30],
  ['3 min', 180],
  ['30 min', 1_800],
  ['24 h', 86_400],
]);

/** Calls that return the data of a dialog. */
const READINGS = /** @type {const} */ ([
  ['clock', '/clock'],
  ['scenarios', '/scenarios'],
  ['faults', '/faults'],
  ['merchant', '/merchants'],
]);

/** @type {Record<string, () => void>} */
const onOpen = {};

export function startDialogs() {
  startClock();
  const scenarios = /** @type {ScenarioList} */ (document.querySelector('scenario-list'));
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
    const ending = /** @type {HTMLElement} */ (
      find(id).querySelector(':scope > .buttons, form:last-child > .buttons')
    );
    render(
      curlButton(path.slice(1), () => ({ method: 'GET', path }), 'curl GET'),
      ending,
      { renderBefore: ending.firstChild },
    );
  }
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll('[data-opens]')
  )) {
    const id = button.dataset['opens'] ?? '';
    button.addEventListener('click', () => {
      onOpen[id]?.();
      /** @type {HTMLDialogElement} */ (find(id)).showModal();
    });
  }
  for (const button of document.querySelectorAll('[data-closes]')) {
    button.addEventListener('click', () => button.closest('dialog')?.close());
  }
}

export function showClock() {
  const clock = clockState();
  if (!clock) return;
  const { mode, nextDueAt } = clock;
  showTime();
  setText(find('clock-mode'), mode === 'real' ? 'UTC' : 'UTC, stopped');
  const due = nextDueAt
    ? html`Next due: <time datetime=${nextDueAt}>${dateTime(nextDueAt)} UTC</time>, ${ago(nextDueAt)}`
    : nextDueAt === null && 'Nothing is due.';
  render(due || '', find('clock-due'));
}

export function showTime() {
  const now = sandboxNow();
  if (!Number.isNaN(now)) setText(find('clock-now'), dateTime(new Date(now).toISOString()));
  refreshTimes();
}

function startClock() {
  const said = (/** @type {any} */ clock) => `It is ${dateTime(clock.now)} UTC in the sandbox.`;
  const after = (/** @type {any} */ clock) => {
    setClock(clock);
    showClock();
  };
  render(
    STEPS.map(([name, seconds]) =>
      action({
        label: `+${name}`,
        call: () => ({ method: 'POST', path: '/clock/advance', body: { seconds } }),
        said,
        after,
      }),
    ),
    find('clock-steps'),
  );
  const stop = /** @type {HTMLFormElement} */ (find('clock-stop'));
  stop.addEventListener('submit', (event) => event.preventDefault());
  const readStop = () => {
    const now = `${new FormData(stop).get('now')}`;
    return { mode: 'virtual', ...(now && { now: new Date(`${now}Z`).toISOString() }) };
  };
  render(
    [
      action({
        label: 'Stop the clock',
        call: () => ({ method: 'PUT', path: '/clock', body: readStop() }),
        said,
        after,
      }),
      action({
        label: 'Let it run',
        call: () => ({ method: 'PUT', path: '/clock', body: { mode: 'real' } }),
        said,
        after,
      }),
    ],
    find('clock-modes'),
  );
  const { refresh } = wireForm('clock', {
    call: (form) => {
      const data = new FormData(form);
      return {
        method: 'POST',
        path: '/clock/advance',
        body: { seconds: Number(data.get('number')) * Number(data.get('unit')) },
      };
    },
    said,
    after,
  });
  onOpen['clock'] = refresh;
}

function startPhones() {
  const form = /** @type {HTMLFormElement} */ (find('phone-form'));
  const number = () => `${new FormData(form).get('number')}`.trim();
  render(
    html`<span class="action-line"
        ><a target="_blank" rel="opener">Open the phone</a>${curlButton(
          'phone',
          () => ({ method: 'GET', path: `/phones/${encodeURIComponent(number())}` }),
          'curl GET',
        )}</span
      >${
        /** @type {const} */ (['approve', 'decline']).map((answer) =>
          action({
            label: answer === 'approve' ? 'Approve newest prompt' : 'Decline newest prompt',
            call: () => ({
              method: 'POST',
              path: `/phones/${encodeURIComponent(number())}/${answer}`,
            }),
            said: ({ reference }) =>
              `${answer === 'approve' ? 'Approved' : 'Declined'}: ${reference}.`,
          }),
        )
      }`,
    find('phones-actions'),
  );
  const link = /** @type {HTMLAnchorElement} */ (find('phones-actions').querySelector('a'));
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
    said: ({ reference, status }) => `${reference}: ${status}.`,
  });
  onOpen['pay'] = () => {
    offerMerchants(/** @type {HTMLSelectElement} */ (form.elements.namedItem('merchant')));
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
    said: ({ reference }) => `${reference} is placed.`,
  });
  onOpen['place'] = () => {
    offerMerchants(/** @type {HTMLSelectElement} */ (form.elements.namedItem('merchant')));
    nameReference(form);
    refresh();
  };
}

/** @param {HTMLFormElement} form */
function nameReference(form) {
  /** @type {HTMLInputElement} */ (form.elements.namedItem('reference')).value =
    `order-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
}
