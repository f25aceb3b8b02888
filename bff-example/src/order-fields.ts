// YOURS: what the order form asks the customer. Add a line for each field of your own.
import { emailSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

/**
 * The fields of `customer` in `POST /api/orders`. A field that is not listed here is rejected,
 * never dropped. All of them are stored with the order, and `fulfil` gets them as
 * `order.data.customer`. The payment window gets only `email`, `firstName`, `lastName` and `phone`;
 * keep `email`, which it requires. The API puts the field's name before a message, so let yours
 * start with "must".
 */
export const orderFields = v.strictObject({
  email: emailSchema,
  firstName: v.optional(text(120)),
  lastName: v.optional(text(120)),
  phone: v.optional(text(120)),
  // deliveryNote: v.optional(text(500)),
});

export type OrderFields = v.InferOutput<typeof orderFields>;

function text(longest: number) {
  return v.pipe(v.string(), v.maxLength(longest, `must be at most ${longest} characters`));
}
