import * as v from 'valibot';

import { currencySchema, decimalSchema } from './money.ts';
import { CHANNELS, type MemberRule, REQUEST_RULES } from './request-rules.ts';

/** The party that bears the fee (specification 2.1). */
export const bearerSchema = v.picklist(['merchant', 'customer']);
export type Bearer = v.InferOutput<typeof bearerSchema>;

export const channelSchema = v.picklist(CHANNELS);
export type Channel = v.InferOutput<typeof channelSchema>;

/** Customer data from the shop. It only prefills the form (specification 2.1). */
export const customerSchema = v.object({
  firstName: v.optional(text(REQUEST_RULES['customer.firstName'])),
  lastName: v.optional(text(REQUEST_RULES['customer.lastName'])),
  phone: v.optional(text(REQUEST_RULES['customer.phone'])),
});
export type Customer = v.InferOutput<typeof customerSchema>;

/**
 * The billing address of the card (specification 2.1). `state` is two letters in the US and Canada.
 */
export const billingSchema = v.object({
  streetAddress: v.optional(text(REQUEST_RULES['billing.streetAddress'])),
  city: v.optional(text(REQUEST_RULES['billing.city'])),
  state: v.optional(text(REQUEST_RULES['billing.state'])),
  postalCode: v.optional(text(REQUEST_RULES['billing.postalCode'])),
  country: v.optional(text(REQUEST_RULES['billing.country'])),
});
export type Billing = v.InferOutput<typeof billingSchema>;

/** An e-mail address, without the marks that nobody sees. */
export const emailSchema = v.pipe(
  v.string(),
  v.transform(REQUEST_RULES.email.read),
  text(REQUEST_RULES.email),
);

/**
 * A payment request as it crosses a wire (specification 2.1), made by `readPaymentOptions` of a
 * page's options. `amount` is a decimal text in whole units of `currency`; without `currency` the
 * merchant's default applies (D8).
 */
export const paymentRequestSchema = v.object({
  key: text(REQUEST_RULES.key),
  email: emailSchema,
  reference: text(REQUEST_RULES.reference),
  amount: decimalSchema,
  currency: v.optional(currencySchema),
  label: v.optional(text(REQUEST_RULES.label)),
  bearer: v.optional(bearerSchema),
  channels: v.optional(
    v.pipe(
      v.array(channelSchema),
      v.maxLength(CHANNELS.length, 'must be each channel at most once'),
    ),
  ),
  customer: v.optional(customerSchema),
  billing: v.optional(billingSchema),
  locale: v.optional(text(REQUEST_RULES.locale)),
});
export type PaymentRequest = v.InferOutput<typeof paymentRequestSchema>;

/**
 * A merchant's reference (specification 8, D9): safe as a path segment, compared letter by letter.
 */
export const referenceSchema = text(REQUEST_RULES.reference);

function text(rule: MemberRule) {
  return v.pipe(v.string(), v.regex(rule.pattern, `must be ${rule.expected}`));
}
