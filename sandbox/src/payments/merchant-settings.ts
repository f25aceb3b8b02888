import { CARD_BRANDS, NETWORK_NOTICES } from '@service-pay/contract/checkout-api';
import { currencySchema } from '@service-pay/contract/money';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { bearerSchema, channelSchema } from '@service-pay/contract/payment-request-schema';
import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';

import { isOrigin } from '../http/origin.ts';
import { OPERATORS } from '../test-numbers/phones.ts';

const noticeSchema = v.optional(v.picklist(NETWORK_NOTICES));

/**
 * A merchant's agreement with the service. A `bearer` overrides the request's (D36);
 * `allowedOrigins` may be `["*"]`. `networkNotices` is the trouble its customers read about.
 */
export const merchantSettingsSchema = v.object({
  name: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty('must not be empty'),
    v.maxLength(120, 'must be at most 120 characters'),
  ),
  logo: v.nullable(
    v.pipe(
      v.string(),
      v.regex(/^data:image\/(?:png|svg\+xml)[;,]/, 'must be a data: URL of a PNG or an SVG'),
      v.maxLength(8 * 1024, 'must be at most 8192 characters'),
    ),
  ),
  cardBrands: v.pipe(v.array(v.picklist(CARD_BRANDS)), v.minLength(1, 'must contain a card brand')),
  apiToken: v.pipe(
    v.string(),
    v.regex(/^[!-~]{1,256}$/, 'must be 1 to 256 visible ASCII characters'),
  ),
  webhookUrl: v.nullable(v.pipe(v.string(), v.maxLength(2048, 'must be at most 2048 characters'))),
  bearer: v.nullable(bearerSchema),
  defaultCurrency: currencySchema,
  allowedOrigins: v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.check(
          (origin) => origin === '*' || isOrigin(origin),
          'must be "*" or an origin such as "https://shop.example"',
        ),
      ),
    ),
    v.maxLength(100, 'must be at most 100 origins'),
  ),
  channels: v.pipe(v.array(channelSchema), v.minLength(1, 'must contain a channel')),
  events: v.array(v.picklist(EVENTS)),
  networkNotices: v.strictObject(v.entriesFromList(OPERATORS, noticeSchema)),
});
export type MerchantSettings = v.InferOutput<typeof merchantSettingsSchema>;

export function isPublicKey(text: string): boolean {
  return REQUEST_RULES.key.pattern.test(text);
}
