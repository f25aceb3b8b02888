import { type MerchantFacts, merchantFactsSchema } from '@service-pay/contract/checkout-api';
import { describeMismatch } from '@service-pay/contract/issue-text';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { safeParse } from 'valibot';

import { parseJson } from './parse-json.ts';
import { channelsOf, type Payable } from './payment-state.ts';

/**
 * Reads the merchant's record that the service has written into its page, if it is there. Reports
 * an unreadable one to the console (T137).
 */
export function readMerchantFacts(page: Document): MerchantFacts | undefined {
  const text = page.querySelector('#merchant')?.textContent;
  if (!text?.trim()) return undefined;
  const { success, output, issues } = safeParse(merchantFactsSchema, parseJson(text));
  if (success) return output;
  console.error(
    `ServicePay: ${describeMismatch('The merchant record in the checkout page', issues)}`,
  );
  return undefined;
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
  const wanted = request.channels?.length ? request.channels : facts.channels;
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
    channels: facts.channels.filter((channel) => wanted.some((each) => each === channel)),
    networks: facts.networks.filter((network) => network.currency === currency),
    now,
  };
  return channelsOf(payable).length ? payable : undefined;
}
