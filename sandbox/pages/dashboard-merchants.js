// The merchants there are: the form that changes one or makes a new one, and every place where one
// is chosen.

import { wireForm } from './actions.js';
import { readChosen } from './dashboard-address.js';
import { find } from './elements.js';

/** @import { MerchantView } from '../src/control/types.ts' */

/** What a merchant has that is new. */
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

/**
 * Which merchants there are.
 * @param {readonly MerchantView[]} known
 */
export function setMerchants(known) {
  merchants = known;
}

/** Fills the form of merchants; gives what brings it up to date when it opens. */
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
    said: ({ name }) => `${name} is set.`,
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
  // A token that was entered does not stay in the page.
  find('merchant').addEventListener('close', fill);
  return () => {
    offerMerchants(select);
    select.append(new Option('a new merchant', ''));
    fill();
  };
}

/**
 * Offers every merchant there is.
 * @param {HTMLSelectElement} select
 * @param {string} [any] What stands for no merchant in particular, where that is a choice.
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
