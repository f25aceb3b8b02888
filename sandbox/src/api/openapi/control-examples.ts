import type { Collection } from '@service-pay/contract/collection';

import { DEMO_MERCHANTS } from '../../payments/merchants.ts';

/** The time of every example. */
export const NOW = '2026-03-12T07:06:11.562Z';
/** Some id. */
export const DELIVERY_ID = '5f0c3b0e-6f0a-4c53-9a55-0d6f3f5f0a11';
const { publicKey, name, accountId } = DEMO_MERCHANTS[0];

/** A merchant, without its secret. */
export const MERCHANT = {
  publicKey,
  name,
  webhookUrl: 'http://localhost:3000/webhooks/service-pay',
  bearer: null,
  defaultCurrency: 'ZMW',
  allowedOrigins: ['*'],
  channels: ['card', 'mobile-money'],
  events: ['collection.successful'],
  accountId,
};
/** A collection that is being worked on. */
export const COLLECTION: Collection = {
  id: '9c1d2f64-7a0e-4b7c-8e57-6a1f4b3d2c33',
  initiatedAt: NOW,
  completedAt: null,
  amount: '10.00',
  fee: null,
  bearer: 'merchant',
  currency: 'ZMW',
  reference: 'order-1001',
  serviceReference: '000000001',
  type: 'mobile-money',
  status: 'pending',
  source: 'api',
  reasonForFailure: null,
  settlementStatus: null,
  settlement: null,
  mobileMoneyDetails: null,
  bankAccountDetails: null,
  cardDetails: null,
};
/** One happening. */
export const HAPPENING = {
  seq: 7,
  at: NOW,
  kind: 'control',
  merchant: publicKey,
  reference: 'order-1001',
  summary: 'A collection was placed: 10.00 ZMW, pending.',
  detail: { status: 'pending', amount: '10.00', currency: 'ZMW' },
};
/** A webhook that waits. */
export const DELIVERY = {
  id: DELIVERY_ID,
  event: 'collection.successful',
  merchant: publicKey,
  reference: 'order-1001',
  url: MERCHANT.webhookUrl,
  createdAt: NOW,
  body: '{"event":"collection.successful","data":{"reference":"order-1001"}}',
  repeats: null,
  isReplay: false,
  status: 'waiting',
  nextAttemptAt: NOW,
  faults: [],
  attempts: [],
};
