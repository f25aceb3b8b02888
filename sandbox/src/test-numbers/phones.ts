import type { Network } from '@service-pay/contract/checkout-api';
import type { MobilePhone as Phone } from '@service-pay/contract/phone';

const ZAMBIA = {
  country: 'zm',
  callingCode: '260',
  dialCode: '*000#',
  typicalSeconds: 20,
} as const;
const MALAWI = { country: 'mw', callingCode: '265' } as const;

/** Every operator, in some currency, and its name. Types name what else it needs. */
const NAMES = { mtn: 'MTN', airtel: 'Airtel', zamtel: 'Zamtel', tnm: 'TNM' } as const;
export type Operator = keyof typeof NAMES;
export const OPERATORS = Object.keys(NAMES) as Operator[];

/** Mobile networks by currency. A currency without an entry takes only cards. */
export const NETWORKS_BY_CURRENCY: ReadonlyMap<string, readonly Network[]> = new Map([
  [
    'ZMW',
    [
      network('mtn', ZAMBIA, ['096', '076', '056']),
      network('airtel', ZAMBIA, ['097', '077', '057']),
      network('zamtel', ZAMBIA, ['095', '075', '055']),
    ],
  ],
  ['MWK', [network('airtel', MALAWI, ['099', '098']), network('tnm', MALAWI, ['088', '089'])]],
]);

export type MobilePhone = Phone<Network>;

export const EVERY_NETWORK: readonly Network[] = [...NETWORKS_BY_CURRENCY.values()].flat();

function network(
  operator: Operator,
  country: typeof ZAMBIA | typeof MALAWI,
  prefixes: string[],
): Network {
  return { operator, name: NAMES[operator], ...country, prefixes };
}
