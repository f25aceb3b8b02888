import { type MerchantFacts, merchantFactsSchema } from '@service-pay/contract/checkout-api';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { safeParse } from 'valibot';

import { channelsOf, type Payable } from './payment-state.ts';

/**
 * Reads the merchant's record that the service has written into its page, if it is there and
 * readable.
 */
export function readMerchantFacts(page: Document): MerchantFacts | undefined {
  try {
    const read = safeParse(
      merchantFactsSchema,
      JSON.parse(page.querySelector('#merchant')?.textContent ?? ''),
    );
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what is certain before the service has created the session. Undefined if only the service
 * can say: the customer's fee (D36), or that there is no way to pay.
 */
export function previewOf(
  facts: MerchantFacts | undefined,
  request: PaymentRequest,
): Payable | undefined {
  if (!facts || (facts.bearer ?? request.bearer) === 'customer') return undefined;
  const { merchantName, merchant, isTest, now } = facts;
  const { amount, label = null, currency = facts.defaultCurrency } = request;
  const asked = request.channels?.length ? request.channels : facts.channels;
  const payable: Payable = {
    merchantName,
    ...(merchant && { merchant }),
    label,
    amount,
    fee: '0.00',
    total: amount,
    currency,
    bearer: 'merchant',
    isTest,
    channels: facts.channels.filter((channel) => asked.some((each) => each === channel)),
    networks: facts.networks.filter((network) => network.currency === currency),
    now,
  };
  return channelsOf(payable).length ? payable : undefined;
}
