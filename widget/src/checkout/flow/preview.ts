import { type MerchantFacts, merchantFactsSchema } from '@service-pay/contract/checkout-api';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { safeParse } from 'valibot';

import { channelsOf, type Payable } from './payment-state.ts';

/**
 * What the service has written into its page of the merchant; undefined where it wrote nothing that
 * can be read.
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
 * What is to pay as far as it is sure before the service has made the session. Undefined where only
 * the service can say: which fee the customer bears (D36), or that there is no way to pay at all.
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
