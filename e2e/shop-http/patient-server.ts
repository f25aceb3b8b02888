import { type Shop, type ShopParts, startShop as start } from '@service-pay/bff-example/server';
import { PATIENT_PAYMENTS } from '../lab/patience.ts';

export { ListenError } from '@service-pay/bff-example/server';

export function startShop(config: Parameters<typeof start>[0], parts?: ShopParts): Promise<Shop> {
  return start({ ...config, ...PATIENT_PAYMENTS }, parts);
}
