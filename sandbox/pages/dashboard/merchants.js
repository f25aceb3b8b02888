// The form that changes or creates a merchant, and the select that chooses one.

import { wireForm } from '../parts/actions.js';
import { find } from '../parts/elements.js';
import { html, render, repeat } from '../parts/lit.js';
import { readChosen } from './address.js';

/**
 * @import { CardBrand } from '@service-pay/contract/checkout-api'
 * @import { MerchantView } from '../../src/control/types.ts'
 */

/** @type {Readonly<Record<CardBrand, string>>} */
const CARD_BRANDS = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  'american-express': 'American Express',
  'diners-club': 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  maestro: 'Maestro',
  verve: 'Verve',
};

const OPERATORS = /** @type {const} */ (['mtn', 'airtel', 'zamtel', 'tnm']);

/** @type {Omit<MerchantView, 'publicKey' | 'accountId'>} */
const NEW_MERCHANT = {
  name: '',
  logo: null,
  cardBrands: ['visa', 'mastercard'],
  webhookUrl: null,
  bearer: null,
  defaultCurrency: 'ZMW',
  allowedOrigins: ['*'],
  channels: ['card', 'mobile-money'],
  events: ['collection.successful'],
  networkNotices: {},
};

/** @type {readonly MerchantView[]} */
let merchants = [];

/** @param {readonly MerchantView[]} known */
export function setMerchants(known) {
  merchants = known;
}

export function startMerchants() {
  /**
   * Undefined keeps the merchant's logo.
   * @type {string | null | undefined}
   */
  let newLogo;
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
          ...(newLogo !== undefined && { logo: newLogo }),
          cardBrands: data.getAll('cardBrands'),
          webhookUrl: read('webhookUrl') || null,
          bearer: read('bearer') || null,
          defaultCurrency: read('defaultCurrency'),
          allowedOrigins: read('allowedOrigins').split(/[\s,]+/),
          channels: data.getAll('channels'),
          events: data.getAll('events'),
          networkNotices: Object.fromEntries(
            OPERATORS.map((operator) => [operator, read(operator)]).filter(([, notice]) => notice),
          ),
        },
      };
    },
    said: ({ name }) => `Saved ${name}.`,
  });
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));
  const select = /** @type {HTMLSelectElement} */ (field('publicKey'));
  const logo = /** @type {HTMLInputElement} */ (field('logo'));
  const preview = /** @type {HTMLImageElement} */ (find('merchant-logo'));
  const removeLogo = find('merchant-logo-remove');
  const showLogo = (/** @type {string | null} */ url) => {
    preview.hidden = removeLogo.hidden = url === null;
    preview.src = url ?? '';
  };
  const setLogo = (/** @type {string | null} */ url) => {
    newLogo = url;
    showLogo(url);
    refresh();
  };
  logo.addEventListener('change', async () => {
    const [file] = logo.files ?? [];
    if (file) setLogo(await readAsUrl(file));
  });
  removeLogo.addEventListener('click', () => {
    logo.value = '';
    setLogo(null);
    logo.focus();
  });
  const fill = () => {
    const merchant = merchants.find(({ publicKey }) => publicKey === select.value);
    find('merchant-new').hidden = merchant !== undefined;
    for (const name of ['newKey', 'apiToken']) {
      field(name).value = '';
      field(name).required = !merchant;
    }
    const { name, webhookUrl, bearer, defaultCurrency, allowedOrigins, ...chosen } =
      merchant ?? NEW_MERCHANT;
    const { channels, events, cardBrands } = chosen;
    field('name').value = name;
    newLogo = undefined;
    logo.value = '';
    showLogo(chosen.logo);
    renderBrands(cardBrands);
    field('webhookUrl').value = webhookUrl ?? '';
    field('bearer').value = bearer ?? '';
    field('defaultCurrency').value = defaultCurrency;
    field('allowedOrigins').value = allowedOrigins.join(' ');
    for (const operator of OPERATORS) field(operator).value = chosen.networkNotices[operator] ?? '';
    /** @type {Readonly<Record<string, readonly string[]>>} */
    const checked = { cardBrands, channels, events };
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
      form.querySelectorAll('[type=checkbox]')
    )) {
      box.checked = checked[box.name]?.includes(box.value) ?? false;
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
 * The merchant's brands come first, because the popup shows them in the order of the record.
 * @param {readonly CardBrand[]} accepted
 */
function renderBrands(accepted) {
  const brands = /** @type {CardBrand[]} */ (Object.keys(CARD_BRANDS));
  render(
    repeat(
      [...accepted, ...brands.filter((brand) => !accepted.includes(brand))],
      (brand) => brand,
      (brand) =>
        html`<label><input type="checkbox" name="cardBrands" value=${brand} /> ${CARD_BRANDS[brand]}</label>`,
    ),
    find('merchant-brands'),
  );
}

/** @param {File} file @returns {Promise<string>} */
function readAsUrl(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(`${reader.result}`);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
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
