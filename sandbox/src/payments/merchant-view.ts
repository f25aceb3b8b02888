import type { MerchantRecord, Network } from '@service-pay/contract/checkout-api';

import type { Merchant } from './merchants.ts';

export function recordOf({ logo, cardBrands }: Merchant): MerchantRecord {
  return { ...(logo !== null && { logo }), cardBrands: [...cardBrands] };
}

/** Adds what this merchant's customers read about each network. */
export function withNotices(
  networks: readonly Network[],
  { networkNotices }: Pick<Merchant, 'networkNotices'>,
): Network[] {
  const notices: Readonly<Record<string, string | undefined>> = networkNotices;
  return networks.map((network) => {
    const notice = notices[network.operator];
    return notice ? { ...network, notice } : network;
  });
}
