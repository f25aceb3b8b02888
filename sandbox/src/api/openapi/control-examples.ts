import type { Collection } from '@service-pay/contract/collection';
import type { Meta } from '@service-pay/contract/envelope';
import { toServerSentEvent } from '@service-pay/contract/server-sent-event';

import { SCENARIOS } from '../../faults/scenario-table.ts';
import { DEMO_MERCHANTS } from '../../payments/merchants.ts';
import type { ControlCall } from '../control-routes.ts';

const NOW = '2026-03-12T07:06:11.562Z';
export const DELIVERY_ID = '5f0c3b0e-6f0a-4c53-9a55-0d6f3f5f0a11';
const { publicKey, name, accountId } = DEMO_MERCHANTS[0];

export const MERCHANT = {
  publicKey,
  name,
  logo: null,
  cardBrands: ['visa', 'mastercard'],
  webhookUrl: 'http://localhost:3000/webhooks/service-pay',
  bearer: null,
  defaultCurrency: 'ZMW',
  allowedOrigins: ['*'],
  channels: ['card', 'mobile-money'],
  events: ['collection.successful'],
  networkNotices: {},
  accountId,
};
const COLLECTION: Collection = {
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
const HAPPENING = {
  seq: 7,
  at: NOW,
  kind: 'control',
  merchant: publicKey,
  reference: 'order-1001',
  summary: 'A control call placed a collection: 10.00 ZMW, pending.',
  detail: { status: 'pending', amount: '10.00', currency: 'ZMW' },
};
const DELIVERY = {
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

const REFERENCE = COLLECTION.reference;
const CLOCK = { mode: 'virtual', now: NOW };
const SCENARIO = { armed: SCENARIOS[0]!.name, armedFor: null };
const FAULTS = { webhooks: { drop: 0.5 }, seed: 7 };

export interface ExampleOf {
  readonly body?: object;
  readonly data?: unknown;
  readonly meta?: Meta;
  readonly stream?: string;
}

export const EXAMPLES: Readonly<Record<ControlCall, ExampleOf>> = {
  resetSandbox: { data: {} },
  placeCollection: { body: { reference: REFERENCE, status: 'pending' }, data: COLLECTION },
  pay: {
    body: { reference: REFERENCE, amount: '10.00', phone: '0960000000' },
    data: {
      merchant: publicKey,
      reference: REFERENCE,
      status: 'pay-offline',
      reasonForFailure: null,
      collection: { ...COLLECTION, status: 'pay-offline' },
    },
  },
  searchCollections: {
    data: [
      {
        merchant: publicKey,
        merchantName: name,
        reference: REFERENCE,
        id: COLLECTION.id,
        amount: COLLECTION.amount,
        currency: COLLECTION.currency,
        type: COLLECTION.type,
        status: COLLECTION.status,
        initiatedAt: NOW,
        completedAt: null,
        reasonForFailure: null,
        instrument: '0971111111',
      },
    ],
    meta: { total: 1, perPage: 50, currentPage: 1, pageCount: 1 },
  },
  getCollectionStory: {
    data: {
      merchant: publicKey,
      merchantName: name,
      collection: COLLECTION,
      session: {
        status: 'open',
        amount: '10.00',
        currency: 'ZMW',
        email: 'ada@shop.example',
        expiresAt: NOW,
        attemptsLeft: 4,
      },
      attempts: [
        {
          id: DELIVERY_ID,
          channel: 'mobile-money',
          status: 'pay-offline',
          reasonForFailure: null,
          instrument: '0971111111',
          expiresAt: NOW,
        },
      ],
      story: [HAPPENING],
      deliveries: [DELIVERY],
    },
  },
  streamEvents: {
    stream: toServerSentEvent('happening', HAPPENING, '3f9c2a1b7d05-7'),
  },
  getClock: { data: { mode: 'real', now: NOW, nextDueAt: null } },
  setClock: { body: { mode: 'virtual' }, data: CLOCK },
  advanceClock: { body: { seconds: 30 }, data: CLOCK },
  getPhone: {
    data: {
      number: '0960000000',
      networkName: 'MTN',
      country: 'zm',
      mode: 'real',
      now: NOW,
      out: [
        {
          kind: 'prompt',
          merchant: publicKey,
          reference: REFERENCE,
          merchantName: name,
          total: '10.00',
          currency: 'ZMW',
          expiresAt: NOW,
          code: null,
        },
      ],
    },
  },
  approvePrompt: { body: { reference: REFERENCE }, data: { reference: REFERENCE } },
  declinePrompt: { body: { reference: REFERENCE }, data: { reference: REFERENCE } },
  listMerchants: { data: [MERCHANT] },
  setMerchant: { body: { webhookUrl: MERCHANT.webhookUrl }, data: MERCHANT },
  getFaults: { data: { merchantApi: { rate: 0.5, kind: 'hang' } } },
  setFaults: { body: FAULTS, data: FAULTS },
  clearFaults: { data: {} },
  listScenarios: {
    data: {
      scenarios: SCENARIOS.slice(0, 1).map(({ name, summary, steps, shop }) => ({
        name,
        summary,
        steps,
        shop,
      })),
      armed: null,
      armedFor: null,
    },
  },
  armScenario: { body: { merchant: publicKey }, data: SCENARIO },
  disarmScenario: { data: { armed: null, armedFor: null } },
  listWebhooks: { data: [DELIVERY] },
  replayWebhook: { body: { times: 2 }, data: [DELIVERY] },
  replayWebhooks: { body: { reference: REFERENCE, shuffle: true }, data: [DELIVERY] },
};
