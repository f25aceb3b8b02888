import { cutToShown } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { rejectFields } from '../http/api-error.ts';
import { NETWORKS_BY_CURRENCY } from '../test-numbers/phones.ts';
import type { Money } from './currency.ts';
import { chargeFor } from './fees.ts';
import type { Merchant } from './merchants.ts';
import type { SessionTerms } from './session.ts';

/** Combines the request with the merchant's terms. Fails with 400·01 if no channel is left. */
export function termsOf(
  merchant: Merchant,
  request: PaymentRequest,
  { amount, currency }: Money,
): SessionTerms {
  const networks = NETWORKS_BY_CURRENCY.get(currency) ?? [];
  const requested = request.channels?.length ? request.channels : merchant.channels;
  const channels = merchant.channels.filter(
    (channel) => requested.includes(channel) && (channel !== 'mobile-money' || networks.length),
  );
  if (!channels.length) {
    rejectFields([
      {
        path: 'channels',
        code: 'invalid',
        message: `No channel of this request accepts ${currency} for this merchant. Use another currency, or allow more channels.`,
      },
    ]);
  }
  const bearer = merchant.bearer ?? request.bearer ?? 'merchant';
  return {
    merchant: merchant.publicKey,
    accountId: merchant.accountId,
    reference: request.reference,
    amount,
    currency,
    bearer,
    email: request.email,
    label: request.label ? cutToShown(request.label) : null,
    channels,
    networks: channels.includes('mobile-money') ? networks : [],
    charge: chargeFor({ amount, currency }, bearer),
  };
}
