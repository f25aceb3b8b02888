import type { Network } from '@service-pay/contract/checkout-api';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

const ZAMBIA = { country: 'zm', callingCode: '260' } as const;
const MALAWI = { country: 'mw', callingCode: '265' } as const;

/** The mobile networks that take payments in a currency. A currency without a row takes cards alone. */
export const NETWORKS_BY_CURRENCY: ReadonlyMap<string, readonly Network[]> = new Map([
  [
    'ZMW',
    [
      { operator: 'mtn', name: 'MTN', ...ZAMBIA, prefixes: ['096', '076', '056'] },
      { operator: 'airtel', name: 'Airtel', ...ZAMBIA, prefixes: ['097', '077', '057'] },
      { operator: 'zamtel', name: 'Zamtel', ...ZAMBIA, prefixes: ['095', '075', '055'] },
    ],
  ],
  [
    'MWK',
    [
      { operator: 'airtel', name: 'Airtel', ...MALAWI, prefixes: ['099', '098'] },
      { operator: 'tnm', name: 'TNM', ...MALAWI, prefixes: ['088', '089'] },
    ],
  ],
]);

/** A phone of one of our networks: `national` with its leading 0, `international` as `+260…`, which names the handset. */
export interface MobilePhone {
  readonly national: string;
  readonly international: string;
  readonly network: Network;
}

const EVERY_NETWORK = [...NETWORKS_BY_CURRENCY.values()].flat();

/**
 * Reads a number as people write it: national, with country code, with or without `+`, without the leading 0, with spaces
 * or dashes. Gives undefined where it is no phone of one of `networks`.
 */
export function findPhone(text: string, networks: readonly Network[] = EVERY_NETWORK): MobilePhone | undefined {
  const compact = text.replace(/[\s().\-\u2010-\u2015]/g, '');
  if (!/^\+?[0-9]{9,13}$/.test(compact)) return undefined;
  for (const country of new Set(networks.map((network) => network.country))) {
    const parsed = parsePhoneNumberFromString(compact, { defaultCountry: country.toUpperCase() as CountryCode, extract: false });
    if (parsed?.nationalNumber.length !== 9) continue;
    const national = `0${parsed.nationalNumber}`;
    const network = networks.find(
      (one) => one.callingCode === parsed.countryCallingCode && one.prefixes.some((prefix) => national.startsWith(prefix)),
    );
    if (network) return { national, international: parsed.number, network };
  }
  return undefined;
}
