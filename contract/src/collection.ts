import * as v from 'valibot';

import { currencySchema, decimalSchema } from './money.ts';

export { isFinalStatus, isWaitingForCustomer } from './status.ts';

/**
 * Known states of a collection (D30). Readers treat any other as "not final yet" (D32), so the
 * schema accepts any.
 */
export const COLLECTION_STATUSES = [
  'pending',
  'otp-required',
  '3ds-auth-required',
  'pay-offline',
  'successful',
  'failed',
] as const;
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number];

export const SETTLEMENT_STATUSES = ['pending', 'settled'] as const;

export const SETTLEMENT_TYPES = ['instant', 'next-day'] as const;

export const COLLECTION_SOURCES = ['api', 'banking-app'] as const;

/** The longest time and the largest response of verify that a shop's server accepts. */
export const VERIFY_LIMITS = { withinMs: 8_000, mostBytes: 64 * 1024 } as const;

export const timestampSchema = v.pipe(
  v.string(),
  v.isoTimestamp('must be an ISO 8601 time in UTC, such as 2026-03-12T07:06:11.562Z'),
);

const uuidSchema = v.pipe(v.string(), v.uuid('must be a UUID'));

/**
 * The payout of one collection (specification 2.4). `amountSettled` is in whole units of
 * `currency`; `settledAt` is null until paid out (D33).
 */
export const settlementSchema = v.object({
  id: uuidSchema,
  amountSettled: decimalSchema,
  currency: currencySchema,
  createdAt: timestampSchema,
  settledAt: v.nullable(timestampSchema),
  status: v.string(),
  type: v.string(),
  accountId: uuidSchema,
});
export type Settlement = v.InferOutput<typeof settlementSchema>;

/**
 * The payer's mobile-money account (specification 2.5). `phone` is national, `operator` and
 * `country` in lower case.
 */
export const mobileMoneyDetailsSchema = v.object({
  country: v.string(),
  phone: v.string(),
  operator: v.string(),
  accountName: v.nullable(v.string()),
  operatorTransactionId: v.nullable(v.string()),
});
export type MobileMoneyDetails = v.InferOutput<typeof mobileMoneyDetailsSchema>;

/** The part of a card that is kept: never the number (D34). */
export const cardDetailsSchema = v.object({
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  bin: v.nullable(v.string()),
  last4: v.nullable(v.string()),
  cardType: v.nullable(v.string()),
});
export type CardDetails = v.InferOutput<typeof cardDetailsSchema>;

/**
 * A bank account's details. The specification shows only that they are an object or null, so fields
 * pass through as they are.
 */
export const bankAccountDetailsSchema = v.record(v.string(), v.unknown());

/**
 * One payment as the service reports it (specification 2.3). Decimals are in whole units of
 * `currency`, times in UTC. `completedAt`, `fee`, `settlementStatus` and `settlement` are null
 * until known (D33).
 */
export const collectionSchema = v.object({
  id: uuidSchema,
  initiatedAt: timestampSchema,
  completedAt: v.nullable(timestampSchema),
  amount: decimalSchema,
  fee: v.nullable(decimalSchema),
  bearer: v.string(),
  currency: currencySchema,
  reference: v.string(),
  serviceReference: v.string(),
  type: v.string(),
  status: v.string(),
  source: v.string(),
  reasonForFailure: v.nullable(v.string()),
  settlementStatus: v.nullable(v.string()),
  settlement: v.nullable(settlementSchema),
  mobileMoneyDetails: v.nullable(mobileMoneyDetailsSchema),
  bankAccountDetails: v.nullable(bankAccountDetailsSchema),
  cardDetails: v.nullable(cardDetailsSchema),
});
export type Collection = v.InferOutput<typeof collectionSchema>;
