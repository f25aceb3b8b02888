// The form that changes or creates a merchant, and the select that chooses one.

import type { CardBrand } from '@service-pay/contract/checkout-api';
import type { MerchantView } from '../../src/control/outputs.ts';
import type { Operator } from '../../src/test-numbers/phones.ts';
import { wireForm } from '../parts/actions.ts';
import { fieldOf, find } from '../parts/elements.ts';
import { html, render, repeat } from '../parts/lit.ts';
import { say } from '../parts/notice.ts';
import { readChosen } from './address.ts';

const CARD_BRANDS: Readonly<Record<CardBrand, string>> = {
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

const NETWORKS: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  airtel: 'Airtel',
  zamtel: 'Zamtel',
  tnm: 'TNM',
};
const OPERATORS = Object.keys(NETWORKS) as Operator[];

const NEW_MERCHANT: Omit<MerchantView, 'publicKey' | 'accountId'> = {
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

let merchants: readonly MerchantView[] = [];

export function setMerchants(known: readonly MerchantView[]) {
  merchants = known;
}

export function startMerchants() {
  render(
    OPERATORS.map(
      (operator) =>
        html`<label
          >${NETWORKS[operator]}
          <select name=${operator}>
            <option value="">works</option>
            <option>slow</option>
            <option>down</option>
          </select></label
        >`,
    ),
    find('merchant-networks'),
  );
  /** Undefined keeps the merchant's logo. */
  let newLogo: string | null | undefined;
  const { form, refresh } = wireForm('merchant', {
    call: (form) => {
      const data = new FormData(form);
      const read = (name: string) => `${data.get(name) ?? ''}`.trim();
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
    said: ({ name }: MerchantView) => `Saved ${name}.`,
  });
  const field = (name: string) => fieldOf<HTMLInputElement | HTMLSelectElement>(form, name);
  const select = fieldOf<HTMLSelectElement>(form, 'publicKey');
  const logo = fieldOf(form, 'logo');
  const preview = find<HTMLImageElement>('merchant-logo');
  const removeLogo = find('merchant-logo-remove');
  const showLogo = (url: string | null) => {
    preview.hidden = removeLogo.hidden = url === null;
    preview.src = url ?? '';
  };
  const setLogo = (url: string | null) => {
    newLogo = url;
    showLogo(url);
    refresh();
  };
  logo.addEventListener('change', async () => {
    const [file] = logo.files ?? [];
    if (!file) return;
    try {
      setLogo(await readAsUrl(file));
    } catch {
      say(`${file.name} could not be read. Choose it again.`);
    }
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
    const checked: Readonly<Record<string, readonly string[]>> = { cardBrands, channels, events };
    for (const box of form.querySelectorAll<HTMLInputElement>('[type=checkbox]')) {
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

/** The merchant's brands come first, because the popup shows them in the order of the record. */
function renderBrands(accepted: readonly CardBrand[]) {
  const brands = Object.keys(CARD_BRANDS) as CardBrand[];
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

function readAsUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(`${reader.result}`);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** `any` is the label of the choice for all merchants. */
export function offerMerchants(select: HTMLSelectElement, any?: string) {
  const { value } = select;
  select.replaceChildren(
    ...(any ? [new Option(any, '')] : []),
    ...merchants.map(({ publicKey, name }) => new Option(`${name} (${publicKey})`, publicKey)),
  );
  const wanted = value || (any ? '' : readChosen()?.merchant);
  if (merchants.some(({ publicKey }) => publicKey === wanted)) select.value = wanted ?? '';
}
