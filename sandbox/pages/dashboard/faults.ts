// The form of faults.

import type {
  FaultKind,
  FaultSettings,
  FaultyPart,
  WebhookFault,
} from '../../src/faults/fault-settings.ts';
import { action, describeFailure, wireForm } from '../parts/actions.ts';
import { fieldOf, find } from '../parts/elements.ts';
import { html, nothing, render } from '../parts/lit.ts';
import { send } from '../parts/sandbox-client.ts';

const PART_NAMES: Readonly<Record<FaultyPart, string>> = {
  merchantApi: 'Merchant API',
  checkoutApi: 'Checkout API',
  checkoutPage: 'Checkout page',
  script: 'Script',
};
const PARTS = Object.entries(PART_NAMES) as [FaultyPart, string][];

const KINDS: Readonly<Record<FaultKind, string>> = {
  latency: 'late response',
  status: 'error status',
  hang: 'no response',
  reset: 'connection reset',
  truncate: 'response cut off',
  garbage: 'garbage',
  drip: 'byte by byte',
  change: 'changed fields',
};

const WEBHOOK_NAMES: Readonly<Record<WebhookFault, string>> = {
  drop: 'Lost',
  duplicate: 'Doubled',
  shuffle: 'Out of order',
  tamper: 'Tampered with',
};
const WEBHOOKS = Object.entries(WEBHOOK_NAMES);

/** A delay is fixed, or random between two lengths. */
const DELAYS = [
  ['webhooks.delayMin', 'Late by, in s'],
  ['webhooks.delayMax', 'Or up to, in s'],
] as const;

export function startFaults() {
  render(
    PARTS.map(([part, name]) => partFields(part, name)),
    find('faults-parts'),
  );
  render(
    [
      ...WEBHOOKS.map(
        ([name, label]) => html`<label>${label} ${rateField(`webhooks.${name}`, '')}</label>`,
      ),
      ...DELAYS.map(
        ([name, label]) =>
          html`<label>${label} <input type="number" name=${name} min="0" step="any" /></label>`,
      ),
    ],
    find('faults-webhooks'),
  );
  const { form, refresh } = wireForm('faults', {
    call: (form) => ({ method: 'PUT', path: '/faults', body: readFaults(new FormData(form)) }),
    said: (settings: FaultSettings) => {
      const number = countArmed(settings);
      if (number === 0) return 'No fault is on.';
      return number === 1 ? '1 fault is on.' : `${number} faults are on.`;
    },
    after: showArmed,
  });
  render(
    action({
      label: 'Clear all faults',
      call: () => ({ method: 'DELETE', path: '/faults' }),
      said: 'All faults are off.',
      after: (settings: FaultSettings) => {
        fill(settings);
        showArmed(settings);
      },
    }),
    find('faults-clear'),
  );
  const failure = form.querySelector('.failure')!;
  form.addEventListener('change', () => {
    showFields();
    refresh();
  });
  return () => {
    send<FaultSettings>({ method: 'GET', path: '/faults' }).then(
      ({ data }) => fill(data),
      (error) => {
        failure.textContent = describeFailure(error);
      },
    );
    refresh();
  };

  function fill(settings: FaultSettings) {
    form.reset();
    failure.textContent = '';
    for (const [part] of PARTS) {
      for (const [name, value] of Object.entries(settings[part] ?? {}))
        setField(`${part}.${name}`, value);
    }
    const { delaySeconds, ...rates } = settings.webhooks ?? {};
    for (const [name, value] of Object.entries(rates)) setField(`webhooks.${name}`, value);
    if (typeof delaySeconds === 'object') {
      setField('webhooks.delayMin', delaySeconds.min);
      setField('webhooks.delayMax', delaySeconds.max);
    } else if (delaySeconds !== undefined) {
      setField('webhooks.delayMin', delaySeconds);
    }
    if (settings.seed !== undefined) setField('seed', settings.seed);
    showFields();
    refresh();
  }

  function setField(name: string, value: unknown) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      field.value = typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  }

  function showFields() {
    for (const [part] of PARTS) {
      const kind = fieldOf<HTMLSelectElement>(form, `${part}.kind`).value;
      for (const label of form.querySelectorAll<HTMLElement>(`[data-part="${part}"]`)) {
        label.hidden = !(label.dataset['for'] ?? '').split(' ').includes(kind);
        // The form is sent without it, also if it has a wrong value.
        label.querySelector('input')!.disabled = label.hidden;
      }
    }
  }
}

export function showArmed(settings: FaultSettings) {
  const number = countArmed(settings);
  const flag = find('armed-faults');
  flag.hidden = number === 0;
  render(number ? html`${number}<span class="unseen"> on</span>` : nothing, flag);
}

function countArmed({ seed: _, webhooks = {}, ...parts }: FaultSettings) {
  const rates = Object.values(webhooks).filter((rate) => rate !== 0);
  return Object.values(parts).filter((fault) => fault && fault.rate > 0).length + rates.length;
}

function partFields(part: string, name: string) {
  const field = (kinds: string, label: string, input: unknown) =>
    html`<label data-part=${part} data-for=${kinds} hidden>${label} ${input}</label>`;
  return html`<fieldset>
    <legend class="unseen">${name}</legend>
    <div class="fields">
      <label
        >${name}
        <select name=${`${part}.kind`}>
          <option value="">none</option>
          ${Object.entries(KINDS).map(([kind, label]) => html`<option value=${kind}>${label}</option>`)}
        </select></label
      >
      ${field(Object.keys(KINDS).join(' '), 'Rate', rateField(`${part}.rate`, '1'))}
      ${field(
        'latency drip',
        'Milliseconds',
        html`<input type="number" name=${`${part}.latencyMs`} min="0" max="600000" />`,
      )}
      ${field(
        'status',
        'HTTP status',
        html`<input type="number" name=${`${part}.status`} min="400" max="599" />`,
      )}
      ${field(
        'status',
        'Error code',
        html`<input
          name=${`${part}.errorCode`}
          maxlength="2"
          pattern="[0-9]{2}"
          title="Two digits, such as 10"
        />`,
      )}
      ${field(
        'change',
        'Changes',
        html`<input name=${`${part}.changes`} placeholder='{"reference":"another"}' />`,
      )}
    </div>
  </fieldset>`;
}

function rateField(name: string, value: string) {
  return html`<input
    type="number"
    name=${name}
    min="0"
    max="1"
    step="any"
    value=${value}
    placeholder="0"
  />`;
}

function readFaults(data: FormData) {
  const text = (name: string) => `${data.get(name) ?? ''}`.trim();
  const numbers = (prefix: string, names: readonly string[]) =>
    Object.fromEntries(
      names
        .filter((name) => text(`${prefix}${name}`))
        .map((name) => [name, Number(text(`${prefix}${name}`))]),
    );
  const settings: Record<string, unknown> = {};
  for (const [part] of PARTS) {
    const kind = text(`${part}.kind`);
    if (!kind) continue;
    const errorCode = text(`${part}.errorCode`);
    const changes = text(`${part}.changes`);
    settings[part] = {
      kind,
      rate: 1,
      ...numbers(`${part}.`, ['rate', 'latencyMs', 'status']),
      ...(errorCode && { errorCode }),
      ...(changes && { changes: readJson(changes) }),
    };
  }
  const rates = numbers(
    'webhooks.',
    WEBHOOKS.map(([name]) => name),
  );
  const { delayMin: min, delayMax: max } = numbers('webhooks.', ['delayMin', 'delayMax']);
  const delaySeconds = max === undefined ? min : { min: min ?? 0, max };
  const webhooks = { ...rates, ...(delaySeconds !== undefined && { delaySeconds }) };
  if (Object.keys(webhooks).length) settings['webhooks'] = webhooks;
  return { ...settings, ...numbers('', ['seed']) };
}

/** Returns text that is no JSON as it is, so that the sandbox says what it should be. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
