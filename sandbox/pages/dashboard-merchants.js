// The form that changes or creates a merchant, and the select that chooses one.

import { wireForm } from './actions.js';
import { readChosen } from './dashboard-address.js';
import { find } from './elements.js';

/** @import { MerchantView } from '../src/control/types.ts' */

const NEW_MERCHANT = {
  name: '',
  webhookUrl: null,
  bearer: null,
  defaultCurrency: 'ZMW',
  allowedOrigins: ['*'],
  channels: ['card', 'mobile-money'],
  events: ['collection.successful'],
};

/** @type {readonly MerchantView[]} */
let merchants = [];

/** @param {readonly MerchantView[]} known */
export function setMerchants(known) {
  merchants = known;
}

export function startMerchants() {
  const { form, refresh } = wireForm('merchant', {
    call: (form) => {
      const data = new FormData(form);
      const read = (/** @type {string} */ name) => `${data.get(name) ?? ''}`.trim();
      const isNew = !data.get('publicKey');
      return {
        method: 'PUT',
        path: `/merchants/${encodeURIComponent(isNew ? read('newKey') : read('publicKey'))}`,
        body: {
          ...(isNew && { apiToken: read('apiToken') }),
          name: read('name'),
          webhookUrl: read('webhookUrl') || null,
          bearer: read('bearer') || null,
          defaultCurrency: read('defaultCurrency'),
          allowedOrigins: read('allowedOrigins').split(/[\s,]+/),
          channels: data.getAll('channels'),
          events: data.getAll('events'),
        },
      };
    },
    said: ({ name }) => `Saved ${name}.`,
  });
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));
  const select = /** @type {HTMLSelectElement} */ (field('publicKey'));
  const fill = () => {
    const merchant = merchants.find(({ publicKey }) => publicKey === select.value);
    find('merchant-new').hidden = merchant !== undefined;
    for (const name of ['newKey', 'apiToken']) {
      field(name).value = '';
      field(name).required = !merchant;
    }
    const { name, webhookUrl, bearer, defaultCurrency, allowedOrigins, channels, events } =
      merchant ?? NEW_MERCHANT;
    field('name').value = name;
    field('webhookUrl').value = webhookUrl ?? '';
    field('bearer').value = bearer ?? '';
    field('defaultCurrency').value = defaultCurrency;
    field('allowedOrigins').value = allowedOrigins.join(' ');
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
      form.querySelectorAll('[type=checkbox]')
    )) {
      box.checked = /** @type {readonly string[]} */ (
        box.name === 'channels' ? channels : events
      ).includes(box.value);
    }
    refresh();
  };
  select.addEventListener('change', fill);
  // Removes a token that was entered.
  find('merchant').addEventListener('close', fill);
  return () => {
    offerMerchants(select);
    select.append(new Option('a new merchant', ''));
    fill();
  };
}

/**
 * `any` is the label of the choice for all merchants.
 * @param {HTMLSelectElement} select
 * @param {string} [any]
 */
export function offerMerchants(select, any) {
  const { value } = select;
  select.replaceChildren(
    ...(any ? [new Option(any, '')] : []),
    ...merchants.map(({ publicKey, name }) => new Option(`${name} (${publicKey})`, publicKey)),
  );
  const wanted = value || (any ? '' : readChosen()?.merchant);
  if (merchants.some(({ publicKey }) => publicKey === wanted)) select.value = wanted ?? '';
}
