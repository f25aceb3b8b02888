// The dialogs of the controls: each opens with what the sandbox says now.

import { buildAction, buildCurlButton, tellFailure, wireForm } from './actions.js';
import { startFaults } from './dashboard-faults.js';
import { offerMerchants, startMerchants } from './dashboard-merchants.js';
import { find, make, setText, showItems } from './elements.js';
import { dateTime } from './formats.js';
import { ask } from './sandbox-client.js';
import { clockState, sandboxNow, setClock } from './sandbox-time.js';
import { buildAgo, refreshTimes } from './times.js';

/** Steps of the clock worth a button of their own, with what they are good for. */
const STEPS = /** @type {const} */ ([
  ['30 s', 30],
  ['3 min', 180],
  ['30 min', 1_800],
  ['24 h', 86_400],
]);

/** What a dialog shows is read by a call, too. */
const READINGS = /** @type {const} */ ([
  ['clock', '/clock'],
  ['scenarios', '/scenarios'],
  ['faults', '/faults'],
  ['merchant', '/merchants'],
]);

/** What each dialog does when it opens. @type {Record<string, () => void>} */
const onOpen = {};

/** Wires every dialog, and the buttons that open and close them. */
export function startDialogs() {
  startClock();
  startScenarios();
  onOpen['faults'] = startFaults();
  startPhones();
  onOpen['merchant'] = startMerchants();
  startPlace();
  onOpen['reset'] = wireForm('reset', {
    call: () => ({ method: 'POST', path: '/reset' }),
    said: 'The sandbox is empty and as at start.',
  }).refresh;
  for (const [id, path] of READINGS) {
    const ending = /** @type {HTMLElement} */ (
      find(id).querySelector(':scope > .buttons, form:last-child > .buttons')
    );
    ending.prepend(buildCurlButton(path.slice(1), () => ({ method: 'GET', path }), 'curl GET'));
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

/** Shows where the clock stands. */
export function showClock() {
  const clock = clockState();
  if (!clock) return;
  const { mode, nextDueAt } = clock;
  showTime();
  setText(find('clock-mode'), mode === 'real' ? 'UTC' : 'UTC, stands still');
  const due = find('clock-due');
  due.replaceChildren(
    ...(nextDueAt
      ? [
          'Next due: ',
          make('time', { datetime: nextDueAt }, `${dateTime(nextDueAt)} UTC`),
          ', ',
          buildAgo(nextDueAt),
        ]
      : [nextDueAt === null ? 'Nothing is due.' : '']),
  );
}

/** Shows what time it is in the sandbox, and how long everything has been. */
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
  find('clock-steps').append(
    ...STEPS.map(([name, seconds]) =>
      buildAction({
        label: `+${name}`,
        call: () => ({ method: 'POST', path: '/clock/advance', body: { seconds } }),
        said,
        after,
      }),
    ),
  );
  const stop = /** @type {HTMLFormElement} */ (find('clock-stop'));
  stop.addEventListener('submit', (event) => event.preventDefault());
  const readStop = () => {
    const now = `${new FormData(stop).get('now')}`;
    return { mode: 'virtual', ...(now && { now: new Date(`${now}Z`).toISOString() }) };
  };
  find('clock-modes').append(
    buildAction({
      label: 'Stop the clock',
      call: () => ({ method: 'PUT', path: '/clock', body: readStop() }),
      said,
      after,
    }),
    buildAction({
      label: 'Let it run',
      call: () => ({ method: 'PUT', path: '/clock', body: { mode: 'real' } }),
      said,
      after,
    }),
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

function startScenarios() {
  find('scenarios-disarm').append(
    buildAction({
      label: 'Disarm',
      call: () => ({ method: 'DELETE', path: '/scenarios' }),
      said: 'No scenario is armed.',
      after: showScenarios,
    }),
  );
  const form = /** @type {HTMLFormElement} */ (find('scenarios-for'));
  form.addEventListener('submit', (event) => event.preventDefault());
  onOpen['scenarios'] = () => {
    offerMerchants(scenarioMerchant(), 'any merchant');
    void showScenarios();
  };
}

/** Whose next payment a scenario is armed for. */
function scenarioMerchant() {
  return /** @type {HTMLSelectElement} */ (
    /** @type {HTMLFormElement} */ (find('scenarios-for')).elements.namedItem('merchant')
  );
}

/** Shows the scenarios there are and which is armed, in the dialog and beside its button. */
export async function showScenarios() {
  try {
    const { data } = await ask({ method: 'GET', path: '/scenarios' });
    const flag = find('armed-scenario');
    flag.hidden = data.armed === null;
    flag.replaceChildren(
      ...(data.armed === null ? [] : ['1', make('span', { class: 'unseen' }, ' armed')]),
    );
    const whose =
      data.armedFor === null ? 'the next payment' : `the next payment of ${data.armedFor}`;
    setText(
      find('scenarios-armed'),
      data.armed === null ? 'No scenario is armed.' : `Armed for ${whose}: ${data.armed}.`,
    );
    find('scenarios-disarm').hidden = data.armed === null;
    showItems(
      find('scenarios-list'),
      data.scenarios.map((/** @type {object} */ scenario) => ({
        ...scenario,
        isArmed: /** @type {any} */ (scenario).name === data.armed,
      })),
      { keyOf: (/** @type {any} */ { name }) => name, build: buildScenario },
    );
  } catch (error) {
    setText(find('scenarios-armed'), tellFailure(error));
  }
}

/**
 * @param {{ name: string, summary: string, steps: string[], shop: string, isArmed: boolean }} scenario
 */
function buildScenario({ name, summary, steps, shop, isArmed }) {
  return make(
    'li',
    { class: 'scenario' },
    make('p', {}, make('code', {}, name), isArmed && make('span', { class: 'tag' }, 'armed')),
    make('p', { class: 'quiet' }, summary),
    make(
      'details',
      {},
      make('summary', {}, 'How to see it'),
      make('ol', { class: 'steps' }, ...steps.map((step) => make('li', {}, step))),
      make('p', {}, make('strong', {}, 'A correct shop: '), shop),
    ),
    buildAction({
      label: `Arm ${name}`,
      call: () => {
        const { value: merchant } = scenarioMerchant();
        return {
          method: 'POST',
          path: `/scenarios/${encodeURIComponent(name)}`,
          ...(merchant && { body: { merchant } }),
        };
      },
      said: `${name} is armed for the next payment.`,
      after: () => void showScenarios(),
    }),
  );
}

function startPhones() {
  const form = /** @type {HTMLFormElement} */ (find('phone-form'));
  const number = () => `${new FormData(form).get('number')}`.trim();
  const link = make('a', { target: '_blank', rel: 'opener' }, 'Open the handset');
  const refresh = () => {
    link.href = `/phone/${encodeURIComponent(number())}`;
  };
  form.addEventListener('input', refresh);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    link.click();
  });
  find('phones-actions').append(
    make(
      'span',
      { class: 'action-line' },
      link,
      buildCurlButton(
        'phone',
        () => ({ method: 'GET', path: `/phones/${encodeURIComponent(number())}` }),
        'curl GET',
      ),
    ),
    ...['approve', 'decline'].map((answer) =>
      buildAction({
        label: answer === 'approve' ? 'Approve newest prompt' : 'Decline newest prompt',
        call: () => ({ method: 'POST', path: `/phones/${encodeURIComponent(number())}/${answer}` }),
        said: ({ reference }) => `${answer === 'approve' ? 'Approved' : 'Declined'}: ${reference}.`,
      }),
    ),
  );
  onOpen['phones'] = refresh;
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
    /** @type {HTMLInputElement} */ (form.elements.namedItem('reference')).value =
      `order-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;
    refresh();
  };
}
