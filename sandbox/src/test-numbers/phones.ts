import type { Network } from '@service-pay/contract/checkout-api';
import type { MobilePhone as Phone } from '@service-pay/contract/phone';

const ZAMBIA = {
  country: 'zm',
  callingCode: '260',
  dialCode: '*000#',
  typicalSeconds: 20,
} as const;
const MALAWI = { country: 'mw', callingCode: '265' } as const;

/** Mobile networks by currency. A currency without an entry takes only cards. */
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

export type MobilePhone = Phone<Network>;

export const EVERY_NETWORK: readonly Network[] = [...NETWORKS_BY_CURRENCY.values()].flat();
