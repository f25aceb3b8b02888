import type { Network } from '@service-pay/contract/checkout-api';

const ZAMBIA = { country: 'zm', callingCode: '260' } as const;
const MALAWI = { country: 'mw', callingCode: '265' } as const;

/**
 * The mobile networks that take payments in a currency. A currency without a row takes cards alone.
 */
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

/**
 * A phone of one of our networks: `national` with its leading 0, `international` as `+260…`, which
 * names the handset.
 */
export interface MobilePhone {
  readonly national: string;
  readonly international: string;
  readonly network: Network;
}

const EVERY_NETWORK = [...NETWORKS_BY_CURRENCY.values()].flat();

/**
 * Reads a number as people write it: national, with country code, with or without `+`, without the
 * leading 0, with spaces or dashes. Gives undefined where it is no phone of one of `networks`. The
 * rules of libphonenumber-js, to which a test holds this, would take 19 MB of memory to read these
 * five networks.
 */
export function findPhone(
  text: string,
  networks: readonly Network[] = EVERY_NETWORK,
): MobilePhone | undefined {
  const compact = text.replace(/[\s().\-\u2010-\u2015]/g, '');
  for (const network of networks) {
    const { callingCode, prefixes } = network;
    const [, subscriber] = new RegExp(`^(?:\\+?${callingCode})?0?([0-9]{9})$`).exec(compact) ?? [];
    const national = `0${subscriber}`;
    const international = `+${callingCode}${subscriber}`;
    if (prefixes.some((prefix) => national.startsWith(prefix)))
      return { national, international, network };
  }
  return undefined;
}
