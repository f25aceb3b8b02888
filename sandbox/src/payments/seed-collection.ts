import { randomUUID } from 'node:crypto';
import {
  bankAccountDetailsSchema,
  type Collection,
  cardDetailsSchema,
  isFinalStatus,
  mobileMoneyDetailsSchema,
  settlementSchema,
  timestampSchema,
} from '@service-pay/contract/collection';
import { currencySchema, decimalSchema, withTwoPlaces } from '@service-pay/contract/money';
import { bearerSchema, referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { withoutUndefined } from '../http/object-members.ts';
import type { Clock } from '../time/clock.ts';
import { chargeFor } from './fees.ts';
import { DEMO_MERCHANTS, type Merchants } from './merchants.ts';
import { Refusal } from './refusal.ts';
import { NEW_LIFE } from './session-life.ts';
import type { CollectionStore } from './store.ts';

const wordSchema = v.pipe(
  v.string(),
  v.nonEmpty('must not be empty'),
  v.maxLength(64, 'must be at most 64 characters'),
);

/**
 * The body of `POST /_sandbox/collections`: any state a server could meet, including unknown
 * values. Only `reference` is required; unknown members are refused.
 */
export const placedCollectionSchema = v.strictObject({
  merchant: v.optional(v.string(), DEMO_MERCHANTS[0].publicKey),
  reference: referenceSchema,
  id: v.optional(v.pipe(v.string(), v.uuid('must be a UUID'))),
  initiatedAt: v.optional(timestampSchema),
  completedAt: v.optional(v.nullable(timestampSchema)),
  amount: v.optional(decimalSchema, '10.00'),
  fee: v.optional(v.nullable(decimalSchema)),
  bearer: v.optional(bearerSchema, 'merchant'),
  currency: v.optional(currencySchema),
  serviceReference: v.optional(wordSchema),
  type: v.optional(wordSchema, 'mobile-money'),
  status: v.optional(wordSchema, 'successful'),
  source: v.optional(wordSchema, 'api'),
  reasonForFailure: v.optional(v.nullable(v.string())),
  settlementStatus: v.optional(v.nullable(wordSchema)),
  settlement: v.optional(v.nullable(v.strictObject(v.partial(settlementSchema).entries))),
  mobileMoneyDetails: v.optional(
    v.nullable(v.strictObject(v.partial(mobileMoneyDetailsSchema).entries)),
  ),
  bankAccountDetails: v.optional(v.nullable(bankAccountDetailsSchema)),
  cardDetails: v.optional(v.nullable(v.strictObject(v.partial(cardDetailsSchema).entries))),
  notify: v.optional(v.boolean(), false),
});
export type PlacedCollection = v.InferOutput<typeof placedCollectionSchema>;

export interface PlaceDeps {
  clock: Clock;
  store: CollectionStore;
  merchants: Merchants;
}

/**
 * Adds a collection as if it had been paid for and fills in missing members; amounts get two
 * decimals (D48). Refuses with 404·11, or 400·04 for a reference or id in use.
 */
export function placeCollection(
  { clock, store, merchants }: PlaceDeps,
  placed: PlacedCollection,
): { merchant: string; collection: Collection } {
  const {
    merchant: publicKey,
    notify: _,
    fee,
    mobileMoneyDetails,
    cardDetails,
    settlement,
    ...given
  } = placed;
  const merchant = merchants.find(publicKey);
  if (!merchant) throw new Refusal('not_found', 'No merchant has this public key.');
  if (store.findSession(publicKey, placed.reference))
    throw new Refusal('reference_refused', 'This reference is in use.');
  if (placed.id && store.hasCollectionId(placed.id))
    throw new Refusal('reference_refused', 'This id is in use.');

  const now = clock.timestamp();
  const isPaid = placed.status === 'successful';
  const isCard = placed.type === 'card';
  const currency = placed.currency ?? merchant.defaultCurrency;
  const amount = withTwoPlaces(placed.amount);
  const charge = chargeFor(amount, placed.bearer);
  const filled = store.newCollection(placed.initiatedAt ?? now);
  const collection: Collection = {
    ...filled,
    completedAt: isFinalStatus(placed.status) ? now : null,
    fee: isPaid ? charge.fee : null,
    settlementStatus: isPaid ? 'settled' : null,
    ...withoutUndefined(given),
    ...(fee !== undefined && { fee: fee && withTwoPlaces(fee) }),
    amount,
    currency,
    settlement:
      settlement === null || (!isPaid && !settlement)
        ? null
        : {
            id: randomUUID(),
            amountSettled: charge.settled,
            currency,
            createdAt: now,
            settledAt: now,
            status: 'settled',
            type: 'instant',
            accountId: merchant.accountId,
            ...withoutUndefined(settlement ?? {}),
            ...(settlement?.amountSettled && {
              amountSettled: withTwoPlaces(settlement.amountSettled),
            }),
          },
    mobileMoneyDetails:
      mobileMoneyDetails === null || (isCard && !mobileMoneyDetails)
        ? null
        : {
            country: 'zm',
            phone: '0971111111',
            operator: 'airtel',
            accountName: 'TEST PAYER',
            operatorTransactionId: store.newOperatorTransactionId(),
            ...withoutUndefined(mobileMoneyDetails ?? {}),
          },
    cardDetails:
      cardDetails === null || (!isCard && !cardDetails)
        ? null
        : {
            firstName: 'TEST',
            lastName: 'PAYER',
            bin: '424242',
            last4: '4242',
            cardType: 'visa',
            ...withoutUndefined(cardDetails ?? {}),
          },
  };

  const session = store.addSession({
    merchant: publicKey,
    accountId: merchant.accountId,
    reference: placed.reference,
    amount,
    currency,
    bearer: placed.bearer,
    email: null,
    label: null,
    channels: merchant.channels,
    networks: [],
    charge,
    expiresAt: clock.now(),
  });
  session.life = { ...NEW_LIFE, session: isPaid ? 'successful' : 'failed' };
  store.addCollection(session, collection);
  store.keep(session);
  return { merchant: publicKey, collection };
}
