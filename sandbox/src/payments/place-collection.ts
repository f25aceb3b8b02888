import { randomUUID } from 'node:crypto';
import {
  bankAccountDetailsSchema,
  type Collection,
  cardDetailsSchema,
  isFinalStatus,
  mobileMoneyDetailsSchema,
  type Settlement,
  settlementSchema,
  timestampSchema,
} from '@service-pay/contract/collection';
import { currencySchema, decimalSchema, withTwoPlaces } from '@service-pay/contract/money';
import { bearerSchema, referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { ApiError } from '../http/api-error.ts';
import { withoutUndefined } from '../http/object-members.ts';
import type { Clock } from '../time/clock.ts';
import { rejectCurrency } from './currency.ts';
import { type Charge, chargeFor } from './fees.ts';
import { DEMO_MERCHANTS, type Merchant, type Merchants } from './merchants.ts';
import { NEW_LIFE } from './session-life.ts';
import type { CollectionStore } from './store.ts';

const wordSchema = v.pipe(
  v.string(),
  v.nonEmpty('must not be empty'),
  v.maxLength(64, 'must be at most 64 characters'),
);

/**
 * The body of `POST /_sandbox/collections`: any state that a server could run into, including
 * unknown values. Only `reference` is required; unknown fields are rejected.
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
 * Adds a collection as if it had been paid for, and fills in missing fields; amounts get two
 * decimals (D48). Fails with 404·11, with 400·04 for a reference or id in use, and with 400·01 for
 * an unknown currency or decimals that it does not have.
 */
export function placeCollection(
  { clock, store, merchants }: PlaceDeps,
  placed: PlacedCollection,
): { merchant: string; collection: Collection } {
  const { merchant: publicKey, reference, bearer } = placed;
  const merchant = merchants.find(publicKey);
  if (!merchant) throw new ApiError('not_found', 'No merchant has this public key.');
  if (store.findSession({ merchant: publicKey, reference }))
    throw new ApiError('reference_rejected', 'This reference is in use.');
  if (placed.id && store.hasCollectionId(placed.id))
    throw new ApiError('reference_rejected', 'This id is in use.');

  const amount = withTwoPlaces(placed.amount);
  const currency = placed.currency ?? merchant.defaultCurrency;
  rejectCurrency({ amount, currency });
  const charge = chargeFor({ amount, currency }, bearer);
  const collection = buildCollection(
    { ...placed, amount, currency },
    { merchant, charge, store, clock },
  );
  const session = store.addSession(
    {
      merchant: publicKey,
      accountId: merchant.accountId,
      reference,
      amount,
      currency,
      bearer,
      email: null,
      label: null,
      channels: merchant.channels,
      networks: [],
      charge,
    },
    clock.now(),
  );
  session.life = {
    ...NEW_LIFE,
    session: placed.status === 'successful' ? 'successful' : 'failed',
  };
  store.addCollection(session, collection);
  store.markChanged(session);
  return { merchant: publicKey, collection };
}

function buildCollection(
  placed: PlacedCollection & { currency: string },
  {
    merchant,
    charge,
    store,
    clock,
  }: Pick<PlaceDeps, 'store' | 'clock'> & { merchant: Merchant; charge: Charge },
): Collection {
  const { merchant: _, notify: __, fee, ...given } = placed;
  const now = clock.timestamp();
  const isPaid = placed.status === 'successful';
  return {
    ...store.newCollection(placed.initiatedAt ?? now),
    completedAt: isFinalStatus(placed.status) ? now : null,
    fee: isPaid ? charge.fee : null,
    settlementStatus: isPaid ? 'settled' : null,
    ...withoutUndefined(given),
    ...(fee !== undefined && { fee: fee && withTwoPlaces(fee) }),
    settlement: settlementOf(placed, {
      id: randomUUID(),
      amountSettled: charge.settled,
      currency: placed.currency,
      createdAt: now,
      settledAt: now,
      status: 'settled',
      type: 'instant',
      accountId: merchant.accountId,
    }),
    mobileMoneyDetails: mobileMoneyOf(placed, store),
    cardDetails: cardOf(placed),
  };
}

function settlementOf(
  { settlement, status }: PlacedCollection,
  paid: Settlement,
): Settlement | null {
  if (settlement === null || (status !== 'successful' && !settlement)) return null;
  return {
    ...paid,
    ...withoutUndefined(settlement ?? {}),
    ...(settlement?.amountSettled && { amountSettled: withTwoPlaces(settlement.amountSettled) }),
  };
}

function mobileMoneyOf(
  { mobileMoneyDetails, type }: PlacedCollection,
  store: CollectionStore,
): Collection['mobileMoneyDetails'] {
  if (mobileMoneyDetails === null || (type === 'card' && !mobileMoneyDetails)) return null;
  return {
    country: 'zm',
    phone: '0971111111',
    operator: 'airtel',
    accountName: 'TEST PAYER',
    operatorTransactionId: store.newOperatorTransactionId(),
    ...withoutUndefined(mobileMoneyDetails ?? {}),
  };
}

function cardOf({ cardDetails, type }: PlacedCollection): Collection['cardDetails'] {
  if (cardDetails === null || (type !== 'card' && !cardDetails)) return null;
  return {
    firstName: 'TEST',
    lastName: 'PAYER',
    bin: '424242',
    last4: '4242',
    cardType: 'visa',
    ...withoutUndefined(cardDetails ?? {}),
  };
}
